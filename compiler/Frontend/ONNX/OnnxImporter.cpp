// SPDX-License-Identifier: Apache-2.0
//
// The walk over the graph.
#include "compiler/Frontend/ONNX/OnnxImporter.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxCustom.h"
#include "compiler/Frontend/ONNX/OnnxFunctions.h"
#include "compiler/Frontend/ONNX/OnnxGraph.h"
#include "compiler/Frontend/ONNX/OnnxInputs.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/ONNX/OnnxSchema.h"
#include "compiler/Frontend/Support/Doubles.h"
#include "compiler/Frontend/Support/FoldMemo.h"
#include "compiler/Frontend/Support/MainFunction.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Support/Budget.h"
#include "files/shown_text.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace npu;
using mlir::emitError;
using mlir::func::FuncOp;

namespace {

/// The names of one graph. A branch of If sees those of the graph around it.
struct Scope {
  explicit Scope(Scope *outer = nullptr) : outer(outer) {}
  Scope *outer;
  llvm::StringMap<Value> values;
  llvm::StringMap<onnx::TensorProto *> initializers; // not yet read
};

class Importer {
public:
  Importer(OnnxModel &model, OpBuilder &builder, bool f64AsF32)
      : model(model), builder(builder), doubles(f64AsF32) {}

  LogicalResult checkOps();
  LogicalResult importMain(FuncOp function, ArrayRef<GraphInput> inputs,
                           bool taps);
  /// Warns of what is computed in another type than the model says.
  void warn() const;

private:
  FailureOr<SmallVector<Value>> importGraph(onnx::GraphProto &graph,
                                            Scope &scope);
  FailureOr<SmallVector<Value>> importBranch(onnx::GraphProto &graph,
                                             ArrayRef<Value> given,
                                             size_t outputs, Location location,
                                             Scope &scope);
  LogicalResult importNode(onnx::NodeProto &proto, Scope &scope);
  LogicalResult importPluginNode(PluginNode op, const onnx::NodeProto &proto,
                                 Scope &scope);
  LogicalResult importCall(const onnx::FunctionProto &function,
                           const onnx::NodeProto &call, Scope &scope);
  FailureOr<SmallVector<Value>> readInputs(const onnx::NodeProto &proto,
                                           Scope &scope);
  FailureOr<Value> lookup(StringRef name, Scope &scope);
  static bool isDefined(StringRef name, const Scope *scope);
  void addTaps(const Scope &scope, SmallVectorImpl<Value> &outputs,
               SmallVectorImpl<std::string> &names) const;

  OnnxModel &model;
  OpBuilder &builder;
  DequantizedValues dequantizedValues;
  SharedValues sharedValues;
  Doubles doubles;
  BudgetUse budget;
  FoldMemo folds;
};

} // namespace

