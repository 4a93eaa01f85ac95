// SPDX-License-Identifier: Apache-2.0
#include "bench/compile/Chain.h"

#include "llvm/Support/FormatVariadic.h"

namespace npu::bench {

static constexpr const char *image = "tensor<1x8x12x12xf32>";
static constexpr const char *weight = "tensor<8x8x1x1xf32>";

/// @main from `body`, whose last value is %x<last>.
static std::string function(const std::string &body, int last) {
  return llvm::formatv("func.func @main(%x0: {0} {{npu.name = \"x\"}, %w: {1} "
                       "{{npu.name = \"w\"}) -> ({0} {{npu.name = \"y\"}) {{\n"
                       "{2}  return %x{3} : {0}\n}\n",
                       image, weight, body, last)
      .str();
}

std::string residualChain(int ops) {
  std::string body;
  const int links = ops / 3;
  for (int i = 0; i < links; ++i)
    body += llvm::formatv(
                "  %c{0} = npu.conv2d(%x{0}, %w) {{dilations = [1, 1], groups "
                "= 1, pads = [0, 0, 0, 0], strides = [1, 1]} : ({2}, {3}) -> "
                "{2}\n"
                "  %s{0} = npu.eltwise sigmoid(%c{0}) : ({2}) -> {2}\n"
                "  %x{1} = npu.eltwise add(%s{0}, %x{0}) : ({2}, {2}) -> {2}\n",
                i, i + 1, image, weight)
                .str();
  return function(body, links);
}

std::string eltwiseChain(int ops) {
  const char *names[] = {"relu", "sigmoid", "neg"};
  std::string body;
  for (int i = 0; i < ops; ++i)
    body += llvm::formatv("  %x{1} = npu.eltwise {3}(%x{0}) : ({2}) -> {2}\n",
                          i, i + 1, image, names[i % 3])
                .str();
  return function(body, ops);
}

} // namespace npu::bench
