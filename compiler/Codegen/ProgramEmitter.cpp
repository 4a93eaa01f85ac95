// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ProgramEmitter.h"

#include "compiler/Codegen/EltwiseEmitter.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"

#include <cstddef>

using namespace npu;
namespace LLVM = mlir::LLVM;
namespace func = mlir::func;
using Builder = mlir::ImplicitLocOpBuilder;

namespace {

/// Writes npu_run.
class RunEmitter {
public:
  RunEmitter(Builder &builder, const ProgramPlan &plan)
      : b(builder), plan(plan),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  void emit(ArrayRef<GeneratedKernel> generated);

private:
  Value constant(int64_t value, unsigned bits) {
    return LLVM::ConstantOp::create(
        b, b.getIntegerType(bits),
        b.getIntegerAttr(b.getIntegerType(bits), value));
  }
  Value at(Value base, int64_t bytes) {
    return bytes == 0 ? base
                      : LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                                            ValueRange{constant(bytes, 64)})
                            .getResult();
  }
  /// Reads the pointer field at a byte offset.
  Value field(Value base, size_t offset) {
    return LLVM::LoadOp::create(b, pointer, at(base, offset));
  }
  Value addressOf(const Storage &storage);
  Value callKernel(size_t index, const GeneratedKernel *generated);
  Value callPart(size_t index);
  void readFrame(size_t mostOperands);
  void emitFunction(StringRef symbol, LLVM::Linkage linkage, size_t steps,
                    llvm::function_ref<void()> prepare,
                    llvm::function_ref<Value(size_t)> step);

  Builder &b;
  const ProgramPlan &plan;
  Type pointer;
  Value frame, imports, exec, arena, weights, inputs, outputs, slots;
};

} // namespace

Value RunEmitter::addressOf(const Storage &storage) {
  switch (storage.place) {
  case Storage::Arena:
    return at(arena, storage.offset);
  case Storage::Weights:
    return at(weights, storage.offset);
  case Storage::Input:
    return field(inputs, storage.offset * sizeof(void *));
  case Storage::Output:
    return field(outputs, storage.offset * sizeof(void *));
  }
  llvm_unreachable("every place is handled above");
}

/// The call of one kernel; returns its status.
Value RunEmitter::callKernel(size_t index, const GeneratedKernel *generated) {
  for (auto [slot, storage] : llvm::enumerate(plan.kernels[index].operands))
    LLVM::StoreOp::create(b, addressOf(storage),
                          at(slots, slot * sizeof(void *)));
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  if (!generated) {
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i32, pointer});
    Value callee = field(imports, offsetof(npu_imports, call_kernel));
    return LLVM::CallOp::create(
               b, type, ValueRange{callee, exec, constant(index, 32), slots})
        .getResult();
  }
  auto type = LLVM::LLVMFunctionType::get(
      i32, {pointer, i32, i64, i64, pointer, pointer});
  Value callee = field(imports, offsetof(npu_imports, parallel_for));
  Value body = LLVM::AddressOfOp::create(b, pointer, generated->symbol);
  return LLVM::CallOp::create(b, type,
                              ValueRange{callee, exec, constant(index, 32),
                                         constant(generated->count, 64),
                                         constant(generated->grain, 64), body,
                                         slots})
      .getResult();
}

static std::string partSymbol(size_t index) {
  return (runSymbol + "_part" + llvm::Twine(index)).str();
}

Value RunEmitter::callPart(size_t index) {
  return LLVM::CallOp::create(b, b.getI32Type(), partSymbol(index), frame)
      .getResult();
}

void RunEmitter::readFrame(size_t mostOperands) {
  imports = field(frame, offsetof(npu_frame, imports));
  exec = field(frame, offsetof(npu_frame, exec));
  arena = field(frame, offsetof(npu_frame, arena));
  weights = field(frame, offsetof(npu_frame, weights));
  inputs = field(frame, offsetof(npu_frame, inputs));
  outputs = field(frame, offsetof(npu_frame, outputs));
  slots = LLVM::AllocaOp::create(
      b, pointer, pointer, constant(static_cast<int64_t>(mostOperands), 64));
}

