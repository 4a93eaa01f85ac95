// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteVariables.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/States.h"

#include "llvm/Support/JSON.h"

using namespace npu;

static std::string textOf(const flatbuffers::String *text) {
  return text ? llvm::json::fixUTF8(text->str()) : "";
}

/// States are named; C reads names up to a zero character.
TfliteVariables::Variable &TfliteVariables::met(const std::string &key,
                                                const std::string &name) {
  auto [entry, isNew] = variables.try_emplace(key);
  if (isNew) {
    std::string shown = name.substr(0, name.find('\0'));
    entry->second.name = shown.empty() ? "variable" : shown;
    entry->second.number = variables.size();
  }
  return entry->second;
}

std::string TfliteVariables::keyOf(const tflite::VarHandleOptions &options) {
  std::string name = textOf(options.shared_name());
  std::string key = "shared " + textOf(options.container()) + "/" + name;
  met(key, name);
  return key;
}

/// LiteRT fills those of i8 with their zero point, all others with zeros.
std::string TfliteVariables::keyOf(Emitter &emitter,
                                   const tflite::Tensor &tensor) {
  std::string key =
      "tensor " + std::to_string(reinterpret_cast<uintptr_t>(&tensor));
  if (variables.count(key) != 0)
    return key;
  Variable &variable = met(key, tfliteNameOf(tensor));
  std::optional<TfliteScale> scale = tfliteScale(tensor);
  if (tensor.type() != tflite::TensorType::INT8 || !scale ||
      scale->zeroPoint() == 0)
    return key;
  Value zeros =
      emitter.filled(double(scale->zeroPoint()), tfliteShape(tensor),
                     tfliteElement(emitter.getBuilder().getContext(), tensor));
  if (zeros)
    variable.beginsAs = constantOf(zeros);
  return key;
}

BlockArgument TfliteVariables::addArgument(RankedTensorType type) {
  BlockArgument argument =
      function.front().addArgument(type, function.getLoc());
  function.setType(mlir::FunctionType::get(function.getContext(),
                                           function.front().getArgumentTypes(),
                                           function.getResultTypes()));
  return argument;
}

LogicalResult TfliteVariables::checkType(Emitter &emitter,
                                         const Variable &variable, Type found) {
  Type known = variable.value      ? variable.value.getType()
               : variable.beginsAs ? Type(variable.beginsAs.getShapedType())
                                   : found;
  if (known == found)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "has " << found << " for variable '"
                                 << variable.name << "', which is " << known;
  return emitter.error(text);
}

Value TfliteVariables::read(Emitter &emitter, StringRef key,
                            const tflite::Tensor &like) {
  Variable &variable = variables[key.str()];
  if (isShiftedByte(like)) {
    (void)emitter.unsupported("keeps variable '" + Twine(variable.name) +
                              "' of quantized u8");
    return Value();
  }
  if (isInitializing && !variable.value) {
    (void)emitter.unsupported("reads variable '" + Twine(variable.name) +
                              "' before it has a value");
    return Value();
  }
  if (variable.value)
    return variable.value;
  Type element = tfliteElement(emitter.getBuilder().getContext(), like);
  if (!element) {
    (void)emitter.unsupported("reads variable '" + Twine(variable.name) +
                              "' of " + tfliteTypeText(like.type()) +
                              ", which no value of npuc can be");
    return Value();
  }
  Ints shape = variable.beginsAs
                   ? Ints(variable.beginsAs.getShapedType().getShape())
                   : tfliteShape(like);
  FailureOr<RankedTensorType> type =
      makeTensorType(emitter.getLocation(), "variable '" + variable.name + "'",
                     shape, element);
  if (failed(type) || failed(checkType(emitter, variable, *type)))
    return emitter.noteFailure();
  variable.argument = addArgument(*type);
  return variable.value = variable.argument;
}

LogicalResult TfliteVariables::assign(Emitter &emitter, StringRef key,
                                      Value value, const tflite::Tensor &like) {
  Variable &variable = variables[key.str()];
  if (!value)
    return failure();
  if (isShiftedByte(like))
    return emitter.unsupported("keeps variable '" + Twine(variable.name) +
                               "' of quantized u8");
  if (failed(checkType(emitter, variable, value.getType())))
    return failure();
  if (isInitializing && !constantOf(value))
    return emitter.unsupported("initializes variable '" + Twine(variable.name) +
                               "' with what its data decides, expected a "
                               "constant");
  ++count;
  variable.value = value;
  return success();
}

LogicalResult TfliteVariables::initialize(Emitter &emitter,
                                          function_ref<LogicalResult()> run) {
  if (isInitializing)
    return run();
  for (auto &[key, variable] : variables)
    if (variable.value)
      return emitter.unsupported("initializes variables after '" +
                                 Twine(variable.name) +
                                 "' is used, expected before");
  isInitializing = true;
  LogicalResult done = run();
  isInitializing = false;
  for (auto &[key, variable] : variables) {
    if (variable.value)
      variable.beginsAs = constantOf(variable.value);
    variable.value = Value();
  }
  return done;
}

void TfliteVariables::finish(
    function_ref<std::string(const std::string &)> freshName,
    SmallVectorImpl<Value> &values, SmallVectorImpl<std::string> &names) {
  // In the sequence of the arguments, those that nothing read behind them.
  SmallVector<Variable *> states;
  for (auto &[key, variable] : variables)
    if (variable.value)
      states.push_back(&variable);
  llvm::sort(states, [](const Variable *a, const Variable *b) {
    return a->number < b->number;
  });
  for (Variable *variable : states)
    if (!variable->argument)
      variable->argument = addArgument(tensorType(variable->value));
  llvm::sort(states, [](const Variable *a, const Variable *b) {
    return a->argument.getArgNumber() < b->argument.getArgNumber();
  });
  for (Variable *variable : states) {
    values.push_back(variable->value);
    names.push_back(freshName(variable->name));
    begins.push_back(variable->beginsAs);
  }
}

void TfliteVariables::mark(ArrayRef<std::string> names) {
  const auto count = static_cast<unsigned>(names.size());
  const unsigned argument = function.getNumArguments() - count;
  const unsigned result = function.getNumResults() - count;
  for (unsigned i = 0; i < count; ++i) {
    auto name = StringAttr::get(function.getContext(), names[i]);
    function.setArgAttr(argument + i, "npu.name", name);
    function.setArgAttr(argument + i, stateAttr, name);
    function.setResultAttr(result + i, stateAttr, name);
    if (begins[i])
      function.setArgAttr(argument + i, beginsAsAttr, begins[i]);
  }
}
