// SPDX-License-Identifier: Apache-2.0
//
// npu_program as an LLVM global. Field for field program_format.h.
#include "compiler/Codegen/ProgramEmitter.h"
#include "compiler/Codegen/ProgramTables.h"
#include "compiler/Codegen/ProgramWriter.h"

#include "llvm/IR/Constants.h"

using namespace npu;

void npu::addProgramRoot(llvm::Module &module, const ProgramPlan &plan) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *byte = llvm::Type::getInt8Ty(context);
  auto number = [&](uint64_t value, unsigned bits) -> llvm::Constant * {
    return llvm::ConstantInt::get(llvm::IntegerType::get(context, bits), value);
  };
  auto table = [&](const char *name) -> llvm::Constant * {
    auto *global = new llvm::GlobalVariable(module, byte, /*isConstant=*/true,
                                            llvm::GlobalValue::ExternalLinkage,
                                            nullptr, name);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return global;
  };
  const ProgramTables tables = tablesOf(plan);
  llvm::Constant *weights = plan.weights.bytes()
                                ? table("npu_weights")
                                : llvm::ConstantPointerNull::get(pointer);
  llvm::Constant *fields[] = {
      llvm::ConstantDataArray::getString(context, NPU_PROGRAM_MAGIC, false),
      number(NPU_FORMAT_VERSION, 32),
      number(sizeof(npu_program), 32),
      table("npu_kernels"),
      table("npu_makers"),
      table("npu_attrs"),
      table("npu_tensors"),
      table("npu_instrs"),
      table("npu_inputs"),
      table("npu_outputs"),
      weights,
      number(plan.weights.bytes(), 64),
      number(plan.arenaBytes, 64),
      number(tables.kernels.size(), 32),
      number(tables.makers.size(), 32),
      number(tables.attrs.size(), 32),
      number(tables.tensors.size(), 32),
      number(tables.instrs.size(), 32),
      number(plan.inputs.size(), 32),
      number(plan.outputs.size(), 32),
      number(plan.states.size(), 32),
      module.getFunction(runSymbol)};
  auto *root = llvm::ConstantStruct::getAnon(context, fields);
  new llvm::GlobalVariable(module, root->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, root,
                           NPU_PROGRAM_SYMBOL);
}
