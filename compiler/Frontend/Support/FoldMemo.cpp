// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/FoldMemo.h"

#include "compiler/Dialect/NPU/Constants.h"

using namespace npu;

static thread_local FoldMemo *open = nullptr;

FoldMemo::FoldMemo() : outer(open) { open = this; }

FoldMemo::~FoldMemo() { open = outer; }

FoldMemo *FoldMemo::current() { return open; }

std::optional<FoldMemo::Key> FoldMemo::keyOf(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return std::nullopt;
  // All of them are unique in their context.
  Key key = {op->getName().getAsOpaquePointer(),
             op->getAttrDictionary().getAsOpaquePointer(),
             op->getResult(0).getType().getAsOpaquePointer()};
  for (Value operand : op->getOperands()) {
    ElementsAttr known = constantOf(operand);
    if (!known)
      return std::nullopt;
    key.push_back(known.getAsOpaquePointer());
  }
  return key;
}

ElementsAttr FoldMemo::find(const Key &key) const {
  auto found = known.find(key);
  return found == known.end() ? ElementsAttr() : found->second;
}

void FoldMemo::add(Key key, ElementsAttr value) {
  known.emplace(std::move(key), value);
}
