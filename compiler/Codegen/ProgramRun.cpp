// SPDX-License-Identifier: Apache-2.0
//
// npu_run as LLVM IR: one loop over the kernels, which reads from tables where
// each operand lies and what computes. Straight code for each kernel would take
// the machine code's passes most of the time that a large network compiles in.
#include "compiler/Codegen/ProgramEmitter.h"
#include "compiler/Codegen/ProgramWriter.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

#include <cstddef>

using namespace npu;
using llvm::BasicBlock;
using llvm::ConstantDataArray;
using llvm::GlobalVariable;

namespace {
class RunBuilder {
public:
  RunBuilder(llvm::Module &module, const ProgramPlan &plan,
             const EmittedProgram &emitted)
      : module(module), plan(plan), emitted(emitted), b(module.getContext()),
        pointer(b.getPtrTy()) {}

  void build();

private:
  GlobalVariable *table(const char *name, llvm::Constant *rows);
  void makeTables();
  void readFrame();
  llvm::Value *field(llvm::Value *base, size_t offset) {
    return b.CreateLoad(pointer,
                        b.CreateConstGEP1_64(b.getInt8Ty(), base, offset));
  }
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  }
  llvm::Value *entryOf(GlobalVariable *table, llvm::Type *type,
                       llvm::Value *index) {
    return b.CreateLoad(type, b.CreateGEP(type, table, index));
  }
  void resolveOperands(llvm::Value *index);
  llvm::Value *callKernel(llvm::Value *index);
  llvm::Value *callLibrary(llvm::Value *index);
  llvm::Value *callGenerated(llvm::Value *index, llvm::Value *body);

  llvm::Module &module;
  const ProgramPlan &plan;
  const EmittedProgram &emitted;
  llvm::IRBuilder<> b;
  llvm::PointerType *pointer;
  llvm::Function *function = nullptr;
  llvm::StructType *bodyType = nullptr;
  GlobalVariable *operands = nullptr, *firstOperand = nullptr,
                 *bodies = nullptr, *bodyOf = nullptr;
  llvm::Value *imports = nullptr, *exec = nullptr, *bases = nullptr,
              *slots = nullptr;
};
} // namespace

GlobalVariable *RunBuilder::table(const char *name, llvm::Constant *rows) {
  return new GlobalVariable(module, rows->getType(), /*isConstant=*/true,
                            llvm::GlobalValue::InternalLinkage, rows, name);
}

/// An operand is 8 x its offset in bytes + its place; places are numbered as
/// `bases` are filled.
void RunBuilder::makeTables() {
  SmallVector<uint64_t> places;
  SmallVector<uint32_t> firsts = {0};
  for (const PlannedKernel &kernel : plan.kernels) {
    for (const Storage &storage : kernel.operands) {
      bool isPointer =
          storage.place == Storage::Input || storage.place == Storage::Output;
      auto offset = static_cast<uint64_t>(storage.offset);
      places.push_back(8 * (isPointer ? offset * sizeof(void *) : offset) +
                       storage.place);
    }
    firsts.push_back(static_cast<uint32_t>(places.size()));
  }
  llvm::LLVMContext &context = module.getContext();
  operands = table("npu_run_operands", ConstantDataArray::get(context, places));
  firstOperand =
      table("npu_run_first_operand", ConstantDataArray::get(context, firsts));
  bodyOf = table("npu_run_body_of",
                 ConstantDataArray::get(context, ArrayRef(emitted.bodyOf)));
  bodyType = llvm::StructType::get(pointer, b.getInt64Ty(), b.getInt64Ty());
  SmallVector<llvm::Constant *> rows;
  for (const GeneratedKernel &kernel : emitted.generated)
    rows.push_back(llvm::ConstantStruct::get(
        bodyType, module.getFunction(kernel.symbol), b.getInt64(kernel.count),
        b.getInt64(kernel.grain)));
  bodies = table("npu_run_bodies",
                 llvm::ConstantArray::get(
                     llvm::ArrayType::get(bodyType, rows.size()), rows));
}

void RunBuilder::readFrame() {
  llvm::Value *frame = function->getArg(0);
  imports = field(frame, offsetof(npu_frame, imports));
  exec = field(frame, offsetof(npu_frame, exec));
  static_assert(Storage::Arena == 0 && Storage::Weights == 1 &&
                Storage::Made == 2 && Storage::Input == 3 &&
                Storage::Output == 4);
  const size_t offsets[] = {
      offsetof(npu_frame, arena), offsetof(npu_frame, weights),
      offsetof(npu_frame, made), offsetof(npu_frame, inputs),
      offsetof(npu_frame, outputs)};
  bases = b.CreateAlloca(pointer, b.getInt32(std::size(offsets)));
  for (auto [place, offset] : llvm::enumerate(offsets))
    b.CreateStore(field(frame, offset),
                  b.CreateConstGEP1_32(pointer, bases, place));
  size_t most = 1;
  for (const PlannedKernel &kernel : plan.kernels)
    most = std::max(most, kernel.operands.size());
  slots = b.CreateAlloca(pointer, b.getInt32(most));
}

