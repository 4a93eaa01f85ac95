// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutPlan.h"

using namespace npu;

LayoutAttr LayoutPlan::currentLayout(Value value) const {
  LayoutAttr layout = home.lookup(value);
  return layout ? layout : produced.lookup(value);
}

LayoutAttr LayoutPlan::layoutRead(OpOperand &operand) const {
  LayoutAttr layout = read.lookup(&operand);
  return layout ? layout : currentLayout(operand.get());
}
