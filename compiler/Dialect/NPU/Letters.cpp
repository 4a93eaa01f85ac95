// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Letters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;

static char letterOf(int64_t dim) { return static_cast<char>('a' + dim); }

std::string npu::lettersOf(const StoredOrder &layout) {
  if (layout.order.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : layout.order) {
    bool isBlocked = llvm::any_of(layout.blocks, [&](const LayoutBlock &block) {
      return block.dim == dim;
    });
    text += isBlocked ? llvm::toUpper(letterOf(dim)) : letterOf(dim);
  }
  for (const LayoutBlock &block : layout.blocks)
    text += std::to_string(block.size) + letterOf(block.dim);
  return text;
}
