// SPDX-License-Identifier: Apache-2.0
//
// The create functions of all implementations, for the lists in registry.cpp,
// and what composed kernels (adapters) need from the lists.
#ifndef NPU_KERNELS_REGISTRY_H
#define NPU_KERNELS_REGISTRY_H

#include "kernels/kernel.h"

namespace npu::kernels {

using Create = std::unique_ptr<Kernel>(const Problem &problem,
                                       std::string &whyNot);

/// Whether the processor multiplies in AMX's tiles and oneDNN, which asks the
/// system for them, uses them.
bool hasTiles();

Create createConvDepthwise, createConvIm2col, createConvShortIm2col,
    createConvSignal, createConvLanes, createConvOnednn, createConvLargePixels,
    createConvPixels, createConvReference;
Create createConvTransposeOnednn, createConvTransposeReference;
Create createConvBpwOnednn, createConvBpwReference;
Create createMaskunpoolFast, createMaskunpoolReference;
Create createTensornormFast, createTensornormReference;
Create createConvWinogradDirect, createConvWinogradFast,
    createConvWinogradReference;
Create createWinogradWeightFast;
Create createWinogradWeightReference;
Create createPoolKeepingNan, createPoolOnednn, createPoolRows, createPoolWhole;
Create createPoolReference;
Create createAttentionBlocks, createAttentionReference, createAttentionTiles;
Create createMatmulPacked, createMatmulQuantized, createMatmulRanged,
    createMatmulOnednn, createMatmulReference, createProductPanels;
Create createReduceExtremum, createReduceRows, createReduceOnednn,
    createReduceFast, createReduceReference;
Create createSoftmaxRows, createSoftmaxOnednn, createSoftmaxReference;
Create createResizeFast, createResizeOnednn, createResizeLinear;
Create createResizeReference;
Create createPoolIndicesReference;
Create createTopKFast, createTopKReference;
Create createCumulateFast, createCumulateReference;
Create createGatherFast, createGatherReference;
Create createGatherElementsFast, createGatherNdFast, createScatterElementsFast,
    createScatterNdFast, createIndexReference;
Create createPiecesFast, createPiecesReference;
Create createEltwiseReference;
Create createAdapter, createSplitDirect, createSplit, createStrips,
    createWidened;

/// A kernel of the op's direct implementations: no adapter, no split, no
/// reference.
Create createDirect;

/// The same where it reads the operands as they are, and may keep what a
/// constant among them is made of.
Create createSameOperands;

Create createCustomReference;

/// The first kernel of the problem's plugins that takes it; null: none does.
std::unique_ptr<Kernel> createOfPlugins(const Problem &problem,
                                        std::string &refusals);

/// `kernel`, which takes `inside`, for a problem whose operands are stored in
/// other orders. What is constant in both is stored alike.
std::unique_ptr<Kernel> adaptTo(const Problem &problem, const Problem &inside,
                                std::unique_ptr<Kernel> kernel);

/// Kernels whose last preparation (code generation) is put off until they are
/// going to run, so that a query stays cheap.
class PreparedKernel : public Kernel {
public:
  /// Empty, or why the kernel cannot run. May be called again.
  virtual std::string prepare() = 0;
};

/// A kernel around another one, for which it answers.
class ComposedKernel : public PreparedKernel {
public:
  explicit ComposedKernel(std::unique_ptr<Kernel> kernel)
      : inner(std::move(kernel)) {}
  std::string implementation() const override {
    return inner->implementation();
  }
  bool isSlow() const override { return inner->isSlow(); }
  const plugin::Plugin *plugin() const override { return inner->plugin(); }
  size_t scratchBytes() const override { return inner->scratchBytes(); }
  size_t adapterBytes() const override { return inner->adapterBytes(); }
  bool losesNan() const override { return inner->losesNan(); }
  size_t pack(const void *const *operands) override {
    return inner->pack(operands);
  }
  bool readsNarrow() const override { return inner->readsNarrow(); }
  bool isPacked(size_t input) const override { return inner->isPacked(input); }
  std::string prepare() override {
    auto *prepared = dynamic_cast<PreparedKernel *>(inner.get());
    return prepared ? prepared->prepare() : "";
  }

protected:
  std::unique_ptr<Kernel> inner;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_REGISTRY_H
