// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxSchema.h"

#include "compiler/Frontend/ONNX/OnnxModel.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/Support/Emitter.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace npu;
using mlir::emitError;
using onnx::AttributeProto;

#include "compiler/Frontend/ONNX/OnnxSchemaTable.inc"

ArrayRef<OnnxSchema> npu::onnxSchemas(StringRef name) {
  const OnnxSchema *begin = llvm::lower_bound(
      schemas, name,
      [](const OnnxSchema &row, StringRef name) { return row.name < name; });
  const OnnxSchema *end = begin;
  while (end != std::end(schemas) && name == end->name)
    ++end;
  return {begin, end};
}

const OnnxSchema *npu::schemaIn(StringRef name, int64_t opset) {
  const OnnxSchema *found = nullptr;
  for (const OnnxSchema &schema : onnxSchemas(name))
    if (schema.version <= opset)
      found = &schema;
  return found;
}

/// "X, W, R, [B]"; a long list is cut.
static std::string listOf(ArrayRef<OnnxParameter> parameters) {
  constexpr size_t mostNamed = 10;
  SmallVector<std::string> names;
  for (const OnnxParameter &parameter : parameters.take_front(mostNamed)) {
    std::string name = parameter.name;
    if (parameter.presence == OnnxParameter::Variadic)
      name += ", ...";
    names.push_back(parameter.presence == OnnxParameter::Optional
                        ? "[" + name + "]"
                        : name);
  }
  if (parameters.size() > mostNamed)
    names.push_back("...");
  return llvm::join(names, ", ");
}

/// The parameter at a place; the last one may stand for any number of them.
static const OnnxParameter &parameterAt(ArrayRef<OnnxParameter> parameters,
                                        size_t index) {
  return parameters[std::min(index, parameters.size() - 1)];
}

using Names = google::protobuf::RepeatedPtrField<std::string>;

static LogicalResult checkCount(Location location, const char *kind, int least,
                                ArrayRef<OnnxParameter> parameters,
                                const Names &names) {
  int count = names.size(), most = static_cast<int>(parameters.size());
  bool takesAny =
      most > 0 && parameters.back().presence == OnnxParameter::Variadic;
  if (count >= least && (takesAny || count <= most))
    return success();
  mlir::InFlightDiagnostic error = emitError(location);
  error << "has " << count << " " << kind << (count == 1 ? "" : "s")
        << ", expected " << least;
  if (takesAny)
    error << " or more";
  else if (least < most)
    error << " to " << most;
  if (most > 0)
    error << ": " << listOf(parameters);
  return error;
}

static LogicalResult reportBlank(Location location, const char *kind, int index,
                                 const OnnxParameter &parameter) {
  return emitError(location) << "leaves out " << kind << " " << index << " '"
                             << parameter.name << "', expected it to be given";
}

/// Whether the attribute has a value of the type and of no other. Numbers and
/// lists may be absent: some writers leave out what is 0 or empty.
static bool hasOnlyValueOf(const AttributeProto &attribute,
                           AttributeProto::AttributeType type) {
  const std::pair<AttributeProto::AttributeType, bool> values[] = {
      {AttributeProto::FLOAT, attribute.has_f()},
      {AttributeProto::INT, attribute.has_i()},
      {AttributeProto::STRING, attribute.has_s()},
      {AttributeProto::TENSOR, attribute.has_t()},
      {AttributeProto::GRAPH, attribute.has_g()},
      {AttributeProto::SPARSE_TENSOR, attribute.has_sparse_tensor()},
      {AttributeProto::TYPE_PROTO, attribute.has_tp()},
      {AttributeProto::FLOATS, attribute.floats_size() > 0},
      {AttributeProto::INTS, attribute.ints_size() > 0},
      {AttributeProto::STRINGS, attribute.strings_size() > 0},
      {AttributeProto::TENSORS, attribute.tensors_size() > 0},
      {AttributeProto::GRAPHS, attribute.graphs_size() > 0},
      {AttributeProto::SPARSE_TENSORS, attribute.sparse_tensors_size() > 0},
      {AttributeProto::TYPE_PROTOS, attribute.type_protos_size() > 0},
  };
  bool mustHave =
      type == AttributeProto::TENSOR || type == AttributeProto::GRAPH;
  return llvm::all_of(values, [&](auto &value) {
    return value.first == type ? value.second || !mustHave : !value.second;
  });
}

static LogicalResult checkAttribute(const OnnxSchema &schema, Location location,
                                    const AttributeProto &attribute) {
  std::string name = llvm::json::fixUTF8(attribute.name());
  const OnnxAttribute *known =
      llvm::find_if(schema.attributes, [&](const OnnxAttribute &row) {
        return row.name == attribute.name();
      });
  if (known == schema.attributes.end()) {
    SmallVector<StringRef> names;
    for (const OnnxAttribute &row : schema.attributes)
      names.push_back(row.name);
    mlir::InFlightDiagnostic error = emitError(location);
    error << "has the attribute '" << name << "', which " << schema.name
          << " does not have at this opset; expected ";
    return names.empty() ? error << "none"
                         : error << "only " << llvm::join(names, ", ");
  }
  // The first files had no field for the type.
  AttributeProto::AttributeType type = attribute.type();
  if (type != known->type && type != AttributeProto::UNDEFINED)
    return emitError(location)
           << "attribute '" << name << "' is of type "
           << AttributeProto::AttributeType_Name(type) << ", expected "
           << AttributeProto::AttributeType_Name(known->type);
  if (!hasOnlyValueOf(attribute, known->type))
    return emitError(location)
           << "attribute '" << name << "' has no value of type "
           << AttributeProto::AttributeType_Name(known->type)
           << ", or one of another type beside it";
  return success();
}

