// SPDX-License-Identifier: Apache-2.0
//
// npu-lower-quantization: ops that several elementwise functions stand for
// become these, which npu-fuse puts into kernels.
//
// It ends: a walk over the ops.
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include "llvm/ADT/SetVector.h"

using namespace npu;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_LOWERQUANTIZATION
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// Steps in front of an op, in its place in the model.
struct StepsInFront : StepBuilder {
  explicit StepsInFront(Operation *op) : builder(op), location(op->getLoc()) {}

  Value step(npu_instr_kind kind, ArrayRef<Value> operands, double alpha,
             double beta) override {
    // The op's verifier has seen to it that shapes broadcast.
    return *makeEltwise(builder, location, kind, operands,
                        static_cast<float>(alpha), static_cast<float>(beta));
  }
  Value cast(Value value, Type element) override {
    return makeCast(builder, location, value, element);
  }
  Value constant(ElementsAttr elements) override {
    return ConstantOp::create(builder, location, elements.getType(), elements);
  }

  OpBuilder builder;
  Location location;
};

struct LowerQuantizationPass
    : npu::impl::LowerQuantizationBase<LowerQuantizationPass> {
  void runOnOperation() override { lowerQuantization(getOperation()); }
};

} // namespace

void npu::lowerQuantization(Operation *root) {
  root->walk([](StepsOpInterface op) {
    StepsInFront steps(op);
    op->getResult(0).replaceAllUsesWith(op.makeSteps(steps));
    llvm::SmallSetVector<Operation *, 4> read;
    for (Value operand : op->getOperands())
      if (auto constant = operand.getDefiningOp<ConstantOp>())
        read.insert(constant);
    op->erase();
    for (Operation *constant : read)
      if (constant->use_empty())
        constant->erase();
  });
}
