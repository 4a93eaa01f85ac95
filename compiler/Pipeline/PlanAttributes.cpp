// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/PlanAttributes.h"

#include "mlir/IR/Builders.h"

using namespace npu;
using mlir::NamedAttribute;

static constexpr StringRef kernelAttr = "npu.kernel";
static constexpr StringRef memoryAttr = "npu.memory";

namespace {

class PlanWriter {
public:
  explicit PlanWriter(MLIRContext *context) : builder(context) {}

  Attribute memoryOf(const ProgramPlan &program) {
    return builder.getDictionaryAttr(
        {number("arena", program.arenaBytes),
         number("weights", program.weights.bytes())});
  }

  Attribute of(const PlannedKernel &kernel) {
    SmallVector<Attribute> places;
    for (const Storage &operand : kernel.operands)
      places.push_back(builder.getDictionaryAttr(placeOf(operand)));
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(kernel.name)),
         builder.getNamedAttr("places", builder.getArrayAttr(places)),
         builder.getNamedAttr("tile", tileOf(kernel)),
         number("resident_bytes", kernel.residentBytes)});
  }

private:
  NamedAttribute number(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }

  /// {arena = 4096}, {weights = 0} or {made = 0}: an offset; {input = 0},
  /// {output = 1}: the model's.
  NamedAttribute placeOf(const Storage &storage) {
    static constexpr StringRef names[] = {"arena", "weights", "made", "input",
                                          "output"};
    return number(names[storage.place], storage.offset);
  }

  Attribute tileOf(const PlannedKernel &kernel) {
    const cost::Tiling &tiling = kernel.tiling;
    if (!cost::extentsOf(kernel.work))
      return builder.getDictionaryAttr(
          {number("buffers", tiling.buffers), number("pieces", tiling.pieces)});
    return builder.getDictionaryAttr(
        {number("buffers", tiling.buffers), number("m", tiling.m),
         number("k", tiling.k), number("n", tiling.n),
         number("count", tiling.count),
         builder.getNamedAttr(
             "stays", builder.getStringAttr(cost::nameOf(tiling.stays)))});
  }

  mlir::Builder builder;
};

} // namespace

void npu::attachPlan(mlir::func::FuncOp function, const ProgramPlan &program) {
  PlanWriter writer(function.getContext());
  function->setAttr(memoryAttr, writer.memoryOf(program));
  for (const PlannedKernel &kernel : program.kernels)
    kernel.op->setAttr(kernelAttr, writer.of(kernel));
}

void npu::forgetPlan(Operation *op) {
  op->removeAttr(memoryAttr);
  op->removeAttr(kernelAttr);
}
