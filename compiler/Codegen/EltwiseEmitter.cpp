// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/EltwiseEmitter.h"

#include "compiler/Codegen/ScalarOps.h"
#include "kernels/tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace npu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;
using Builder = mlir::ImplicitLocOpBuilder;

/// Lanes of one step: 16 floats fill the widest registers and narrower ones
/// take them in parts.
static constexpr int64_t lanes = 16;
/// Elements below which a thread is not worth waking.
static constexpr int64_t leastElements = 8192;

/// Types of all numbered values of the problem: inputs, then instructions.
static SmallVector<int32_t> valueTypes(const kernels::Problem &problem) {
  SmallVector<int32_t> types;
  for (const npu_tensor_desc &input : problem.inputs)
    types.push_back(input.dtype);
  for (const npu_instr &instr : problem.instrs)
    types.push_back(instr.dtype);
  return types;
}

template <typename T>
static SmallVector<T> operandsOf(const npu_instr &instr, ArrayRef<T> values) {
  SmallVector<T> operands;
  for (int16_t index : {instr.a, instr.b, instr.c})
    if (index >= 0)
      operands.push_back(values[index]);
  return operands;
}

bool npu::canEmitEltwise(const kernels::Problem &problem) {
  if (problem.op != NPU_OP_ELTWISE || !makeLoopNest(problem))
    return false;
  SmallVector<int32_t> types = valueTypes(problem);
  return llvm::all_of(problem.instrs, [&](const npu_instr &instr) {
    return canEmitInstr(instr, operandsOf<int32_t>(instr, types));
  });
}

namespace {

/// Writes one function; its members are what the nested loops share.
class Emitter {
public:
  Emitter(Builder &builder, const kernels::Problem &problem,
          const LoopNest &nest, ArrayRef<std::optional<double>> splats)
      : b(builder), problem(problem), nest(nest), splats(splats),
        types(valueTypes(problem)) {}

  void emitBody(Value operands, Value begin, Value end);

private:
  Value index(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  }
  int32_t dtypeOf(size_t operand) const {
    return operand < problem.inputs.size() ? problem.inputs[operand].dtype
                                           : problem.outputs[0].dtype;
  }
  size_t resultIndex() const { return problem.inputs.size(); }
  int64_t innerStride(size_t operand) const {
    return nest.loops.back().strides[operand];
  }
  Type memory(size_t operand) {
    return memoryType(b.getContext(), dtypeOf(operand));
  }
  Value vectorOf(Value scalar) {
    auto type = mlir::VectorType::get({lanes}, scalar.getType());
    Value empty = LLVM::PoisonOp::create(b, type);
    Value one = LLVM::InsertElementOp::create(
        b, empty, scalar, LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0)));
    return LLVM::ShuffleVectorOp::create(b, one, empty,
                                         SmallVector<int32_t>(lanes, 0));
  }
  Value address(size_t operand, Value base, Value offset) {
    return LLVM::GEPOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                               memory(operand), base, ValueRange{offset});
  }

  void emitRow(ArrayRef<Value> bases, ArrayRef<Value> outer, Value low,
               Value high);
  void emitStep(ArrayRef<Value> bases, ArrayRef<Value> invariant, Value at,
                Value mask, Value padding);
  Value load(size_t operand, Value base, Value at, Value mask);
  Value laneNumbers();
  Value laneMask(ArrayRef<LoopNest::Padded> dims, ArrayRef<Value> outer,
                 Value at);
  Value rowExists(ArrayRef<Value> outer);
  Value place(int dim, ArrayRef<Value> outer);

  Builder &b;
  const kernels::Problem &problem;
  const LoopNest &nest;
  ArrayRef<std::optional<double>> splats;
  SmallVector<int32_t> types;
};

} // namespace

