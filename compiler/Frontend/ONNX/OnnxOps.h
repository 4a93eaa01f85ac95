// SPDX-License-Identifier: Apache-2.0
//
// The one table of supported operators, and the builders its rows name. A
// builder sets the node's results or reports an error.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXOPS_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXOPS_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

/// All rows, sorted by name.
ArrayRef<OnnxOp> onnxOps();
/// The row of an operator, or null; with its domain in front (com.microsoft.X)
/// unless that is ai.onnx.
const OnnxOp *lookupOnnxOp(StringRef name);
/// Why the operator will never be supported: "strings"; empty where it is, or
/// may be one day.
StringRef reasonOutOfScope(StringRef name);

// OnnxOpsAttention.cpp
LogicalResult buildAttention(OnnxNode &node);
LogicalResult buildFlexAttention(OnnxNode &node);
LogicalResult buildRotaryEmbedding(OnnxNode &node);
// OnnxOpsChoice.cpp
LogicalResult buildCompress(OnnxNode &node);
LogicalResult buildNonMaxSuppression(OnnxNode &node);
LogicalResult buildNonZero(OnnxNode &node);
LogicalResult buildUnique(OnnxNode &node);
// OnnxOpsConstant.cpp
LogicalResult buildConstant(OnnxNode &node);
LogicalResult buildConstantOfShape(OnnxNode &node);
LogicalResult buildRange(OnnxNode &node);
LogicalResult buildShape(OnnxNode &node);
LogicalResult buildSize(OnnxNode &node);
// OnnxOpsControl.cpp
LogicalResult buildIf(OnnxNode &node);
LogicalResult buildLoop(OnnxNode &node);
LogicalResult buildScan(OnnxNode &node);
// OnnxOpsConv.cpp
LogicalResult buildCausalConv(OnnxNode &node);
LogicalResult buildConv(OnnxNode &node);
/// What Conv makes of its first three inputs.
Value convolutionOf(OnnxNode &node);
LogicalResult buildConvTranspose(OnnxNode &node);
// OnnxOpsData.cpp
LogicalResult buildCenterCropPad(OnnxNode &node);
LogicalResult buildConcat(OnnxNode &node);
LogicalResult buildExpand(OnnxNode &node);
LogicalResult buildGather(OnnxNode &node);
LogicalResult buildPad(OnnxNode &node);
LogicalResult buildMaxUnpool(OnnxNode &node);
LogicalResult buildSlice(OnnxNode &node);
LogicalResult buildSplit(OnnxNode &node);
LogicalResult buildTile(OnnxNode &node);
// OnnxOpsEinsum.cpp
LogicalResult buildEinsum(OnnxNode &node);
// OnnxOpsElementwise.cpp
LogicalResult buildActivation(OnnxNode &node);
LogicalResult buildBinary(OnnxNode &node);
LogicalResult buildBitCast(OnnxNode &node);
LogicalResult buildCast(OnnxNode &node);
LogicalResult buildCastLike(OnnxNode &node);
LogicalResult buildBitShift(OnnxNode &node);
LogicalResult buildCelu(OnnxNode &node);
LogicalResult buildClip(OnnxNode &node);
LogicalResult buildGelu(OnnxNode &node);
LogicalResult buildHardSwish(OnnxNode &node);
LogicalResult buildIsInf(OnnxNode &node);
LogicalResult buildIsNaN(OnnxNode &node);
LogicalResult buildMean(OnnxNode &node);
LogicalResult buildMish(OnnxNode &node);
LogicalResult buildMod(OnnxNode &node);
LogicalResult buildPRelu(OnnxNode &node);
LogicalResult buildPow(OnnxNode &node);
LogicalResult buildSelu(OnnxNode &node);
LogicalResult buildSign(OnnxNode &node);
LogicalResult buildShrink(OnnxNode &node);
LogicalResult buildSoftsign(OnnxNode &node);
LogicalResult buildSwiGlu(OnnxNode &node);
LogicalResult buildThresholdedRelu(OnnxNode &node);
LogicalResult buildUnary(OnnxNode &node);
LogicalResult buildVariadic(OnnxNode &node);
LogicalResult buildWhere(OnnxNode &node);
// OnnxOpsFusedAttention.cpp
LogicalResult buildFusedAttention(OnnxNode &node);
LogicalResult buildMultiHeadAttention(OnnxNode &node);
LogicalResult buildQAttention(OnnxNode &node);
// OnnxOpsGroupQuery.cpp
LogicalResult buildGroupQueryAttention(OnnxNode &node);
LogicalResult buildRuntimeRotaryEmbedding(OnnxNode &node);
// OnnxOpsHyperbolic.cpp
LogicalResult buildAcosh(OnnxNode &node);
LogicalResult buildAsinh(OnnxNode &node);
LogicalResult buildAtanh(OnnxNode &node);
LogicalResult buildCosh(OnnxNode &node);
LogicalResult buildSinh(OnnxNode &node);
// OnnxOpsIndex.cpp
LogicalResult buildArgReduce(OnnxNode &node);
LogicalResult buildCol2Im(OnnxNode &node);
LogicalResult buildCumulate(OnnxNode &node);
LogicalResult buildGatherElements(OnnxNode &node);
LogicalResult buildGatherND(OnnxNode &node);
LogicalResult buildHardmax(OnnxNode &node);
LogicalResult buildOneHot(OnnxNode &node);
LogicalResult buildReverseSequence(OnnxNode &node);
LogicalResult buildScatterElements(OnnxNode &node);
LogicalResult buildScatterND(OnnxNode &node);
LogicalResult buildTensorScatter(OnnxNode &node);
LogicalResult buildTopK(OnnxNode &node);
LogicalResult buildTrilu(OnnxNode &node);
// OnnxOpsLinearAttention.cpp
LogicalResult buildLinearAttention(OnnxNode &node);
// OnnxOpsLoss.cpp
LogicalResult buildNegativeLogLikelihoodLoss(OnnxNode &node);
LogicalResult buildSoftmaxCrossEntropyLoss(OnnxNode &node);
// OnnxOpsMatrix.cpp
LogicalResult buildDet(OnnxNode &node);
LogicalResult buildEyeLike(OnnxNode &node);
LogicalResult buildGemm(OnnxNode &node);
/// What Gemm makes of its first three inputs.
Value gemmOf(OnnxNode &node);
LogicalResult buildMatMul(OnnxNode &node);
/// A vector is a row on the left, a column on the right; its dimension is not
/// in the result.
Value productOf(OnnxNode &node, Value a, Value b);
LogicalResult buildSoftmax(OnnxNode &node);
/// `isFlat`: the dimensions from the axis on are one.
Value softmaxOf(OnnxNode &node, Value x, int64_t axis, bool isFlat, bool isLog);
// OnnxOpsBlocks.cpp
LogicalResult buildGatherBlockQuantized(OnnxNode &node);
LogicalResult buildMatMulNBits(OnnxNode &node);
// OnnxOpsMicrosoft.cpp
LogicalResult buildQGemm(OnnxNode &node);
LogicalResult buildQLinearBinary(OnnxNode &node);
LogicalResult buildQLinearConcat(OnnxNode &node);
LogicalResult buildQLinearGlobalPool(OnnxNode &node);
LogicalResult buildQLinearPool(OnnxNode &node);
LogicalResult buildQLinearSoftmax(OnnxNode &node);
LogicalResult buildQLinearUnary(OnnxNode &node);
LogicalResult buildQLinearWhere(OnnxNode &node);
// OnnxOpsNormalization.cpp
LogicalResult buildBatchNormalization(OnnxNode &node);
LogicalResult buildGroupNormalization(OnnxNode &node);
LogicalResult buildInstanceNormalization(OnnxNode &node);
LogicalResult buildLayerNormalization(OnnxNode &node);
LogicalResult buildLpNormalization(OnnxNode &node);
LogicalResult buildLrn(OnnxNode &node);
LogicalResult buildMeanVarianceNormalization(OnnxNode &node);
/// (x - mean) / deviation * scale + bias over the last dimension; bias may be
/// null, and data that are not centered have no mean.
Value normed(OnnxNode &node, Value x, Value scale, Value bias, double epsilon,
             bool isCentered);
