// SPDX-License-Identifier: Apache-2.0
//
// The walk over the graph.
#include "compiler/Frontend/TFLite/TfliteImporter.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/FoldMemo.h"
#include "compiler/Frontend/Support/MainFunction.h"
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Support/Budget.h"
#include "compiler/Support/InputText.h"
#include "kernels/tensor.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace npu;
using mlir::emitError;
using mlir::func::FuncOp;

namespace {

/// A graph that is walked, and its values by tensor: null where they are not
/// known yet.
struct Walk {
  Walk(const TfliteFile &model, size_t index)
      : graph(*model.model->subgraphs()->Get(index)),
        values(graph.tensors() ? graph.tensors()->size() : 0) {}
  const tflite::SubGraph &graph;
  std::vector<Value> values;
  llvm::DenseMap<int32_t, std::string> variables; // tensors that name one
  llvm::DenseMap<int32_t, Value> imaginary;       // parts, see TfliteNode
};

class Importer {
public:
  Importer(OpBuilder &builder, Location file, const TfliteFile &model,
           bool taps)
      : builder(builder), file(file), model(model), taps(taps), main(model, 0) {
  }
  void keepVariables(TfliteVariables &all) { variables = &all; }

  FailureOr<std::vector<DeclaredInput>>
  declaredInputs(const ImportOptions &options);
  LogicalResult importBody(FuncOp function, ArrayRef<GraphInput> inputs);

private:
  LogicalResult importOperators(Walk &walk);
  LogicalResult importOperator(Walk &walk, const tflite::Operator &source);
  LogicalResult buildImaginary(TfliteNode &node, ArrayRef<Value> operands);
  FailureOr<SmallVector<Value>> importGraph(TfliteNode &node, int32_t index,
                                            ArrayRef<Value> inputs);
  FailureOr<Value> operandOf(Walk &walk, Emitter &emitter, int32_t tensor);
  static bool isHandle(const Walk &walk, int32_t tensor);
  std::string variableAt(Walk &walk, Emitter &emitter, int32_t tensor);
  LogicalResult importInputs(FuncOp function, ArrayRef<GraphInput> inputs);
  LogicalResult importOutputs(FuncOp function);
  /// The value as the file stores it.
  Value stored(int32_t tensor);
  const tflite::Tensor &tensorAt(int32_t index) const {
    return *main.graph.tensors()->Get(index);
  }
  std::string freshName(const tflite::Tensor &tensor, const Twine &standard);

  OpBuilder &builder;
  Location file;
  const TfliteFile &model;
  bool taps;
  Walk main;
  TfliteVariables *variables = nullptr;
  llvm::StringSet<> names; // of outputs
  BudgetUse budget;
  FoldMemo folds;
};

} // namespace

/// The tensor's name, or another where it has none or that of a tensor before.
std::string Importer::freshName(const tflite::Tensor &tensor,
                                const Twine &standard) {
  std::string given = tfliteNameOf(tensor);
  std::string name = given.empty() ? standard.str() : given;
  for (int i = 1; !names.insert(name).second; ++i)
    name = (given.empty() ? standard.str() : given) + "_" + std::to_string(i);
  return name;
}

/// Sizes that an exporter left open are -1 in the signature, and one that fits
/// is in the shape: LiteRT takes it where nothing else is asked for, as npuc.
static DeclaredInput declaredInput(std::string name,
                                   const tflite::Tensor &tensor, Type element,
                                   const ImportOptions &options) {
  DeclaredInput input{name, /*hasRank=*/true, {}, element};
  const auto *signature = tensor.shape_signature();
  const auto *shape = tensor.shape();
  for (size_t i = 0; shape && i < shape->size(); ++i) {
    bool isOpen = signature && signature->size() == shape->size() &&
                  signature->Get(i) < 0;
    bool isGiven =
        options.inputShapes.count(name) != 0 || (options.batch && i == 0);
    input.dims.push_back({isOpen && isGiven ? -1 : shape->Get(i), ""});
  }
  return input;
}

