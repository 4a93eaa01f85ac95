// SPDX-License-Identifier: Apache-2.0
//
// The one table of supported TFLite operators, and the builders its rows name.
// A builder sets the operator's results or reports an error.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H

#include "compiler/Frontend/TFLite/TfliteNode.h"

namespace npu {

/// The row of an operator, or null.
const TfliteOp *lookupTfliteOp(tflite::BuiltinOperator kind);

/// One error at `file` with all operators that npuc does not take.
LogicalResult checkTfliteOps(Location file, const TfliteFile &model);

/// The fused activation; NONE where the operator has none.
tflite::Activation tfliteActivation(const TfliteOperator &op);

/// An operand as the floats that it stands for.
Value tfliteFloats(TfliteNode &node, size_t index);

/// The table of operators, for docs/tflite-ops.md.
std::string supportedTfliteOpsMarkdown();

// TfliteOpsBinary.cpp
LogicalResult buildTfliteArithmetic(TfliteNode &node);
LogicalResult buildTfliteBinary(TfliteNode &node);
LogicalResult buildTfliteDiv(TfliteNode &node);
LogicalResult buildTfliteExtreme(TfliteNode &node);
LogicalResult buildTfliteFloorDiv(TfliteNode &node);
LogicalResult buildTfliteMul(TfliteNode &node);
LogicalResult buildTfliteSquaredDifference(TfliteNode &node);
LogicalResult buildTfliteAddN(TfliteNode &node);
LogicalResult buildTfliteCompare(TfliteNode &node);
LogicalResult buildTfliteSelect(TfliteNode &node);
// TfliteOpsConv.cpp
LogicalResult buildTfliteConv(TfliteNode &node);
LogicalResult buildTfliteDepthwiseConv(TfliteNode &node);
LogicalResult buildTfliteTransposeConv(TfliteNode &node);
// TfliteOpsProduct.cpp
LogicalResult buildTfliteFullyConnected(TfliteNode &node);
LogicalResult buildTfliteBatchMatMul(TfliteNode &node);
// TfliteOpsPool.cpp
LogicalResult buildTfliteAveragePool(TfliteNode &node);
LogicalResult buildTfliteMaxPool(TfliteNode &node);
// TfliteOpsType.cpp
LogicalResult buildTfliteCast(TfliteNode &node);
LogicalResult buildTfliteQuantize(TfliteNode &node);
LogicalResult buildTfliteDequantize(TfliteNode &node);
LogicalResult buildTfliteFakeQuant(TfliteNode &node);
// TfliteOpsUnary.cpp
LogicalResult buildTfliteUnary(TfliteNode &node);
LogicalResult buildTfliteRelu(TfliteNode &node);
LogicalResult buildTfliteLeakyRelu(TfliteNode &node);
LogicalResult buildTflitePRelu(TfliteNode &node);
LogicalResult buildTfliteGelu(TfliteNode &node);
LogicalResult buildTfliteHardSwish(TfliteNode &node);
LogicalResult buildTfliteSquare(TfliteNode &node);
LogicalResult buildTfliteZerosLike(TfliteNode &node);
// TfliteOpsTable.cpp
LogicalResult buildTfliteTable(TfliteNode &node);
// TfliteOpsMove.cpp
LogicalResult buildTfliteReshape(TfliteNode &node);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H
