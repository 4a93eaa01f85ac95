// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutPlan.h"

using namespace npu;

LayoutAttr LayoutPlan::layoutRead(OpOperand &operand) const {
  if (LayoutAttr layout = read.lookup(&operand))
    return layout;
  if (LayoutAttr layout = home.lookup(operand.get()))
    return layout;
  return produced.lookup(operand.get());
}
