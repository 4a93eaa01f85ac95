// SPDX-License-Identifier: Apache-2.0
//
// The one table of supported TFLite operators, and the builders its rows name.
// A builder sets the operator's results or reports an error.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H

#include "compiler/Frontend/TFLite/TfliteNode.h"

namespace npu {

/// The row of an operator, which may be a plugin's of this context; or null.
const TfliteOp *lookupTfliteOp(MLIRContext *context, const TfliteOperator &op);

/// One error at `file` with all operators that npuc does not take.
LogicalResult checkTfliteOps(Location file, const TfliteFile &model);

/// The fused activation; NONE where the operator has none.
tflite::Activation tfliteActivation(const TfliteOperator &op);

/// A function of stored bytes as a table; its numbers go to the nearest byte if
/// out of range, NaN to the least.
Value tfliteByteFunction(TfliteNode &node, Value bytes,
                         function_ref<double(int32_t byte)> function);

/// An operand as the floats that it stands for.
Value tfliteFloats(TfliteNode &node, size_t index);

/// Rows of data times rows of weights (M, K), as a convolution of one place
/// each: so the data keep their zero point. Data are (rows, 1, 1, K), as the
/// result.
Value tfliteRowsTimesRows(TfliteNode &node, Value data, Value weight,
                          Value bias, int64_t zeroPoint);

/// The number that stands for 0 in the first operand, to pad with.
double tflitePadding(TfliteNode &node);

/// The table of operators, for docs/tflite-ops.md.
std::string supportedTfliteOpsMarkdown();

/// Why the table has no row for the operator.
StringRef whyNoTfliteOp(tflite::BuiltinOperator kind);

// TfliteOpsBinary.cpp
LogicalResult buildTfliteArithmetic(TfliteNode &node);
LogicalResult buildTfliteBinary(TfliteNode &node);
LogicalResult buildTfliteAtan2(TfliteNode &node);
LogicalResult buildTfliteDiv(TfliteNode &node);
LogicalResult buildTfliteExtreme(TfliteNode &node);
LogicalResult buildTfliteFloorDiv(TfliteNode &node);
LogicalResult buildTfliteMul(TfliteNode &node);
LogicalResult buildTfliteSquaredDifference(TfliteNode &node);
LogicalResult buildTfliteAddN(TfliteNode &node);
LogicalResult buildTfliteCompare(TfliteNode &node);
LogicalResult buildTfliteSelect(TfliteNode &node);
LogicalResult buildTfliteRightShift(TfliteNode &node);
// TfliteOpsControl.cpp
LogicalResult buildTfliteIf(TfliteNode &node);
LogicalResult buildTfliteWhile(TfliteNode &node);
// TfliteOpsVariable.cpp
LogicalResult buildTfliteVarHandle(TfliteNode &node);
LogicalResult buildTfliteReadVariable(TfliteNode &node);
LogicalResult buildTfliteAssignVariable(TfliteNode &node);
LogicalResult buildTfliteCallOnce(TfliteNode &node);
// TfliteOpsSvdf.cpp
LogicalResult buildTfliteSvdf(TfliteNode &node);
// TfliteOpsConv.cpp
LogicalResult buildTfliteConv(TfliteNode &node);
LogicalResult buildTfliteDepthwiseConv(TfliteNode &node);
LogicalResult buildTfliteTransposeConv(TfliteNode &node);
LogicalResult buildTfliteTransposeConvBias(TfliteNode &node);
// TfliteOpsProduct.cpp
LogicalResult buildTfliteFullyConnected(TfliteNode &node);
LogicalResult buildTfliteBatchMatMul(TfliteNode &node);
// TfliteOpsPool.cpp
LogicalResult buildTfliteAveragePool(TfliteNode &node);
LogicalResult buildTfliteMaxPool(TfliteNode &node);
LogicalResult buildTfliteL2Pool(TfliteNode &node);
// TfliteOpsType.cpp
LogicalResult buildTfliteCast(TfliteNode &node);
LogicalResult buildTfliteQuantize(TfliteNode &node);
LogicalResult buildTfliteDequantize(TfliteNode &node);
LogicalResult buildTfliteDensify(TfliteNode &node);
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
LogicalResult buildTfliteExpandDims(TfliteNode &node);
LogicalResult buildTfliteSqueeze(TfliteNode &node);
LogicalResult buildTfliteTranspose(TfliteNode &node);
LogicalResult buildTfliteReverse(TfliteNode &node);
LogicalResult buildTfliteSpaceToDepth(TfliteNode &node);
LogicalResult buildTfliteDepthToSpace(TfliteNode &node);
LogicalResult buildTfliteSpaceToBatch(TfliteNode &node);
LogicalResult buildTfliteBatchToSpace(TfliteNode &node);
// TfliteOpsJoin.cpp
LogicalResult buildTfliteConcat(TfliteNode &node);
LogicalResult buildTflitePack(TfliteNode &node);
LogicalResult buildTfliteTile(TfliteNode &node);
LogicalResult buildTfliteBroadcastTo(TfliteNode &node);
LogicalResult buildTfliteFill(TfliteNode &node);
LogicalResult buildTflitePad(TfliteNode &node);
LogicalResult buildTfliteMirrorPad(TfliteNode &node);
// TfliteOpsSlice.cpp
LogicalResult buildTfliteSlice(TfliteNode &node);
LogicalResult buildTfliteStridedSlice(TfliteNode &node);
LogicalResult buildTfliteSplit(TfliteNode &node);
LogicalResult buildTfliteSplitV(TfliteNode &node);
LogicalResult buildTfliteUnpack(TfliteNode &node);
// TfliteOpsReduce.cpp
LogicalResult buildTfliteReduce(TfliteNode &node);
LogicalResult buildTfliteSum(TfliteNode &node);
LogicalResult buildTfliteMean(TfliteNode &node);
LogicalResult buildTfliteReduceBool(TfliteNode &node);
LogicalResult buildTfliteArg(TfliteNode &node);
LogicalResult buildTfliteCumsum(TfliteNode &node);
// TfliteOpsIndex.cpp
LogicalResult buildTfliteGather(TfliteNode &node);
LogicalResult buildTfliteGatherNd(TfliteNode &node);
LogicalResult buildTfliteEmbeddingLookup(TfliteNode &node);
LogicalResult buildTfliteOneHot(TfliteNode &node);
LogicalResult buildTfliteTopK(TfliteNode &node);
LogicalResult buildTfliteBucketize(TfliteNode &node);
LogicalResult buildTfliteShape(TfliteNode &node);
LogicalResult buildTfliteRank(TfliteNode &node);
LogicalResult buildTfliteBroadcastArgs(TfliteNode &node);
LogicalResult buildTfliteRange(TfliteNode &node);
LogicalResult buildTfliteWhere(TfliteNode &node);
// TfliteOpsScatter.cpp
LogicalResult buildTfliteScatterNd(TfliteNode &node);
LogicalResult buildTfliteSparseToDense(TfliteNode &node);
LogicalResult buildTfliteDynamicUpdateSlice(TfliteNode &node);
LogicalResult buildTfliteSegmentSum(TfliteNode &node);
LogicalResult buildTfliteUnsortedSegment(TfliteNode &node);
LogicalResult buildTfliteMatrixDiag(TfliteNode &node);
LogicalResult buildTfliteMatrixSetDiag(TfliteNode &node);
LogicalResult buildTfliteReverseSequence(TfliteNode &node);
// TfliteOpsResize.cpp
LogicalResult buildTfliteResizeNearest(TfliteNode &node);
LogicalResult buildTfliteResizeBilinear(TfliteNode &node);
// TfliteOpsNorm.cpp
LogicalResult buildTfliteL2Norm(TfliteNode &node);
LogicalResult buildTfliteLrn(TfliteNode &node);
// TfliteOpsSoftmax.cpp
LogicalResult buildTfliteSoftmax(TfliteNode &node);
// TfliteOpsLstm.cpp
LogicalResult buildTfliteLstm(TfliteNode &node);
// TfliteOpsRnn.cpp
LogicalResult buildTfliteRnn(TfliteNode &node);
// TfliteOpsComplex.cpp
LogicalResult buildTfliteRfft2d(TfliteNode &node);
LogicalResult buildTfliteReal(TfliteNode &node);
LogicalResult buildTfliteImaginary(TfliteNode &node);
LogicalResult buildTfliteComplexAbs(TfliteNode &node);
// TfliteOpsPlugin.cpp
LogicalResult buildTflitePlugin(TfliteNode &node);
// TfliteOpsLogSoftmax.cpp
LogicalResult buildTfliteLogSoftmax(TfliteNode &node);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H
