// SPDX-License-Identifier: Apache-2.0
//
// The walk over the function.
#include "compiler/Frontend/TOSA/TosaImporter.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/FoldMemo.h"
#include "compiler/Frontend/Support/MainFunction.h"
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Frontend/TOSA/TosaBoundary.h"
#include "compiler/Frontend/TOSA/TosaConstants.h"
#include "compiler/Frontend/TOSA/TosaOps.h"
#include "compiler/Support/Budget.h"
#include "kernels/tensor.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <map>

using namespace npu;
using mlir::emitError;
using mlir::func::FuncOp;
using mlir::func::ReturnOp;
namespace tosa = mlir::tosa;

namespace {

class Importer {
public:
  Importer(OpBuilder &builder, Location file) : builder(builder), file(file) {}

  LogicalResult importBody(FuncOp source, FuncOp function,
                           ArrayRef<GraphInput> inputs);

private:
  LogicalResult importOp(Operation &op);
  LogicalResult importConstant(tosa::ConstOp op);
  void importInputs(FuncOp source, FuncOp function,
                    ArrayRef<GraphInput> inputs);
  LogicalResult importOutputs(FuncOp source, FuncOp function);
  Location locationOf(Operation &op);

  OpBuilder &builder;
  Location file;
  TosaValues values;
  BudgetUse budget;
  FoldMemo folds;
  size_t position = 0; // in the function, for ops without a name
};

} // namespace

void npu::registerTosaDialects(mlir::DialectRegistry &registry) {
  registry.insert<tosa::TosaDialect, mlir::func::FuncDialect>();
}