Value Emitter::laneNumbers() {
  SmallVector<int64_t> numbers = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  auto type = mlir::VectorType::get({lanes}, b.getI64Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
}

/// The logical index of dimension `dim` where the inner loop begins.
Value Emitter::place(int dim, ArrayRef<Value> outer) {
  Value number = index(0);
  for (auto [loop, position] : llvm::zip(nest.loops, outer))
    if (loop.dim == dim)
      number = arith::AddIOp::create(
          b, number,
          arith::MulIOp::create(b, position, index(loop.multiplier)));
  return number;
}

/// Lanes whose logical index lies inside these dimensions' extents; null if all
/// do.
Value Emitter::laneMask(ArrayRef<LoopNest::Padded> dims, ArrayRef<Value> outer,
                        Value at) {
  Value mask;
  for (const LoopNest::Padded &padded : dims) {
    Value number = vectorOf(place(padded.dim, outer));
    const Loop &inner = nest.loops.back();
    if (inner.dim == padded.dim) {
      Value lane = arith::AddIOp::create(b, laneNumbers(), vectorOf(at));
      number = arith::AddIOp::create(
          b, number,
          arith::MulIOp::create(b, lane, vectorOf(index(inner.multiplier))));
    }
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number,
                                         vectorOf(index(padded.extent)));
    mask = mask ? arith::AndIOp::create(b, mask, inside).getResult() : inside;
  }
  return mask;
}

/// Whether the result stores the first element of a row.
Value Emitter::rowExists(ArrayRef<Value> outer) {
  Value exists;
  for (const LoopNest::Padded &ragged : nest.ragged) {
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                              place(ragged.dim, outer), index(ragged.extent));
    exists =
        exists ? arith::AndIOp::create(b, exists, inside).getResult() : inside;
  }
  return exists;
}

/// Both of two masks, each of which may be null: of all lanes.
static Value bothOf(Builder &b, Value mask, Value other) {
  if (!mask || !other)
    return mask ? mask : other;
  return arith::AndIOp::create(b, mask, other);
}

/// `lanes` elements of an operand from the inner loop's position `at`; lanes
/// outside the mask are not read.
Value Emitter::load(size_t operand, Value base, Value at, Value mask) {
  auto type = mlir::VectorType::get({lanes}, memory(operand));
  int64_t stride = innerStride(operand);
  Value position = arith::MulIOp::create(b, at, index(stride));
  Value start = address(operand, base, position);
  unsigned bytes = kernels::dtypeBytes(dtypeOf(operand));
  Value value;
  Value zeros = mask ? constantLike(b, type, 0) : Value();
  if (stride == 1 && !mask)
    value = LLVM::LoadOp::create(b, type, start, bytes);
  else if (stride == 1)
    value = LLVM::MaskedLoadOp::create(b, type, start, mask, zeros, bytes);
  else {
    Value all = mask;
    if (!all)
      all = constantLike(b, mlir::VectorType::get({lanes}, b.getI1Type()), 1);
    Value offsets =
        arith::MulIOp::create(b, laneNumbers(), vectorOf(index(stride)));
    Value pointers = LLVM::GEPOp::create(
        b,
        mlir::VectorType::get({lanes},
                              LLVM::LLVMPointerType::get(b.getContext())),
        memory(operand), start, ValueRange{offsets});
    value = LLVM::masked_gather::create(b, type, pointers, all,
                                        constantLike(b, type, 0), bytes);
  }
  return fromMemory(b, value, dtypeOf(operand));
}

/// One step of the inner loop: loads, the chain, the store.
void Emitter::emitStep(ArrayRef<Value> bases, ArrayRef<Value> invariant,
                       Value at, Value mask, Value padding) {
  Value readable = bothOf(b, mask, padding);
  SmallVector<Value> values;
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    values.push_back(invariant[i] ? invariant[i]
                                  : load(i, bases[i], at, readable));
  for (const npu_instr &instr : problem.instrs)
    values.push_back(emitInstr(b, instr, operandsOf<Value>(instr, values),
                               operandsOf<int32_t>(instr, types)));
  size_t result = resultIndex();
  Value stored = toMemory(b, values.back(), dtypeOf(result));
  if (padding) // padding lanes are zero, whatever the chain makes of zero
    stored = arith::SelectOp::create(b, padding, stored,
                                     constantLike(b, stored.getType(), 0));
  unsigned bytes = kernels::dtypeBytes(dtypeOf(result));
  Value target = address(result, bases[result], at);
  if (mask)
    LLVM::MaskedStoreOp::create(b, stored, target, mask, bytes);
  else
    LLVM::StoreOp::create(b, stored, target, bytes);
}