/// Fills the slots with the kernel's operands: of the arena and constants an
/// address, of inputs and outputs what lies there.
void RunBuilder::resolveOperands(llvm::Value *index) {
  llvm::Type *i64 = b.getInt64Ty();
  llvm::Value *first =
      b.CreateZExt(entryOf(firstOperand, b.getInt32Ty(), index), i64);
  llvm::Value *last = b.CreateZExt(
      entryOf(firstOperand, b.getInt32Ty(), b.CreateAdd(index, b.getInt32(1))),
      i64);
  BasicBlock *before = b.GetInsertBlock(), *next = block("operand"),
             *given = block("given"), *resolved = block("resolved"),
             *done = block("done");
  b.CreateBr(next); // each kernel has a result
  b.SetInsertPoint(next);
  llvm::PHINode *number = b.CreatePHI(i64, 2);
  llvm::Value *row = entryOf(operands, i64, number);
  llvm::Value *place = b.CreateAnd(row, b.getInt64(7));
  llvm::Value *address = b.CreateGEP(
      b.getInt8Ty(), b.CreateLoad(pointer, b.CreateGEP(pointer, bases, place)),
      b.CreateLShr(row, b.getInt64(3)));
  b.CreateCondBr(b.CreateICmpUGE(place, b.getInt64(Storage::Input)), given,
                 resolved);
  b.SetInsertPoint(given);
  llvm::Value *buffer = b.CreateLoad(pointer, address);
  b.CreateBr(resolved);
  b.SetInsertPoint(resolved);
  llvm::PHINode *operand = b.CreatePHI(pointer, 2);
  operand->addIncoming(address, next);
  operand->addIncoming(buffer, given);
  b.CreateStore(operand,
                b.CreateGEP(pointer, slots, b.CreateSub(number, first)));
  llvm::Value *following = b.CreateAdd(number, b.getInt64(1));
  number->addIncoming(first, before);
  number->addIncoming(following, resolved);
  b.CreateCondBr(b.CreateICmpULT(following, last), next, done);
  b.SetInsertPoint(done);
}

llvm::Value *RunBuilder::callLibrary(llvm::Value *index) {
  auto *type = llvm::FunctionType::get(
      b.getInt32Ty(), {pointer, b.getInt32Ty(), pointer}, false);
  return b.CreateCall(type, field(imports, offsetof(npu_imports, call_kernel)),
                      {exec, index, slots});
}

llvm::Value *RunBuilder::callGenerated(llvm::Value *index, llvm::Value *body) {
  auto *type = llvm::FunctionType::get(b.getInt32Ty(),
                                       {pointer, b.getInt32Ty(), b.getInt64Ty(),
                                        b.getInt64Ty(), pointer, pointer},
                                       false);
  llvm::Value *row = b.CreateGEP(bodyType, bodies, body);
  auto part = [&](unsigned number) {
    return b.CreateLoad(bodyType->getElementType(number),
                        b.CreateStructGEP(bodyType, row, number));
  };
  return b.CreateCall(type, field(imports, offsetof(npu_imports, parallel_for)),
                      {exec, index, part(1), part(2), part(0), slots});
}

/// Its status.
llvm::Value *RunBuilder::callKernel(llvm::Value *index) {
  llvm::Value *body = entryOf(bodyOf, b.getInt32Ty(), index);
  BasicBlock *library = block("library"), *own = block("own"),
             *called = block("called");
  b.CreateCondBr(b.CreateICmpSLT(body, b.getInt32(0)), library, own);
  b.SetInsertPoint(library);
  llvm::Value *ofLibrary = callLibrary(index);
  b.CreateBr(called);
  b.SetInsertPoint(own);
  llvm::Value *ofOwn = callGenerated(index, body);
  b.CreateBr(called);
  b.SetInsertPoint(called);
  llvm::PHINode *status = b.CreatePHI(b.getInt32Ty(), 2);
  status->addIncoming(ofLibrary, library);
  status->addIncoming(ofOwn, own);
  return status;
}

void RunBuilder::build() {
  function = llvm::Function::Create(
      llvm::FunctionType::get(b.getInt32Ty(), {pointer}, false),
      llvm::GlobalValue::ExternalLinkage, runSymbol, module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->addFnAttr("no-builtins");
  function->addFnAttr(llvm::Attribute::NoUnwind);
  BasicBlock *entry = block("entry");
  b.SetInsertPoint(entry);
  if (plan.kernels.empty()) {
    b.CreateRet(b.getInt32(0));
    return;
  }
  makeTables();
  readFrame();
  BasicBlock *next = block("kernel");
  b.CreateBr(next);
  b.SetInsertPoint(next);
  llvm::PHINode *index = b.CreatePHI(b.getInt32Ty(), 2);
  resolveOperands(index);
  llvm::Value *status = callKernel(index);
  llvm::Value *following = b.CreateAdd(index, b.getInt32(1));
  BasicBlock *last = b.GetInsertBlock();
  index->addIncoming(b.getInt32(0), entry);
  index->addIncoming(following, last);
  // A status other than 0 leaves at once.
  llvm::Value *isLast = b.CreateICmpEQ(
      following, b.getInt32(static_cast<uint32_t>(plan.kernels.size())));
  llvm::Value *failed = b.CreateICmpNE(status, b.getInt32(0));
  BasicBlock *leave = block("leave");
  b.CreateCondBr(b.CreateOr(failed, isLast), leave, next);
  b.SetInsertPoint(leave);
  b.CreateRet(status);
}

void npu::addProgramRun(llvm::Module &module, const ProgramPlan &plan,
                        const EmittedProgram &emitted) {
  RunBuilder(module, plan, emitted).build();
}