bool npu::isTosa(mlir::ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return mlir::isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The name that the file gives an op. A converter lists the names of all nodes
/// that became one, the result's first.
static std::string nameOf(Location location, size_t position) {
  if (auto fused = dyn_cast<mlir::FusedLoc>(location);
      fused && !fused.getLocations().empty())
    return nameOf(fused.getLocations().front(), position);
  if (auto named = dyn_cast<mlir::NameLoc>(location))
    return named.getName().getValue().split(';').first.str();
  auto line = dyn_cast<mlir::FileLineColLoc>(location);
  if (line && line.getLine() > 0)
    return "line " + std::to_string(line.getLine());
  return "#" + std::to_string(position);
}

Location Importer::locationOf(Operation &op) {
  StringRef kind = op.getName().getStringRef();
  kind.consume_front("tosa.");
  return nodeLocation(file, kind, nameOf(op.getLoc(), position));
}

LogicalResult Importer::importConstant(tosa::ConstOp op) {
  Emitter emitter(builder, locationOf(*op));
  FailureOr<ElementsAttr> elements = dialectElements(emitter, op.getValues());
  if (failed(elements))
    return failure();
  budget.noteModel(kernels::storedBytes(
      describeTensor(cast<RankedTensorType>(elements->getType()))));
  values.tensors[op.getResult()] = emitter.constant(*elements);
  return success();
}

LogicalResult Importer::importOp(Operation &op) {
  ++position;
  if (auto constant = dyn_cast<tosa::ConstOp>(op))
    return importConstant(constant);
  if (auto shape = dyn_cast<tosa::ConstShapeOp>(op)) {
    Ints &numbers = values.shapes[shape.getResult()];
    for (const llvm::APInt &number : shape.getValues().getValues<llvm::APInt>())
      numbers.push_back(number.getSExtValue());
    return success();
  }
  const TosaOp &row = *lookupTosaOp(op.getName().getStringRef());
  TosaNode node(builder, locationOf(op), &op, row, values);
  budget.beginNode();
  for (Type type : op.getResultTypes())
    if (!dialectElement(mlir::getElementTypeOrSelf(type)))
      return node.unsupported(
          "gives " + typeText(type) +
          ", which no value of npuc can be; expected f32, f16, "
          "bf16, i8, i16, i32, i64 or i1");
  if (failed(row.build(node)) || node.hasFailed())
    return failure();
  for (auto [result, value] : llvm::zip(op.getResults(), node.getResults()))
    values.tensors[result] = value;
  return success();
}

LogicalResult Importer::importOutputs(FuncOp source, FuncOp function) {
  Operation *end = source.getBody().front().getTerminator();
  SmallVector<Value> outputs;
  for (auto [i, operand] : llvm::enumerate(end->getOperands())) {
    Value value = values.tensors.lookup(operand);
    if (!value || failed(checkBoundaryType(file, "output " + Twine(i),
                                           operand.getType())))
      return value ? failure()
                   : emitUnsupported(file) << "output " << i << " is no tensor";
    Type element = mlir::getElementTypeOrSelf(operand.getType());
    outputs.push_back(Emitter(builder, file).cast(value, element));
  }
  if (outputs.empty())
    return emitError(file) << "has no outputs, expected one or more";
  returnOutputs(builder, function, outputs, outputNames(source));
  return success();
}

/// i16 is i32 inside the graph.
void Importer::importInputs(FuncOp source, FuncOp function,
                            ArrayRef<GraphInput> inputs) {
  for (auto [argument, value] :
       llvm::zip(source.getArguments(), inputValues(builder, function, inputs)))
    values.tensors[argument] =
        Emitter(builder, file).cast(value, dialectElement(elementOf(value)));
}

LogicalResult Importer::importBody(FuncOp source, FuncOp function,
                                   ArrayRef<GraphInput> inputs) {
  importInputs(source, function, inputs);
  for (Operation &op : source.getBody().front().without_terminator())
    if (failed(importOp(op)))
      return failure();
  return importOutputs(source, function);
}

/// One error for all ops that are not supported.
static LogicalResult checkOps(Location file, FuncOp source) {
  std::map<std::string, std::string> found;
  size_t position = 0;
  for (Operation &op : source.getBody().front().without_terminator()) {
    ++position;
    StringRef name = op.getName().getStringRef();
    if (lookupTosaOp(name) || isa<tosa::ConstOp, tosa::ConstShapeOp>(op))
      continue;
    std::string &names = found[name.str()];
    names +=
        (names.empty() ? "'" : ", '") + nameOf(op.getLoc(), position) + "'";
  }
  if (found.empty())
    return success();
  std::string text;
  for (auto &[op, names] : found)
    text += (text.empty() ? "" : "; ") + op + " at " + names;
  return emitUnsupported(file)
         << "found operators that are not supported: " << text
         << "; expected operators of the list in "
            "docs/tosa-ops.md";
}

static FailureOr<FuncOp> onlyFunction(Location file, mlir::ModuleOp source) {
  auto functions = source.getBody()->getOps<FuncOp>();
  if (functions.empty())
    return emitError(file) << "holds no function, expected one";
  if (!llvm::hasSingleElement(functions))
    return emitUnsupported(file) << "holds " << llvm::range_size(functions)
                                 << " functions, expected one; split the file";
  FuncOp function = *functions.begin();
  if (!llvm::hasSingleElement(function.getBody()) ||
      !isa<ReturnOp>(function.getBody().front().getTerminator()))
    return emitError(file) << "function '" << function.getName()
                           << "' must be one block that ends in func.return";
  return function;
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
npu::importTosa(mlir::ModuleOp source, StringRef path,
                const ImportOptions &options) {
  MLIRContext &context = *source.getContext();
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  Location file = fileLocation(context, path);
  FailureOr<FuncOp> body = onlyFunction(file, source);
  if (failed(body) || failed(checkOps(file, *body)))
    return failure();
  FailureOr<std::vector<DeclaredInput>> declared = declaredInputs(file, *body);
  if (failed(declared))
    return failure();
  FailureOr<std::vector<GraphInput>> inputs =
      bindInputs(file, std::move(*declared), options, /*leastSize=*/1);
  if (failed(inputs))
    return failure();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(file);
  OpBuilder builder(&context);
  FuncOp function = createMain(builder, *module, *inputs);
  if (failed(Importer(builder, file).importBody(*body, function, *inputs)))
    return failure();
  dropDeadCode(function, *inputs);
  if (failed(mlir::verify(*module)))
    return failure();
  return module;
}