// OnnxOpsPool.cpp
LogicalResult buildGlobalLpPool(OnnxNode &node);
LogicalResult buildGlobalPool(OnnxNode &node);
LogicalResult buildLpPool(OnnxNode &node);
LogicalResult buildPool(OnnxNode &node);
// OnnxOpsQuantize.cpp
LogicalResult buildConvInteger(OnnxNode &node);
LogicalResult buildDequantizeLinear(OnnxNode &node);
LogicalResult buildDynamicQuantizeLinear(OnnxNode &node);
LogicalResult buildDynamicQuantizeMatMul(OnnxNode &node);
LogicalResult buildMatMulInteger(OnnxNode &node);
LogicalResult buildMatMulIntegerToFloat(OnnxNode &node);
LogicalResult buildQLinearConv(OnnxNode &node);
LogicalResult buildQLinearMatMul(OnnxNode &node);
LogicalResult buildQuantizeLinear(OnnxNode &node);
// OnnxOpsRecurrent.cpp
LogicalResult buildGru(OnnxNode &node);
LogicalResult buildLstm(OnnxNode &node);
LogicalResult buildRnn(OnnxNode &node);
// OnnxOpsReduce.cpp
LogicalResult buildReduce(OnnxNode &node);
// OnnxOpsRegion.cpp
LogicalResult buildMaxRoiPool(OnnxNode &node);
LogicalResult buildRoiAlign(OnnxNode &node);
// OnnxOpsResize.cpp
LogicalResult buildResize(OnnxNode &node);
LogicalResult buildUpsample(OnnxNode &node);
// OnnxOpsSample.cpp
LogicalResult buildAffineGrid(OnnxNode &node);
LogicalResult buildDeformConv(OnnxNode &node);
LogicalResult buildGridSample(OnnxNode &node);
// OnnxOpsSignal.cpp
LogicalResult buildDft(OnnxNode &node);
LogicalResult buildMelWeightMatrix(OnnxNode &node);
LogicalResult buildStft(OnnxNode &node);
LogicalResult buildWindow(OnnxNode &node);
// OnnxOpsTfIdf.cpp
LogicalResult buildTfIdfVectorizer(OnnxNode &node);
// OnnxOpsTransformers.cpp
LogicalResult buildBiasGelu(OnnxNode &node);
LogicalResult buildEmbedLayerNormalization(OnnxNode &node);
LogicalResult buildFusedConv(OnnxNode &node);
LogicalResult buildFusedGemm(OnnxNode &node);
LogicalResult buildFusedMatMul(OnnxNode &node);
LogicalResult buildQuickGelu(OnnxNode &node);
LogicalResult buildSkipLayerNormalization(OnnxNode &node);
// OnnxOpsView.cpp
LogicalResult buildDepthToSpace(OnnxNode &node);
LogicalResult buildDropout(OnnxNode &node);
LogicalResult buildFlatten(OnnxNode &node);
LogicalResult buildIdentity(OnnxNode &node);
LogicalResult buildReshape(OnnxNode &node);
LogicalResult buildSpaceToDepth(OnnxNode &node);
LogicalResult buildSqueeze(OnnxNode &node);
LogicalResult buildTranspose(OnnxNode &node);
LogicalResult buildUnsqueeze(OnnxNode &node);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXOPS_H