static bool isStandardDomain(StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// The operator's name in the table.
static std::string tableName(const onnx::NodeProto &node) {
  return isStandardDomain(node.domain()) ? node.op_type()
                                         : node.domain() + "." + node.op_type();
}

/// What ONNX says of the operator in the model, null if it came later. Other
/// domains have one version.
static const OnnxSchema *schemaFor(const OnnxModel &model, const OnnxOp &op,
                                   const onnx::NodeProto &node) {
  return isStandardDomain(node.domain()) ? schemaIn(op.name, model.opset)
                                         : &onnxSchemas(op.name).back();
}

/// Adds the nodes that the table does not have, by operator.
static void
collectUnknown(const OnnxModel &model, ArrayRef<onnx::NodeProto *> nodes,
               std::map<std::string, SmallVector<std::string>> &found) {
  for (const onnx::NodeProto *node : nodes) {
    std::string name = tableName(*node);
    const OnnxOp *op = lookupOnnxOp(name);
    if ((op && schemaFor(model, *op, *node)) ||
        (!op && (lookupPluginNode(model.location->getContext(), node->domain(),
                                  node->op_type())
                     .op ||
                 lookupFunction(model, *node))))
      continue;
    if (op)
      name += " (since opset " +
              std::to_string(onnxSchemas(op->name).front().version) + ")";
    StringRef reason = reasonOutOfScope(name);
    if (!reason.empty())
      name += (" (out of scope: " + reason + ")").str();
    found[name].push_back(node->name().empty() && node->output_size() > 0
                              ? node->output(0)
                              : node->name());
  }
}

/// One error for all operators that are not supported.
static LogicalResult reportUnknown(const OnnxModel &model,
                                   ArrayRef<onnx::NodeProto *> nodes) {
  constexpr size_t mostNamed = 8;
  std::map<std::string, SmallVector<std::string>> found;
  collectUnknown(model, nodes, found);
  if (found.empty())
    return success();
  std::string text;
  for (auto &[op, names] : found) {
    text += (text.empty() ? "" : "; ") + files::shownName(op) + " at";
    for (size_t i = 0; i < std::min(names.size(), mostNamed); ++i)
      text += (i ? ", '" : " '") + names[i] + "'";
    if (names.size() > mostNamed)
      text += " and " + std::to_string(names.size() - mostNamed) + " more";
  }
  return emitUnsupported(model.location)
         << "found operators that are not supported in opset " << model.opset
         << ": " << llvm::json::fixUTF8(text)
         << "; expected operators of the list in docs/onnx-ops.md, or of a "
            "plugin (--plugin, docs/plugins.md)";
}

LogicalResult Importer::checkOps() {
  if (model.proto->graph().sparse_initializer_size() > 0)
    return emitUnsupported(model.location)
           << "has sparse initializers, expected dense ones";
  if (model.proto->graph().output().empty())
    return emitError(model.location) << "has no outputs, expected one or more";
  if (failed(checkFunctions(model)))
    return failure();
  auto order = orderNodes(model, *model.proto->mutable_graph(),
                          [](StringRef) { return false; });
  if (failed(order))
    return failure();
  return reportUnknown(model, *order);
}

bool Importer::isDefined(StringRef name, const Scope *scope) {
  for (; scope; scope = scope->outer)
    if (scope->values.count(name) || scope->initializers.count(name))
      return true;
  return false;
}

/// Initializers become constants when they are first read, so that those that
/// nobody reads cost nothing.
FailureOr<Value> Importer::lookup(StringRef name, Scope &scope) {
  for (Scope *current = &scope; current; current = current->outer) {
    if (Value value = current->values.lookup(name))
      return value;
    auto initializer = current->initializers.find(name);
    if (initializer == current->initializers.end())
      continue;
    Location location = mlir::NameLoc::get(
        StringAttr::get(builder.getContext(), llvm::json::fixUTF8(name)),
        model.location);
    bool hasFewBits = isFourBits(*initializer->second);
    FailureOr<ElementsAttr> elements =
        takeElements(model, location, *initializer->second);
    if (failed(elements))
      return failure();
    auto value =
        ConstantOp::create(builder, location, elements->getType(), *elements);
    if (hasFewBits)
      value->setAttr(fourBitsAttr, builder.getUnitAttr());
    initializer->second->Clear();
    current->initializers.erase(initializer);
    current->values[name] = value.getResult();
    return value.getResult();
  }
  return emitError(model.location) << "'" << name << "' has no value";
}

FailureOr<SmallVector<Value>> Importer::readInputs(const onnx::NodeProto &proto,
                                                   Scope &scope) {
  SmallVector<Value> inputs;
  for (const std::string &name : proto.input()) {
    FailureOr<Value> value = name.empty() ? Value() : lookup(name, scope);
    if (failed(value))
      return failure();
    inputs.push_back(*value);
  }
  return inputs;
}

/// Imports the nodes of a function; they see nothing of the caller but what it
/// passes.
LogicalResult Importer::importCall(const onnx::FunctionProto &function,
                                   const onnx::NodeProto &call, Scope &scope) {
  Location location = locationOf(model, call);
  std::string over = budget.take(Budget::Nodes, 1);
  if (over.empty())
    over = overBudget(Budget::Nesting, budget.depth + 1);
  if (!over.empty())
    return emitUnsupported(location)
           << over << "; does a function call itself?";
  if (call.input_size() > function.input_size() ||
      call.output_size() > function.output_size())
    return emitError(location)
           << "has " << call.input_size() << " inputs and "
           << call.output_size() << " results, expected at most "
           << function.input_size() << " and " << function.output_size();
  Scope inner;
  for (int i = 0; i < call.input_size(); ++i) {
    if (call.input(i).empty())
      continue;
    FailureOr<Value> value = lookup(call.input(i), scope);
    if (failed(value))
      return failure();
    inner.values[function.input(i)] = *value;
  }
  int64_t version = opsetOfFunction(model, function);
  if (version < 1 || version > newestOnnxOpset)
    return emitUnsupported(location)
           << "calls a function of ai.onnx opset " << version
           << ", expected 1 to " << newestOnnxOpset;
  onnx::GraphProto body = bodyOfCall(function, call);
  if (failed(checkOutputs(location, body)))
    return failure();
  llvm::SaveAndRestore depth(budget.depth, budget.depth + 1);
  llvm::SaveAndRestore opset(model.opset, version);
  FailureOr<SmallVector<Value>> results = importGraph(body, inner);
  if (failed(results))
    return failure();
  for (auto [name, value] : llvm::zip(call.output(), *results))
    if (!name.empty())
      scope.values[name] = value;
  return success();
}

/// What a node's graph declares of a value must be what it is given.
static LogicalResult checkDeclared(Location location, const char *kind,
                                   const onnx::ValueInfoProto &info,
                                   Value value) {
  int declared = info.type().tensor_type().elem_type();
  int found = onnxTypeOf(elementOf(value));
  if (declared == onnx::TensorProto::UNDEFINED || declared == found)
    return success();
  return emitError(location)
         << "has a graph whose " << kind << " '"
         << llvm::json::fixUTF8(info.name()) << "' is declared as "
         << onnxTypeText(declared) << ", but is " << onnxTypeText(found);
}

FailureOr<SmallVector<Value>>
Importer::importBranch(onnx::GraphProto &graph, ArrayRef<Value> given,
                       size_t outputs, Location location, Scope &scope) {
  if (graph.input_size() != int(given.size()) ||
      graph.output_size() != int(outputs))
    return emitError(location)
           << "has a graph with " << graph.input_size() << " inputs and "
           << graph.output_size() << " outputs, expected " << given.size()
           << " and " << outputs;
  Scope inner(&scope);
  for (auto [input, value] : llvm::zip(graph.input(), given)) {
    if (failed(checkDeclared(location, "input", input, value)))
      return failure();
    inner.values[input.name()] = value;
  }
  FailureOr<SmallVector<Value>> results = importGraph(graph, inner);
  if (failed(results))
    return failure();
  for (auto [output, value] : llvm::zip(graph.output(), *results))
    if (failed(checkDeclared(location, "output", output, value)))
      return failure();
  return results;
}

LogicalResult Importer::importPluginNode(PluginNode op,
                                         const onnx::NodeProto &proto,
                                         Scope &scope) {
  FailureOr<SmallVector<Value>> inputs = readInputs(proto, scope);
  if (failed(inputs))
    return failure();
  budget.beginNode();
  FailureOr<SmallVector<Value>> results =
      buildPluginNode(builder, model, op, proto, *inputs);
  if (failed(results))
    return failure();
  for (auto [name, result] : llvm::zip(proto.output(), *results))
    if (result)
      scope.values[name] = result;
  return success();
}

LogicalResult Importer::importNode(onnx::NodeProto &proto, Scope &scope) {
  const OnnxOp *known = lookupOnnxOp(tableName(proto));
  if (PluginNode op = lookupPluginNode(builder.getContext(), proto.domain(),
                                       proto.op_type());
      !known && op.op)
    return importPluginNode(op, proto, scope);
  if (!known)
    return importCall(*lookupFunction(model, proto), proto, scope);
  const OnnxSchema &schema = *schemaFor(model, *known, proto);
  Location location = locationOf(model, proto);
  if (failed(checkForm(schema, location, proto)))
    return failure();
  FailureOr<SmallVector<Value>> inputs = readInputs(proto, scope);
  OnnxTypeCheck types(schema, location);
  if (failed(inputs) || failed(types.checkInputs(*inputs)))
    return failure();
  OnnxNode node(builder, model, proto, *known, schema, std::move(*inputs));
  node.importBranch = [&](onnx::GraphProto &graph, ArrayRef<Value> given,
                          size_t outputs) {
    llvm::SaveAndRestore depth(budget.depth, budget.depth + 1);
    return importBranch(graph, given, outputs, location, scope);
  };
  node.dequantizedValues = &dequantizedValues;
  node.sharedValues = &sharedValues;
  budget.beginNode();
  if (failed(buildNode(node)) || node.hasFailed() ||
      failed(node.checkAllRead()) ||
      failed(types.checkResults(node.getResults())))
    return failure();
  for (int i = 0; i < proto.output_size(); ++i) {
    if (proto.output(i).empty())
      continue;
    Value result = node.getResults()[i];
    if (!result)
      return node.unsupported("has the result '" + proto.output(i) +
                              "', which npuc does not compute; expected a "
                              "model without it");
    scope.values[proto.output(i)] = result;
  }
  return success();
}

FailureOr<SmallVector<Value>> Importer::importGraph(onnx::GraphProto &graph,
                                                    Scope &scope) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (!scope.values.count(tensor.name()))
      scope.initializers[tensor.name()] = &tensor;
  auto order = orderNodes(model, graph, [&](StringRef name) {
    return isDefined(name, scope.outer);
  });
  if (failed(order) || failed(reportUnknown(model, *order)))
    return failure();
  for (onnx::NodeProto *node : *order)
    if (failed(importNode(*node, scope)))
      return failure();
  SmallVector<Value> outputs;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    FailureOr<Value> value = lookup(output.name(), scope);
    if (failed(value))
      return failure();
    outputs.push_back(*value);
  }
  return outputs;
}

