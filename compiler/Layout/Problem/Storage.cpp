// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Storage.h"

using namespace npu;

int64_t npu::bytesOfElement(RankedTensorType type) {
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  return std::max<int64_t>(1, bits / 8);
}

int64_t npu::storedBytes(RankedTensorType type, LayoutAttr layout) {
  int64_t elements = layout ? layout.getStoredElements(type.getShape())
                            : type.getNumElements();
  return elements * bytesOfElement(type);
}

int64_t npu::storedBytes(RankedTensorType type) {
  return storedBytes(type, getLayout(type));
}

int64_t npu::storedBytes(Value value) { return storedBytes(tensorType(value)); }

bool npu::sameStorage(Value value, LayoutAttr a, LayoutAttr b) {
  return a && b && a.isEquivalent(b, tensorType(value).getShape());
}

bool npu::isAmong(Value value, LayoutAttr layout, ArrayRef<LayoutAttr> list) {
  return llvm::any_of(list, [&](LayoutAttr entry) {
    return sameStorage(value, layout, entry);
  });
}

bool npu::isStoredAs(Value value, LayoutAttr layout) {
  return sameStorage(value, getLayout(value), layout);
}
