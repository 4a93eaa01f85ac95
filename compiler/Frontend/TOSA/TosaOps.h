// SPDX-License-Identifier: Apache-2.0
//
// The one table of supported TOSA operators, and the builders its rows name. A
// builder sets the op's result or reports an error.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSAOPS_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSAOPS_H

#include "compiler/Frontend/TOSA/TosaNode.h"

namespace npu {

/// The row of an operator ("tosa.conv2d"), or null.
const TosaOp *lookupTosaOp(StringRef name);

// TosaOpsConv.cpp
LogicalResult buildTosaConv(TosaNode &node);
LogicalResult buildTosaMatMul(TosaNode &node);
LogicalResult buildTosaTransposeConv(TosaNode &node);
// TosaOpsData.cpp
LogicalResult buildTosaConcat(TosaNode &node);
LogicalResult buildTosaGather(TosaNode &node);
LogicalResult buildTosaIdentity(TosaNode &node);
LogicalResult buildTosaPad(TosaNode &node);
LogicalResult buildTosaReshape(TosaNode &node);
LogicalResult buildTosaReverse(TosaNode &node);
LogicalResult buildTosaScatter(TosaNode &node);
LogicalResult buildTosaSlice(TosaNode &node);
LogicalResult buildTosaTile(TosaNode &node);
LogicalResult buildTosaTranspose(TosaNode &node);
// TosaOpsElementwise.cpp
LogicalResult buildTosaArithmeticShift(TosaNode &node);
LogicalResult buildTosaBinary(TosaNode &node);
LogicalResult buildTosaExtreme(TosaNode &node);
LogicalResult buildTosaClamp(TosaNode &node);
LogicalResult buildTosaLogicalShift(TosaNode &node);
LogicalResult buildTosaMul(TosaNode &node);
LogicalResult buildTosaNegate(TosaNode &node);
LogicalResult buildTosaTable(TosaNode &node);
LogicalResult buildTosaUnary(TosaNode &node);
// TosaOpsPool.cpp
LogicalResult buildTosaAvgPool(TosaNode &node);
LogicalResult buildTosaMaxPool(TosaNode &node);
// TosaOpsReduce.cpp
LogicalResult buildTosaArgMax(TosaNode &node);
LogicalResult buildTosaReduce(TosaNode &node);
LogicalResult buildTosaReduceBool(TosaNode &node);
// TosaOpsResize.cpp
LogicalResult buildTosaResize(TosaNode &node);
// TosaOpsType.cpp
LogicalResult buildTosaCast(TosaNode &node);
LogicalResult buildTosaRescale(TosaNode &node);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSAOPS_H
