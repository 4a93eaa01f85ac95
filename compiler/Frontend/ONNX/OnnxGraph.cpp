// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxGraph.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <queue>

using namespace npu;
using mlir::emitError;

/// Names that `graph` takes from the graphs around it.
static void collectCaptured(const onnx::GraphProto &graph,
                            llvm::StringSet<> &captured);

/// Names that a node reads: its inputs, and what its subgraphs take from
/// outside.
static llvm::StringSet<> readsOf(const onnx::NodeProto &node) {
  llvm::StringSet<> reads;
  for (const std::string &name : node.input())
    if (!name.empty())
      reads.insert(name);
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      collectCaptured(attribute.g(), reads);
  return reads;
}

static void collectCaptured(const onnx::GraphProto &graph,
                            llvm::StringSet<> &captured) {
  llvm::StringSet<> defined;
  for (const onnx::ValueInfoProto &input : graph.input())
    defined.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    defined.insert(tensor.name());
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &name : node.output())
      defined.insert(name);
  for (const onnx::NodeProto &node : graph.node()) {
    llvm::StringSet<> reads = readsOf(node);
    for (StringRef name : reads.keys())
      if (!defined.contains(name))
        captured.insert(name);
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!defined.contains(output.name()))
      captured.insert(output.name());
}

namespace {

class Orderer {
public:
  Orderer(const OnnxModel &model, onnx::GraphProto &graph,
          function_ref<bool(StringRef)> isOuter)
      : model(model), graph(graph), isOuter(isOuter) {}

  LogicalResult collectDefinitions();
  LogicalResult collectReads();
  void markNeeded();
  FailureOr<std::vector<onnx::NodeProto *>> sort();

private:
  LogicalResult define(StringRef name, int node);
  LogicalResult reportCycle(ArrayRef<int> waiting);

  const OnnxModel &model;
  onnx::GraphProto &graph;
  function_ref<bool(StringRef)> isOuter;
  llvm::StringMap<int> producers;          // -1: an input or initializer
  std::vector<SmallVector<int, 4>> before; // nodes that each node waits for
  std::vector<bool> needed;
};

} // namespace

LogicalResult Orderer::define(StringRef name, int node) {
  auto [entry, isNew] = producers.try_emplace(name, node);
  if (isNew)
    return success();
  Location location =
      node < 0 ? model.location : locationOf(model, graph.node(node));
  return emitError(location) << "the name '" << name
                             << "' is defined twice, expected each value to "
                                "have a name of its own";
}

LogicalResult Orderer::collectDefinitions() {
  for (const onnx::ValueInfoProto &input : graph.input())
    if (failed(define(input.name(), -1)))
      return failure();
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (!initializers.insert(tensor.name()).second)
      return define(tensor.name(), -1);
    // An input of the same name has this tensor as its default.
    producers.try_emplace(tensor.name(), -1);
  }
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &name : graph.node(i).output())
      if (!name.empty() && failed(define(name, i)))
        return failure();
  return success();
}

LogicalResult Orderer::collectReads() {
  before.resize(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    llvm::StringSet<> reads = readsOf(graph.node(i));
    for (StringRef name : reads.keys()) {
      auto found = producers.find(name);
      if (found == producers.end() && !isOuter(name))
        return emitError(locationOf(model, graph.node(i)))
               << "reads '" << name
               << "', which no input, initializer or node defines";
      if (found != producers.end() && found->second >= 0)
        before[i].push_back(found->second);
    }
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!producers.count(output.name()) && !isOuter(output.name()))
      return emitError(model.location)
             << "output '" << output.name()
             << "' is defined by no input, initializer or node";
  return success();
}

void Orderer::markNeeded() {
  needed.assign(graph.node_size(), false);
  std::vector<int> work;
  for (const onnx::ValueInfoProto &output : graph.output())
    if (auto found = producers.find(output.name()); found != producers.end())
      work.push_back(found->second);
  while (!work.empty()) {
    int node = work.back();
    work.pop_back();
    if (node < 0 || needed[node])
      continue;
    needed[node] = true;
    work.insert(work.end(), before[node].begin(), before[node].end());
  }
}

/// Every waiting node waits for another one, so going backwards must close a
/// circle.
LogicalResult Orderer::reportCycle(ArrayRef<int> waiting) {
  auto isWaiting = [&](int node) { return waiting[node] > 0; };
  int node = static_cast<int>(
      llvm::find_if(waiting, [](int count) { return count > 0; }) -
      waiting.begin());
  std::vector<bool> seen(waiting.size());
  while (!seen[node]) {
    seen[node] = true;
    node = *llvm::find_if(before[node], isWaiting);
  }
  mlir::InFlightDiagnostic error =
      emitError(locationOf(model, graph.node(node)))
      << "is part of a cycle, expected a graph without one:";
  int member = node;
  do {
    error << " '" << graph.node(member).output(0) << "' needs";
    member = *llvm::find_if(before[member], isWaiting);
  } while (member != node);
  return error << " '" << graph.node(node).output(0) << "'";
}

FailureOr<std::vector<onnx::NodeProto *>> Orderer::sort() {
  int count = graph.node_size();
  std::vector<int> waiting(count, 0);
  std::vector<SmallVector<int, 4>> after(count);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; ++i) {
    if (!needed[i])
      continue;
    waiting[i] = static_cast<int>(before[i].size());
    for (int other : before[i])
      after[other].push_back(i);
    if (waiting[i] == 0)
      ready.push(i);
  }
  std::vector<onnx::NodeProto *> order;
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    order.push_back(graph.mutable_node(node));
    for (int other : after[node])
      if (--waiting[other] == 0)
        ready.push(other);
  }
  if (llvm::any_of(waiting, [](int left) { return left > 0; }))
    return reportCycle(waiting);
  return order;
}

FailureOr<std::vector<onnx::NodeProto *>>
npu::orderNodes(const OnnxModel &model, onnx::GraphProto &graph,
                function_ref<bool(StringRef)> isOuter) {
  Orderer orderer(model, graph, isOuter);
  if (failed(orderer.collectDefinitions()) || failed(orderer.collectReads()))
    return failure();
  orderer.markNeeded();
  return orderer.sort();
}