/// The inner loop over [low, high): whole steps, then one masked step.
void Emitter::emitRow(ArrayRef<Value> bases, ArrayRef<Value> outer, Value low,
                      Value high) {
  SmallVector<Value> invariant(problem.inputs.size());
  auto vector = [&](Type type) { return mlir::VectorType::get({lanes}, type); };
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    if (splats[i]) {
      Type type = computeType(b.getContext(), dtypeOf(i));
      invariant[i] = constantLike(b, vector(type), *splats[i]);
    } else if (innerStride(i) == 0) {
      Value scalar = LLVM::LoadOp::create(b, memory(i), bases[i]);
      invariant[i] = fromMemory(b, vectorOf(scalar), dtypeOf(i));
    }
  }
  Value step = index(lanes);
  Value length = arith::SubIOp::create(b, high, low);
  Value whole =
      arith::MulIOp::create(b, arith::DivUIOp::create(b, length, step), step);
  Value middle = arith::AddIOp::create(b, low, whole);
  auto loop = scf::ForOp::create(b, low, middle, step);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar();
    emitStep(bases, invariant, at, laneMask(nest.ragged, outer, at),
             laneMask(nest.padded, outer, at));
  }
  Value rest = arith::SubIOp::create(b, high, middle);
  Value hasRest =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rest, index(0));
  auto branch = scf::IfOp::create(b, hasRest, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value mask = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                     laneNumbers(), vectorOf(rest));
  emitStep(bases, invariant, middle,
           bothOf(b, mask, laneMask(nest.ragged, outer, middle)),
           laneMask(nest.padded, outer, middle));
}

/// The rows [begin, end): each row's number gives its place in every outer
/// loop, that gives where each operand starts.
void Emitter::emitBody(Value operands, Value begin, Value end) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Value> bases;
  for (size_t i = 0; i <= problem.inputs.size(); ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, operands,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    bases.push_back(LLVM::LoadOp::create(b, pointer, slot));
  }
  if (nest.loops.size() == 1)
    return emitRow(bases, {}, begin, end);
  auto loop = scf::ForOp::create(b, begin, end, index(1));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ArrayRef<Loop> outerLoops = ArrayRef(nest.loops).drop_back();
  SmallVector<Value> positions(outerLoops.size());
  Value rest = loop.getInductionVar();
  for (size_t i = outerLoops.size(); i-- > 0;) {
    Value extent = index(outerLoops[i].extent);
    positions[i] =
        i == 0 ? rest : arith::RemUIOp::create(b, rest, extent).getResult();
    rest = arith::DivUIOp::create(b, rest, extent);
  }
  for (size_t operand = 0; operand < bases.size(); ++operand) {
    Value offset = index(0);
    for (auto [outer, position] : llvm::zip(outerLoops, positions))
      if (outer.strides[operand] != 0)
        offset = arith::AddIOp::create(
            b, offset,
            arith::MulIOp::create(b, position, index(outer.strides[operand])));
    bases[operand] = address(operand, bases[operand], offset);
  }
  if (Value exists = rowExists(positions)) {
    auto branch = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  emitRow(bases, positions, index(0), index(nest.loops.back().extent));
}

GeneratedKernel npu::emitEltwise(OpBuilder &builder, Location location,
                                 StringRef symbol,
                                 const kernels::Problem &problem,
                                 ArrayRef<std::optional<double>> splats) {
  LoopNest nest = *makeLoopNest(problem);
  Builder b(location, builder);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto function = mlir::func::FuncOp::create(
      b, symbol, b.getFunctionType({pointer, i64, i64}, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Emitter(b, problem, nest, splats)
      .emitBody(entry->getArgument(0), entry->getArgument(1),
                entry->getArgument(2));
  mlir::func::ReturnOp::create(b);
  int64_t inner = nest.loops.back().extent;
  if (nest.loops.size() == 1)
    return {symbol.str(), inner, leastElements};
  return {symbol.str(), nest.rows(),
          std::max<int64_t>(1, leastElements / inner)};
}
