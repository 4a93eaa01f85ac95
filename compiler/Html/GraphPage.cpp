// SPDX-License-Identifier: Apache-2.0
#include "compiler/Html/GraphPage.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/OutputCopy.h"
#include "compiler/Html/PageTemplate.h"
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/Storage.h"
#include "kernels/support/interpreter.h"
#include "kernels/tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace npu;
namespace json = llvm::json;

/// Raised when a key of the data block changes its meaning or goes.
static constexpr int64_t graphVersion = 1;

/// Names come from the model's file, which may hold any bytes.
static json::Value text(StringRef words) { return json::fixUTF8(words); }

/// The same model and options give the same bytes: times are left out.
static void dropTimes(json::Object &object) {
  for (StringRef key : {"seconds", "compile_seconds"})
    object.erase(key);
  for (auto &entry : object)
    if (json::Object *part = entry.second.getAsObject())
      dropTimes(*part);
}

/// The array at `key`, taken out of its object.
static json::Array takeArray(json::Object &object, StringRef key) {
  json::Array taken;
  if (json::Array *found = object.getArray(key))
    taken = std::move(*found);
  object.erase(key);
  return taken;
}

namespace {

class GraphWriter {
public:
  GraphWriter(mlir::func::FuncOp function, const ProgramPlan &plan,
              json::Object report)
      : function(function), plan(plan), report(std::move(report)),
        axes(function) {}

  json::Object run();

private:
  void addInputs();
  void addOutputs(Operation *terminator);
  void addOp(Operation *op);
  json::Object describe(Operation *op);
  void addNode(json::Object node) { nodes.push_back(std::move(node)); }
  json::Object tensor(Value value);
  json::Array operands(Operation *op);
  static bool isDrawn(Operation *op);
  static json::Array body(FusedOp op);

  mlir::func::FuncOp function;
  const ProgramPlan &plan;
  json::Object report;
  ImageAxesAnalysis axes;
  llvm::DenseMap<Value, int64_t> nodeOf;
  llvm::DenseMap<Operation *, size_t> kernelOf;
  json::Array nodes, kernels, relayouts;
  size_t nextRelayout = 0;
};

} // namespace

json::Object GraphWriter::run() {
  dropTimes(report);
  kernels = takeArray(report, "kernels");
  if (json::Object *summary = report.getObject("relayouts"))
    relayouts = takeArray(*summary, "items");
  for (auto [index, kernel] : llvm::enumerate(plan.kernels))
    kernelOf[kernel.op] = index;
  addInputs();
  for (Operation &op : function.front().without_terminator())
    addOp(&op);
  addOutputs(function.front().getTerminator());
  return json::Object{{"version", graphVersion},
                      {"report", std::move(report)},
                      {"nodes", std::move(nodes)}};
}

json::Object GraphWriter::tensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  npu_tensor_desc tensor = describeTensor(type);
  return json::Object{
      {"shape", json::Array(type.getShape())},
      {"type", kernels::dtypeName(tensor.dtype)},
      {"layout", layoutName(getLayout(type), axes.of(value))},
      {"bytes", static_cast<int64_t>(kernels::storedBytes(tensor))}};
}

/// Weights would hide the graph: they stand with the op that reads them. One
/// that is moved or viewed is drawn, the arrow needs an end.
bool GraphWriter::isDrawn(Operation *op) {
  return !isa<ConstantOp>(op) || llvm::any_of(op->getUsers(), [](auto *user) {
    return isa<RelayoutOp, TransposeOp, ReshapeOp>(user);
  });
}