static LogicalResult checkInputNames(const OnnxSchema &schema,
                                     Location location, const Names &names) {
  if (failed(checkCount(location, "input", schema.leastInputs, schema.inputs,
                        names)))
    return failure();
  for (int i = 0; i < names.size(); ++i)
    if (const OnnxParameter &parameter = parameterAt(schema.inputs, i);
        names[i].empty() && parameter.presence != OnnxParameter::Optional)
      return reportBlank(location, "input", i, parameter);
  return success();
}

/// One of any number of results may be left out.
static LogicalResult checkResultNames(const OnnxSchema &schema,
                                      Location location, const Names &names) {
  if (failed(checkCount(location, "result", schema.leastResults, schema.results,
                        names)))
    return failure();
  for (int i = 0; i < names.size(); ++i)
    if (const OnnxParameter &parameter = parameterAt(schema.results, i);
        names[i].empty() && parameter.presence == OnnxParameter::Required)
      return reportBlank(location, "result", i, parameter);
  return success();
}

static LogicalResult checkAttributes(const OnnxSchema &schema,
                                     Location location,
                                     const onnx::NodeProto &node) {
  llvm::StringSet<> given;
  for (const AttributeProto &attribute : node.attribute()) {
    if (!given.insert(attribute.name()).second)
      return emitError(location)
             << "has the attribute '" << llvm::json::fixUTF8(attribute.name())
             << "' twice, expected it once";
    if (!isPrivate(attribute) &&
        failed(checkAttribute(schema, location, attribute)))
      return failure();
  }
  for (const OnnxAttribute &attribute : schema.attributes)
    if (attribute.isRequired && !given.contains(attribute.name))
      return emitError(location)
             << "lacks the attribute '" << attribute.name
             << "', expected one of type "
             << AttributeProto::AttributeType_Name(attribute.type);
  return success();
}

LogicalResult npu::checkForm(const OnnxSchema &schema, Location location,
                             const onnx::NodeProto &node) {
  return success(succeeded(checkInputNames(schema, location, node.input())) &&
                 succeeded(checkResultNames(schema, location, node.output())) &&
                 succeeded(checkAttributes(schema, location, node)));
}

static std::string textOfTypes(uint32_t types) {
  SmallVector<std::string> names;
  for (int type = 1; type < 32; ++type)
    if (types >> type & 1)
      names.push_back(onnxTypeText(type));
  if (types & 1)
    names.push_back("what is no tensor");
  return (names.size() == 1 ? "" : "one of ") + llvm::join(names, ", ");
}

mlir::InFlightDiagnostic OnnxTypeCheck::report(const Place &place) {
  mlir::InFlightDiagnostic error = emitError(location);
  error << place.kind << " " << place.index << " '" << place.parameter->name
        << "' has the element type ";
  return error;
}

/// Whether a newer version of the operator takes the type.
std::string OnnxTypeCheck::hint(const Place &place, int type) const {
  for (const OnnxSchema &newer : onnxSchemas(schema.name)) {
    ArrayRef<OnnxParameter> all =
        StringRef(place.kind) == "input" ? newer.inputs : newer.results;
    if (newer.version > schema.version && !all.empty() &&
        parameterAt(all, place.index).types >> type & 1)
      return " (opset " + std::to_string(newer.version) + " takes it, too: " +
             "convert the model with onnx.version_converter)";
  }
  return "";
}

/// What the file says of a constant of 4 bits, which is one of bytes here; of
/// others the element type.
static int storedType(Value value) {
  Operation *given = value.getDefiningOp();
  if (!given || !given->hasAttr(fourBitsAttr))
    return onnxTypeOf(elementOf(value));
  return elementOf(value).isUnsignedInteger() ? onnx::TensorProto::UINT4
                                              : onnx::TensorProto::INT4;
}

LogicalResult OnnxTypeCheck::check(const Place &place, Value value) {
  int type = onnxTypeOf(elementOf(value));
  uint32_t allowed = place.parameter->types;
  if (!(allowed >> type & 1) && !(allowed >> storedType(value) & 1))
    return report(place) << onnxTypeText(type) << ", expected "
                         << textOfTypes(place.parameter->types)
                         << hint(place, type);
  if (place.parameter->variable < 0)
    return success();
  auto [entry, isNew] =
      bindings.try_emplace(place.parameter->variable, Binding{type, place});
  const Binding &first = entry->second;
  if (isNew || first.type == type)
    return success();
  return report(place) << onnxTypeText(type) << ", expected "
                       << onnxTypeText(first.type) << " as " << first.place.kind
                       << " " << first.place.index << " '"
                       << first.place.parameter->name << "' has";
}

LogicalResult OnnxTypeCheck::checkInputs(ArrayRef<Value> inputs) {
  for (auto [i, value] : llvm::enumerate(inputs))
    if (value &&
        failed(check({"input", i, &parameterAt(schema.inputs, i)}, value)))
      return failure();
  return success();
}

LogicalResult OnnxTypeCheck::checkResults(ArrayRef<Value> results) {
  // Constants of the first opsets have types that these do not list, and
  // everybody takes them.
  if (schema.inputs.empty())
    return success();
  for (auto [i, value] : llvm::enumerate(results))
    if (value &&
        failed(check({"result", i, &parameterAt(schema.results, i)}, value)))
      return failure();
  return success();
}