FailureOr<std::vector<DeclaredInput>>
Importer::declaredInputs(const ImportOptions &options) {
  std::vector<DeclaredInput> inputs;
  for (size_t i = 0; main.graph.inputs() && i < main.graph.inputs()->size();
       ++i) {
    const tflite::Tensor &tensor = tensorAt(main.graph.inputs()->Get(i));
    std::string name = freshName(tensor, "input" + Twine(i));
    Type element = tfliteElement(builder.getContext(), tensor);
    if (!element || tensor.type() == tflite::TensorType::INT4 ||
        tensor.type() == tflite::TensorType::COMPLEX64)
      return emitUnsupported(file)
             << "input '" << name << "' is of " << tfliteTypeText(tensor.type())
             << ", which no input of npuc can be";
    if (isShiftedByte(tensor))
      element = mlir::IntegerType::get(builder.getContext(), 8,
                                       mlir::IntegerType::Unsigned);
    inputs.push_back(declaredInput(name, tensor, element, options));
  }
  return inputs;
}

LogicalResult Importer::importInputs(FuncOp function,
                                     ArrayRef<GraphInput> inputs) {
  Emitter emitter(builder, file);
  for (auto [i, value] :
       llvm::enumerate(inputValues(builder, function, inputs))) {
    int32_t index = main.graph.inputs()->Get(i);
    if (isShiftedByte(tensorAt(index)))
      value = emitter.cast(heldNumbers(emitter, value, tensorAt(index)),
                           builder.getIntegerType(8));
    main.values[index] = value;
  }
  return failure(emitter.hasFailed());
}

Value Importer::stored(int32_t tensor) {
  Emitter emitter(builder, file);
  if (tensorAt(tensor).type() == tflite::TensorType::COMPLEX64)
    return emitUnsupported(file)
               << "gives " << tfliteTensorText(tensorAt(tensor))
               << " of COMPLEX64, which no output of npuc can be",
           Value();
  FailureOr<Value> value = operandOf(main, emitter, tensor);
  if (failed(value))
    return Value();
  if (!isShiftedByte(tensorAt(tensor)))
    return *value;
  return emitter.cast(storedNumbers(emitter, *value, tensorAt(tensor)),
                      mlir::IntegerType::get(builder.getContext(), 8,
                                             mlir::IntegerType::Unsigned));
}

bool Importer::isHandle(const Walk &walk, int32_t tensor) {
  return walk.graph.tensors()->Get(tensor)->type() ==
         tflite::TensorType::RESOURCE;
}

/// The key of the variable that a tensor is, or names; empty: none.
std::string Importer::variableAt(Walk &walk, Emitter &emitter, int32_t tensor) {
  if (tensor < 0)
    return "";
  const tflite::Tensor &given = *walk.graph.tensors()->Get(tensor);
  return given.is_variable() ? variables->keyOf(emitter, given)
                             : walk.variables.lookup(tensor);
}

/// A constant becomes a value when it is read first.
FailureOr<Value> Importer::operandOf(Walk &walk, Emitter &emitter,
                                     int32_t tensor) {
  const tflite::Tensor &given = *walk.graph.tensors()->Get(tensor);
  // Its value changes from operator to operator.
  if (given.is_variable() && !walk.values[tensor]) {
    Value held =
        variables->read(emitter, variableAt(walk, emitter, tensor), given);
    return held ? FailureOr<Value>(held) : FailureOr<Value>(failure());
  }
  Value &value = walk.values[tensor];
  if (value)
    return value;
  FailureOr<ElementsAttr> elements =
      tfliteConstant(emitter, model, *walk.graph.tensors()->Get(tensor));
  if (failed(elements))
    return failure();
  // Each step of a loop reads those of its body.
  if (&walk == &main)
    budget.noteModel(kernels::storedBytes(
        describeTensor(cast<RankedTensorType>(elements->getType()))));
  return value = emitter.constant(*elements);
}