json::Array GraphWriter::operands(Operation *op) {
  json::Array rows;
  auto rule = dyn_cast<LayoutOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    json::Object row = tensor(operand.get());
    row["role"] =
        rule ? rule.getOperandRole(operand.getOperandNumber()).str() : "";
    auto from = nodeOf.find(operand.get());
    if (from != nodeOf.end())
      row["from"] = from->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

static std::string kindOf(Operation *op) {
  if (auto eltwise = dyn_cast<EltwiseOp>(op))
    return std::string(lookupInstr(eltwise.getKind())->name);
  return op->getName().stripDialect().str();
}

/// Numbers and lists of them as JSON has them, all else as MLIR prints it.
static json::Value toJson(mlir::Attribute value) {
  if (auto flag = dyn_cast<mlir::BoolAttr>(value))
    return flag.getValue();
  if (auto number = dyn_cast<mlir::IntegerAttr>(value))
    return number.getValue().getSExtValue();
  if (auto number = dyn_cast<mlir::FloatAttr>(value))
    return number.getValueAsDouble();
  if (auto words = dyn_cast<mlir::StringAttr>(value))
    return text(words.getValue());
  if (auto list = dyn_cast<mlir::DenseI64ArrayAttr>(value))
    return json::Array(list.asArrayRef());
  if (auto list = dyn_cast<mlir::ArrayAttr>(value))
    return json::Array(llvm::map_range(list, toJson));
  std::string printed = llvm::formatv("{0}", value).str();
  auto [before, word] = StringRef(printed).split('<'); // #npu.kind<mean>
  const bool isWord = before.starts_with("#npu.") && word.consume_back(">");
  return text(isWord ? word : StringRef(printed));
}

/// What the op does beyond its name: neither notes of passes, which have a
/// dialect in their name, nor constants, which may be megabytes.
static void addAttributes(Operation *op, json::Object &node) {
  json::Object found;
  for (mlir::NamedAttribute one : op->getAttrDictionary())
    if (!isa<mlir::ElementsAttr>(one.getValue()) &&
        !one.getName().strref().contains('.') &&
        !(isa<EltwiseOp>(op) && one.getName() == "kind"))
      found[one.getName().getValue()] = toJson(one.getValue());
  if (!found.empty())
    node["attributes"] = std::move(found);
}

/// What a fused kernel computes, in order.
json::Array GraphWriter::body(FusedOp op) {
  json::Array rows;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    json::Object row{{"op", kindOf(&inner)},
                     {"node", text(nodesOf(inner.getLoc()))}};
    addAttributes(&inner, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Object GraphWriter::describe(Operation *op) {
  json::Object node{{"kind", "op"},
                    {"op", kindOf(op)},
                    {"name", text(nodeName(op->getLoc()))},
                    {"node", text(nodesOf(op->getLoc()))},
                    {"operands", operands(op)}};
  addAttributes(op, node);
  json::Array results;
  for (Value result : op->getResults())
    results.push_back(tensor(result));
  node["results"] = std::move(results);
  if (auto fused = dyn_cast<FusedOp>(op))
    node["body"] = body(fused);
  if (isa<ConstantOp>(op))
    node["kind"] = "constant";
  else if ((isFreeView(op) && !isCopy(op)) ||
           (isa<SliceOp>(op) && !kernelOf.contains(op)))
    node["kind"] = "view";
  // The report's items are those ops, in the function's order.
  if (movesData(*op)) {
    node["kind"] = "relayout";
    node["relayout"] = std::move(relayouts[nextRelayout++]);
  }
  if (isOnProcessor(op)) {
    auto [why, change] = reasonBesideChip(op);
    node["processor"] =
        json::Object{{"why", text(why)}, {"change", text(change)}};
  }
  auto kernel = kernelOf.find(op);
  if (kernel != kernelOf.end())
    node["kernel"] = std::move(kernels[kernel->second]);
  return node;
}

void GraphWriter::addOp(Operation *op) {
  if (!isDrawn(op))
    return;
  json::Object node = describe(op);
  for (Value result : op->getResults())
    nodeOf[result] = nodes.size();
  addNode(std::move(node));
}

void GraphWriter::addInputs() {
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    nodeOf[argument] = nodes.size();
    const bool isState =
        index + plan.states.size() >= function.getNumArguments();
    addNode(json::Object{{"kind", "input"},
                         {"op", isState ? "state" : "input"},
                         {"node", text(plan.inputNames[index])},
                         {"operands", json::Array()},
                         {"results", json::Array{tensor(argument)}}});
  }
}

void GraphWriter::addOutputs(Operation *terminator) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    json::Object row = tensor(operand.get());
    row["role"] = "";
    auto from = nodeOf.find(operand.get());
    if (from != nodeOf.end())
      row["from"] = from->second;
    const bool isState = operand.getOperandNumber() + plan.states.size() >=
                         terminator->getNumOperands();
    addNode(json::Object{
        {"kind", "output"},
        {"op", isState ? "state" : "output"},
        {"node", text(plan.outputNames[operand.getOperandNumber()])},
        {"operands", json::Array{std::move(row)}},
        {"results", json::Array()}});
  }
}

json::Object npu::graphJson(mlir::func::FuncOp function,
                            const ProgramPlan &plan, json::Object report) {
  return GraphWriter(function, plan, std::move(report)).run();
}

std::string npu::graphPage(json::Object data) {
  std::string block = llvm::formatv("{0}", json::Value(std::move(data))).str();
  // In a script element only '<' can end it or open another.
  std::string harmless;
  harmless.reserve(block.size());
  for (char letter : block)
    if (letter == '<')
      harmless += "\\u003c";
    else
      harmless += letter;
  auto [head, tail] = pageTemplate().split(pageDataMarker());
  return (head + harmless + tail).str();
}
