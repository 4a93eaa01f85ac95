// SPDX-License-Identifier: Apache-2.0
//
// The fusion stage: its passes, the same work as functions, and their order.
#ifndef NPU_COMPILER_FUSION_PASSES_H
#define NPU_COMPILER_FUSION_PASSES_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Fusion/Precision.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace npu {

class TargetSpec;

// The passes, with `struct FuseOptions` (see Passes.td).
#define GEN_PASS_DECL
#include "compiler/Fusion/Passes.h.inc"

/// How many groups npu-fuse made.
struct FuseCounts {
  int64_t rooted = 0;
  int64_t chains = 0;
};

// Each pass as a function.
/// What is computed in these types is computed in f32.
void widenTypes(mlir::func::FuncOp function, ArrayRef<npu_dtype> types);
/// The same as a pass, of the target's `storage_types`; it must outlive it.
std::unique_ptr<mlir::Pass> createWidenTypes(const TargetSpec *target);
LogicalResult simplify(Operation *root);
LogicalResult sinkTransposes(Operation *root);
LogicalResult sinkReshapes(Operation *root);
/// For the orders that the target likes best; null: channels last.
LogicalResult splitProducts(Operation *root, const TargetSpec *target);
/// The same as a pass; the target must outlive it.
std::unique_ptr<mlir::Pass> createSplitProducts(const TargetSpec *target);
/// Also removes what nobody reads.
void shareEqual(Operation *root);
LogicalResult matchActivations(Operation *root);
LogicalResult matchNorms(Operation *root);
/// Attention that the target has a kernel for; null: all.
LogicalResult matchAttention(Operation *root, const TargetSpec *target);
/// The same as a pass where the target lists attention; it must outlive it.
std::unique_ptr<mlir::Pass> createMatchAttention(const TargetSpec *target);
LogicalResult matchDilations(Operation *root);
LogicalResult routeChannels(Operation *root);
LogicalResult matchColumns(Operation *root, const TargetSpec &target);
/// The same as a pass, where there is a target; it must outlive the pass.
std::unique_ptr<mlir::Pass> createMatchColumns(const TargetSpec *target);
LogicalResult foldPad(Operation *root);
LogicalResult foldScale(Operation *root);
LogicalResult mergeBranches(Operation *root, bool ownData = true);
LogicalResult sinkResizes(Operation *root);
LogicalResult mergeProducts(Operation *root);
LogicalResult foldRequantize(Operation *root);
/// In integers, whatever floats lie between them and quantized numbers.
LogicalResult requantizeIntegers(Operation *root);
/// The same as a pass where the target has no f32; it must outlive the pass.
std::unique_ptr<mlir::Pass> createRequantizeIntegers(const TargetSpec *target);
/// Inputs and outputs of real numbers that stand for quantized ones are these;
/// their attribute `quantizedAttr` has `scale` and `zero_point`.
void quantizedIo(mlir::func::FuncOp function);
void lowerQuantization(Operation *root);
inline constexpr const char *quantizedAttr = "npu.quantized";
/// Products of f32 are made of bf16 and summed in f32.
void lowerPrecision(mlir::func::FuncOp function);
/// The same as a pass, an error where the target has no bf16; it must outlive
/// the pass.
std::unique_ptr<mlir::Pass> createLowerPrecision(const TargetSpec *target);
/// Products with packed integers quantize their data, and sum integers.
void quantizeData(mlir::func::FuncOp function);
/// The same as a pass, an error where the target has no i8; it must outlive the
/// pass.
std::unique_ptr<mlir::Pass> createQuantizeData(const TargetSpec *target,
                                               bool asked);
/// Products of bytes that few rows of data were quantized to by their range
/// quantize the data.
LogicalResult matchRanges(Operation *root);
/// The same as a pass where the target lists quantized_rows; it must outlive
/// the pass.
std::unique_ptr<mlir::Pass> createMatchRanges(const TargetSpec *target);
/// Products that --precision changed.
int64_t countNarrowProducts(mlir::func::FuncOp function);
/// Bytes that sums are made of, without a sign.
LogicalResult unsignedBytes(Operation *root);
/// The same as a pass where the target has such bytes; it must outlive the
/// pass.
std::unique_ptr<mlir::Pass> createUnsignedBytes(const TargetSpec *target);
/// Marks what the target's fallback runs, and counts it. Fails with one error
/// for all ops that the target lacks, if it has none.
FailureOr<int64_t> placeOps(mlir::func::FuncOp function,
                            const TargetSpec &target);
/// The same as a pass; the target must outlive it.
std::unique_ptr<mlir::Pass> createPlaceOps(const TargetSpec *target);
/// Groups that the target has a kernel for; null: all.
FuseCounts fuse(mlir::func::FuncOp function, const TargetSpec *target);
/// The same as a pass; the target must outlive it.
std::unique_ptr<mlir::Pass> createFuse(const TargetSpec *target);

/// The stage in its order; also the pipeline "npu-fusion" of npu-opt.
void buildFusionPipeline(mlir::OpPassManager &manager,
                         const TargetSpec *target = nullptr,
                         Precision precision = Precision::F32);

/// Every pass of this folder and the pipeline.
void registerFusionPasses();

} // namespace npu

#endif // NPU_COMPILER_FUSION_PASSES_H
