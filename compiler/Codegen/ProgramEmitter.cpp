// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ProgramEmitter.h"

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

using namespace npu;
namespace LLVM = mlir::LLVM;

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

FailureOr<EmittedProgram> npu::emitProgram(MLIRContext *context,
                                           const ProgramPlan &plan) {
  Location unknown = mlir::UnknownLoc::get(context);
  EmittedProgram emitted;
  emitted.module = mlir::ModuleOp::create(unknown);
  OpBuilder builder = OpBuilder::atBlockEnd(emitted.module->getBody());
  llvm::StringMap<int32_t> written;
  for (const PlannedKernel &kernel : plan.kernels) {
    if (!kernel.generated) {
      emitted.bodyOf.push_back(EmittedProgram::library);
      continue;
    }
    auto [known, isNew] = written.try_emplace(
        codeKey(kernel), static_cast<int32_t>(emitted.generated.size()));
    if (isNew)
      emitted.generated.push_back(emitEltwise(builder, unknown, kernel.name,
                                              kernel.problem, kernel.splats));
    emitted.bodyOf.push_back(known->second);
  }
  if (failed(lower(*emitted.module)))
    return failure();
  return emitted;
}

void npu::registerCodegenDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
}