/// One block for each step; a status other than 0 leaves at once.
void RunEmitter::emitFunction(StringRef symbol, LLVM::Linkage linkage,
                              size_t steps, llvm::function_ref<void()> prepare,
                              llvm::function_ref<Value(size_t)> step) {
  OpBuilder::InsertionGuard guard(b);
  Type i32 = b.getI32Type();
  auto function = LLVM::LLVMFuncOp::create(
      b, symbol, LLVM::LLVMFunctionType::get(i32, {pointer}), linkage);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  frame = entry->getArgument(0);
  prepare();
  Block *leave = b.createBlock(&function.getBody(), function.getBody().end(),
                               {i32}, {b.getLoc()});
  LLVM::ReturnOp::create(b, leave->getArgument(0));
  b.setInsertionPointToEnd(entry);
  for (size_t index = 0; index < steps; ++index) {
    Value status = step(index);
    Value failed = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, status,
                                        constant(0, 32));
    Block *following = b.createBlock(leave);
    b.setInsertionPointToEnd(following->getPrevNode());
    LLVM::CondBrOp::create(b, failed, leave, ValueRange{status}, following,
                           ValueRange{});
    b.setInsertionPointToEnd(following);
  }
  LLVM::BrOp::create(b, ValueRange{constant(0, 32)}, leave);
}

void RunEmitter::emit(ArrayRef<GeneratedKernel> generated) {
  // Registers are allocated for a whole function at once, in more than linear
  // time: beyond so many kernels there are several functions.
  constexpr size_t kernelsOfPart = 256;
  const size_t kernels = plan.kernels.size();
  const size_t parts = (kernels + kernelsOfPart - 1) / kernelsOfPart;
  size_t most = 1;
  for (const PlannedKernel &kernel : plan.kernels)
    most = std::max(most, kernel.operands.size());
  const GeneratedKernel *next = generated.begin();
  auto emitKernels = [&](StringRef symbol, LLVM::Linkage linkage, size_t first,
                         size_t last) {
    emitFunction(
        symbol, linkage, last - first, [&] { readFrame(most); },
        [&](size_t step) {
          const PlannedKernel &kernel = plan.kernels[first + step];
          return callKernel(first + step, kernel.generated ? next++ : nullptr);
        });
  };
  if (parts <= 1)
    return emitKernels(runSymbol, LLVM::Linkage::External, 0, kernels);
  for (size_t part = 0; part < parts; ++part)
    emitKernels(partSymbol(part), LLVM::Linkage::Internal, part * kernelsOfPart,
                std::min(kernels, (part + 1) * kernelsOfPart));
  emitFunction(
      runSymbol, LLVM::Linkage::External, parts, [] {},
      [&](size_t part) { return callPart(part); });
}

static LogicalResult lower(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  manager.addPass(mlir::createSCFToControlFlowPass());
  manager.addPass(mlir::createConvertVectorToLLVMPass());
  manager.addPass(mlir::createConvertMathToLLVMPass());
  manager.addPass(mlir::createArithToLLVMConversionPass());
  manager.addPass(mlir::createConvertControlFlowToLLVMPass());
  manager.addPass(mlir::createConvertFuncToLLVMPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  return manager.run(module);
}

/// Equal for generated kernels of the same code, which share one function. An
/// operand's address is not in the code, so neither is what decides on it.
static std::string codeKey(const PlannedKernel &kernel) {
  kernels::Problem problem = kernel.problem;
  problem.inPlaceInput = -1;
  for (npu_tensor_desc &input : problem.inputs)
    input.weights_offset = -1;
  std::string key = kernels::keyOf(problem);
  for (std::optional<double> splat : kernel.splats) {
    double value = splat.value_or(0);
    key += splat ? 'c' : 'v'; // a constant in the code, or a value
    key.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  return key;
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
npu::emitProgram(MLIRContext *context, const ProgramPlan &plan) {
  Location unknown = mlir::UnknownLoc::get(context);
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(unknown));
  OpBuilder builder(context);
  SmallVector<GeneratedKernel> generated;
  llvm::StringMap<GeneratedKernel> written;
  for (const PlannedKernel &kernel : plan.kernels) {
    if (!kernel.generated)
      continue;
    auto [known, isNew] = written.try_emplace(codeKey(kernel));
    if (isNew) {
      builder.setInsertionPointToEnd(module->getBody());
      known->second = emitEltwise(builder, unknown, kernel.name, kernel.problem,
                                  kernel.splats);
    }
    generated.push_back(known->second);
  }
  // npu_run takes the address of the kernels, which must be LLVM functions
  // by then.
  if (failed(lower(*module)))
    return failure();
  Builder b = Builder::atBlockEnd(unknown, module->getBody());
  RunEmitter(b, plan).emit(generated);
  return module;
}

void npu::registerCodegenDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
}