/// What the graph declares of an output's element type must be what it is.
static LogicalResult checkOutput(const OnnxModel &model,
                                 const onnx::ValueInfoProto &output,
                                 Value value) {
  std::string what = "output '" + output.name() + "'";
  if (!llvm::json::isUTF8(output.name()))
    return emitError(model.location) << "an output's name is not UTF-8";
  if (!output.type().has_tensor_type() ||
      !output.type().tensor_type().has_elem_type())
    return success();
  FailureOr<Type> declared = elementTypeOf(
      model.location, output.type().tensor_type().elem_type(), what);
  if (failed(declared))
    return failure();
  if (*declared != elementOf(value))
    return emitError(model.location)
           << what << " is declared as " << *declared << ", but its node gives "
           << elementOf(value);
  return success();
}

/// In the file's order, so that the program's outputs stay the same.
void Importer::addTaps(const Scope &scope, SmallVectorImpl<Value> &outputs,
                       SmallVectorImpl<std::string> &names) const {
  for (const onnx::NodeProto &node : model.proto->graph().node())
    for (const std::string &name : node.output()) {
      Value value = scope.values.lookup(name);
      if (!value || isa<mlir::BlockArgument>(value) ||
          value.getDefiningOp<ConstantOp>() ||
          llvm::is_contained(outputs, value) || !llvm::json::isUTF8(name))
        continue;
      outputs.push_back(value);
      names.push_back(name);
    }
}

