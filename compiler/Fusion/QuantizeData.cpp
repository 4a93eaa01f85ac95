// SPDX-License-Identifier: Apache-2.0
//
// npu-quantize-data: products of f32 data with packed integers quantize their
// data as the program runs, and sum integers. Where a model asks for it
// itself, targets without bytes compute in floats.
//
// It ends: it looks once at each product.
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "kernels/matmul/quantized_rows.h"

using namespace npu;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_QUANTIZEDATA
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Each number is read and rounded once, so that many products have to be made
/// of it.
static constexpr double leastProducts = 64;

/// Neighbours of a row that have a scale: few large numbers among them make
/// the others coarse.
static constexpr int64_t group = 32;

static bool isWorthwhile(MatmulOp op) {
  const auto numbers =
      static_cast<double>(tensorType(op.getA()).getNumElements());
  return numbers > 0 && workOf(op).macs() >= leastProducts * numbers;
}

/// The neighbours that have a scale; 0: the data stays as it is.
static int64_t groupFor(MatmulOp op) {
  const int64_t depth = shapeOf(op.getA()).back();
  const auto block = static_cast<int64_t>(op.getBlock());
  if (!op.isPacked() || !tensorType(op.getB()).getElementType().isInteger(8) ||
      !llvm::all_of(op->getOperands().drop_front(), constantOf) ||
      depth > kernels::deepestSum || !isWorthwhile(op))
    return 0;
  if (block == 0 || block >= depth || block % group == 0)
    return group;
  return block % kernels::bytesTogether == 0 ? block : 0;
}

/// What the model lets be rounded does not have to be.
static void keepFloats(mlir::func::FuncOp function) {
  function.walk([](MatmulOp op) {
    if (static_cast<int64_t>(op.getQuantize()) > 0)
      op.setQuantize(0);
  });
}

namespace {

struct QuantizeDataPass
    : PassOfTarget<npu::impl::QuantizeDataBase<QuantizeDataPass>> {
  using PassOfTarget::PassOfTarget;
  QuantizeDataPass(const TargetSpec *given, bool asked) : PassOfTarget(given) {
    this->asked = asked;
  }

  void runOnOperation() override {
    const TargetSpec *chip = spec.get();
    const bool hasBytes =
        !chip || chip->supports(mlir::IntegerType::get(&getContext(), 8));
    if (asked && !hasBytes)
      keepFloats(getOperation());
    if (asked)
      return;
    if (hasBytes)
      return quantizeData(getOperation());
    getOperation().emitError()
        << "--precision=i8: target '" << chip->name
        << "' has no i8 in its `types`; add it there, or leave the option out";
    signalPassFailure();
  }
};

} // namespace

void npu::quantizeData(mlir::func::FuncOp function) {
  function.walk([](MatmulOp op) {
    if (op.getQuantize() != 0)
      return;
    if (int64_t found = groupFor(op))
      op.setQuantize(found);
  });
}

std::unique_ptr<mlir::Pass> npu::createQuantizeData(const TargetSpec *target,
                                                    bool asked) {
  return std::make_unique<QuantizeDataPass>(target, asked);
}