/// What a graph that a node calls gives for these inputs.
FailureOr<SmallVector<Value>>
Importer::importGraph(TfliteNode &node, int32_t index, ArrayRef<Value> inputs) {
  Walk walk(model, index);
  size_t count = walk.graph.inputs() ? walk.graph.inputs()->size() : 0;
  if (count != inputs.size())
    return node.error("calls graph " + Twine(index) + " with " +
                      Twine(inputs.size()) + " operands, which has " +
                      Twine(count) + " inputs");
  for (size_t i = 0; i < count; ++i) {
    int32_t tensor = walk.graph.inputs()->Get(i);
    if (inputs[i] && elementOf(inputs[i]) !=
                         tfliteElement(builder.getContext(),
                                       *walk.graph.tensors()->Get(tensor)))
      return node.error("calls graph " + Twine(index) + " with " +
                        typeText(elementOf(inputs[i])) + " as input " +
                        Twine(i) + ", which is another type there");
    walk.values[tensor] = inputs[i];
  }
  ++budget.depth;
  LogicalResult done = importOperators(walk);
  --budget.depth;
  if (failed(done))
    return node.noteFailure(), failure();
  SmallVector<Value> results;
  for (size_t i = 0; walk.graph.outputs() && i < walk.graph.outputs()->size();
       ++i) {
    FailureOr<Value> value =
        operandOf(walk, node, walk.graph.outputs()->Get(i));
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  return results;
}

/// What takes complex numbers and gives them takes each part by itself.
LogicalResult Importer::buildImaginary(TfliteNode &node,
                                       ArrayRef<Value> operands) {
  if (node.op.outputCount() != 1 ||
      node.op.outputType(0) != tflite::TensorType::COMPLEX64)
    return success();
  SmallVector<Value> parts(operands);
  bool isReal = true;
  for (auto [part, imaginary] : llvm::zip_equal(parts, node.imaginaryOf))
    if (imaginary) {
      part = imaginary;
      isReal = false;
    }
  if (isReal)
    return success();
  TfliteNode imaginary(builder, node.getLocation(), node.op, node.row, parts);
  if (failed(node.row.build(imaginary)) || imaginary.hasFailed())
    return failure();
  node.imaginaryMade = imaginary.getResults().front();
  return success();
}

LogicalResult Importer::importOperator(Walk &walk,
                                       const tflite::Operator &source) {
  TfliteOperator op(model, walk.graph, source);
  Location location = nodeLocation(file, op.name(), op.resultName());
  SmallVector<Value> operands;
  Emitter constants(builder, location);
  SmallVector<std::string> variableOf;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    int32_t tensor = source.inputs()->Get(i);
    variableOf.push_back(variableAt(walk, constants, tensor));
    FailureOr<Value> value = tensor < 0 || isHandle(walk, tensor)
                                 ? FailureOr<Value>(Value())
                                 : operandOf(walk, constants, tensor);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  const TfliteOp &row = *lookupTfliteOp(builder.getContext(), op);
  TfliteNode node(builder, location, op, row, operands);
  for (size_t i = 0; i < op.inputCount(); ++i)
    node.imaginaryOf.push_back(walk.imaginary.lookup(source.inputs()->Get(i)));
  node.variables = variables;
  node.variableOf = std::move(variableOf);
  node.callGraph = [&](int32_t index, ArrayRef<Value> inputs) {
    return importGraph(node, index, inputs);
  };
  budget.beginNode();
  for (size_t i = 0; i < op.outputCount(); ++i)
    if (!node.resultElement(i) &&
        op.outputType(i) != tflite::TensorType::RESOURCE)
      return node.unsupported("gives " + tfliteTypeText(op.outputType(i)) +
                              ", which no value of npuc can be");
  if (failed(row.build(node)) || node.hasFailed() ||
      failed(buildImaginary(node, operands)))
    return failure();
  if (node.imaginaryMade)
    walk.imaginary[source.outputs()->Get(0)] = node.imaginaryMade;
  for (size_t i = 0; i < op.outputCount(); ++i) {
    walk.values[source.outputs()->Get(i)] = node.getResults()[i];
    if (!node.variableMade.empty())
      walk.variables[source.outputs()->Get(i)] = node.variableMade;
  }
  return success();
}

LogicalResult Importer::importOperators(Walk &walk) {
  for (size_t i = 0;
       walk.graph.operators() && i < walk.graph.operators()->size(); ++i)
    if (failed(importOperator(walk, *walk.graph.operators()->Get(i))))
      return failure();
  return success();
}

LogicalResult Importer::importOutputs(FuncOp function) {
  SmallVector<Value> outputs;
  SmallVector<std::string> outputNames;
  llvm::DenseSet<Value> seen;
  bool isWhole = true; // else an error says why not
  auto add = [&](int32_t tensor, const Twine &standard) {
    Value value = stored(tensor);
    isWhole &= bool(value);
    seen.insert(main.values[tensor]);
    outputs.push_back(value);
    outputNames.push_back(freshName(tensorAt(tensor), standard));
  };
  names.clear();
  for (size_t i = 0; main.graph.outputs() && i < main.graph.outputs()->size();
       ++i)
    add(main.graph.outputs()->Get(i), "output" + Twine(i));
  for (size_t i = 0; taps && i < main.values.size(); ++i)
    if (main.values[i] && !constantOf(main.values[i]) &&
        tensorAt(i).type() != tflite::TensorType::COMPLEX64 &&
        !seen.contains(main.values[i]) && !tfliteNameOf(tensorAt(i)).empty())
      add(int32_t(i), "");
  if (!isWhole)
    return failure();
  SmallVector<std::string> states;
  variables->finish(
      [&](const std::string &name) {
        std::string fresh = name;
        for (int i = 1; !names.insert(fresh).second; ++i)
          fresh = name + "_" + std::to_string(i);
        return fresh;
      },
      outputs, states);
  llvm::append_range(outputNames, states);
  returnOutputs(builder, function, outputs, outputNames);
  variables->mark(states);
  return success();
}

LogicalResult Importer::importBody(FuncOp function,
                                   ArrayRef<GraphInput> inputs) {
  if (failed(importInputs(function, inputs)))
    return failure();
  if (failed(importOperators(main)))
    return failure();
  if (!main.graph.outputs() || main.graph.outputs()->size() == 0)
    return emitError(file) << "has no outputs, expected one or more";
  return importOutputs(function);
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
npu::importTflite(MLIRContext &context, StringRef path,
                  const ImportOptions &options) {
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  Location file = fileLocation(context, path);
  std::string unreadable;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      options.bytes
          ? llvm::MemoryBuffer::getMemBuffer(*options.bytes, path, false)
          : readInput(path, Budget::File, unreadable);
  if (!buffer)
    return emitError(file) << unreadable;
  std::optional<TfliteFile> model = readTfliteModel(file, buffer->getBuffer());
  if (!model || failed(checkTfliteOps(file, *model)))
    return failure();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(file);
  OpBuilder builder(&context);
  Importer importer(builder, file, *model, options.taps);
  FailureOr<std::vector<DeclaredInput>> declared =
      importer.declaredInputs(options);
  if (failed(declared))
    return failure();
  FailureOr<std::vector<GraphInput>> inputs =
      bindInputs(file, std::move(*declared), options, /*leastSize=*/1);
  if (failed(inputs))
    return failure();
  FuncOp function = createMain(builder, *module, *inputs);
  TfliteVariables variables(function);
  importer.keepVariables(variables);
  if (failed(importer.importBody(function, *inputs)))
    return failure();
  dropDeadCode(function, *inputs);
  if (failed(mlir::verify(*module)))
    return failure();
  return module;
}