LogicalResult Importer::importMain(FuncOp function, ArrayRef<GraphInput> inputs,
                                   bool taps) {
  Scope scope;
  SmallVector<Value> values = inputValues(builder, function, inputs);
  for (auto [input, value] : llvm::zip(inputs, values))
    scope.values[input.name] = value;
  onnx::GraphProto &graph = *model.proto->mutable_graph();
  FailureOr<SmallVector<Value>> listed = importGraph(graph, scope);
  if (failed(listed))
    return failure();
  SmallVector<Value> outputs;
  SmallVector<std::string> names;
  llvm::StringSet<> known;
  // A program's outputs are known by their names: one that the graph lists
  // again is the same.
  for (auto [output, value] : llvm::zip(graph.output(), *listed)) {
    if (failed(checkOutput(model, output, value)))
      return failure();
    if (!known.insert(output.name()).second)
      continue;
    outputs.push_back(value);
    names.push_back(output.name());
  }
  if (taps)
    addTaps(scope, outputs, names);
  returnOutputs(builder, function, outputs, names);
  return success();
}

void Importer::warn() const {
  if (doubles.nodes == 0)
    return;
  bool isOne = doubles.nodes == 1;
  mlir::emitWarning(model.location)
      << doubles.nodes << (isOne ? " node computes" : " nodes compute")
      << " in f32 where the model says f64 (--f64=f32)";
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
npu::importOnnx(MLIRContext &context, StringRef path,
                const ImportOptions &options) {
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  FailureOr<OnnxModel> model = loadOnnxModel(context, path, options.bytes);
  if (failed(model))
    return failure();
  model->onRead = options.onRead;
  OpBuilder builder(&context);
  Importer importer(*model, builder, options.f64AsF32);
  if (failed(importer.checkOps()))
    return failure();
  FailureOr<std::vector<GraphInput>> inputs = bindOnnxInputs(*model, options);
  if (failed(inputs))
    return failure();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(model->location);
  FuncOp function = createMain(builder, *module, *inputs);
  if (failed(importer.importMain(function, *inputs, options.taps)))
    return failure();
  importer.warn();
  dropDeadCode(function, *inputs);
  if (failed(mlir::verify(*module)))
    return failure();
  return module;
}
