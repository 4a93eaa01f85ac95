// SPDX-License-Identifier: Apache-2.0
#include "format/custom_op.h"

#include "format/program_format.h"

#include <cstring>

namespace npu::format {
namespace {

/// Inputs of a node, or results.
constexpr uint64_t mostSides = 16;
/// Type, rank, size.
constexpr size_t leastTensor = 3 * sizeof(uint64_t);

class Writer {
public:
  void number(uint64_t value) { raw(&value, sizeof value); }
  void text(const std::string &value) {
    number(value.size());
    bytes += value;
  }
  void raw(const void *data, size_t size) {
    bytes.append(static_cast<const char *>(data), size);
  }
  std::string bytes;
};

void writeTensor(Writer &writer, const CustomTensor &tensor) {
  writer.number(static_cast<uint64_t>(tensor.dtype));
  writer.number(tensor.dims.size());
  writer.raw(tensor.dims.data(), tensor.dims.size() * sizeof(int64_t));
  writer.number(tensor.data.size());
  writer.raw(tensor.data.data(), tensor.data.size());
}

/// Gives zeros once it is past the end.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    raw(&value, sizeof value);
    return value;
  }
  std::string text() {
    uint64_t size = number();
    if (size > rest.size()) {
      isCut = true;
      return "";
    }
    std::string value(rest.substr(0, size));
    rest.remove_prefix(size);
    return value;
  }
  void raw(void *data, size_t size) {
    if (size > rest.size()) {
      isCut = true;
      return;
    }
    std::memcpy(data, rest.data(), size);
    rest.remove_prefix(size);
  }
  /// How many there are, each of at least `bytes`.
  uint64_t count(size_t bytes) {
    uint64_t value = number();
    if (value <= rest.size() / bytes)
      return value;
    isCut = true;
    return 0;
  }

  bool isCut = false;
  std::string_view rest;
};

CustomTensor readTensor(Reader &reader, std::string &wrong) {
  CustomTensor tensor;
  uint64_t dtype = reader.number();
  uint64_t rank = reader.count(sizeof(int64_t));
  if (dtype >= NPU_DTYPE_COUNT || rank > NPU_MAX_RANK) {
    wrong = "a tensor among its attributes has type " + std::to_string(dtype) +
            " and rank " + std::to_string(rank);
    return tensor;
  }
  tensor.dtype = static_cast<int32_t>(dtype);
  tensor.dims.resize(rank);
  reader.raw(tensor.dims.data(), rank * sizeof(int64_t));
  tensor.data.resize(reader.count(1));
  reader.raw(tensor.data.data(), tensor.data.size());
  return tensor;
}

CustomAttribute readAttribute(Reader &reader, std::string &wrong) {
  CustomAttribute attribute;
  attribute.name = reader.text();
  uint64_t kind = reader.number();
  if (kind > static_cast<uint64_t>(CustomAttribute::Kind::Tensors)) {
    wrong = "attribute '" + attribute.name + "' is of kind " +
            std::to_string(kind) + ", expected 0 to 3";
    return attribute;
  }
  attribute.kind = static_cast<CustomAttribute::Kind>(kind);
  switch (attribute.kind) {
  case CustomAttribute::Kind::Ints:
    attribute.ints.resize(reader.count(sizeof(int64_t)));
    reader.raw(attribute.ints.data(), attribute.ints.size() * sizeof(int64_t));
    break;
  case CustomAttribute::Kind::Floats:
    attribute.floats.resize(reader.count(sizeof(float)));
    reader.raw(attribute.floats.data(),
               attribute.floats.size() * sizeof(float));
    break;
  case CustomAttribute::Kind::Strings:
    for (uint64_t left = reader.count(sizeof(uint64_t)); left > 0; --left)
      attribute.strings.push_back(reader.text());
    break;
  case CustomAttribute::Kind::Tensors:
    for (uint64_t left = reader.count(leastTensor); left > 0 && wrong.empty();
         --left)
      attribute.tensors.push_back(readTensor(reader, wrong));
    break;
  }
  return attribute;
}

/// Which result it is, and which inputs it has.
std::string readSides(Reader &reader, CustomOp &op) {
  uint64_t output = reader.number();
  if (output >= mostSides)
    return "its op is result " + std::to_string(output) +
           " of a node, expected less than " + std::to_string(mostSides);
  op.output = static_cast<int32_t>(output);
  for (uint64_t left = reader.count(sizeof(uint64_t)); left > 0; --left) {
    uint64_t place = reader.number();
    if (place >= mostSides ||
        (!op.places.empty() &&
         place <= static_cast<uint64_t>(op.places.back())))
      return "its op has an operand that is input " + std::to_string(place) +
             " of the node, expected them sorted, each less than " +
             std::to_string(mostSides);
    op.places.push_back(static_cast<int32_t>(place));
  }
  return "";
}

} // namespace

std::string encodeCustomOp(const CustomOp &op) {
  Writer writer;
  writer.text(op.plugin);
  writer.text(op.version);
  writer.text(op.op);
  writer.number(op.attributes.size());
  for (const CustomAttribute &attribute : op.attributes) {
    writer.text(attribute.name);
    writer.number(static_cast<uint64_t>(attribute.kind));
    switch (attribute.kind) {
    case CustomAttribute::Kind::Ints:
      writer.number(attribute.ints.size());
      writer.raw(attribute.ints.data(),
                 attribute.ints.size() * sizeof(int64_t));
      break;
    case CustomAttribute::Kind::Floats:
      writer.number(attribute.floats.size());
      writer.raw(attribute.floats.data(),
                 attribute.floats.size() * sizeof(float));
      break;
    case CustomAttribute::Kind::Strings:
      writer.number(attribute.strings.size());
      for (const std::string &text : attribute.strings)
        writer.text(text);
      break;
    case CustomAttribute::Kind::Tensors:
      writer.number(attribute.tensors.size());
      for (const CustomTensor &tensor : attribute.tensors)
        writeTensor(writer, tensor);
      break;
    }
  }
  writer.number(static_cast<uint64_t>(op.output));
  writer.number(op.places.size());
  for (int32_t place : op.places)
    writer.number(static_cast<uint64_t>(place));
  return std::move(writer.bytes);
}

std::string decodeCustomOp(std::string_view bytes, CustomOp &op) {
  Reader reader(bytes);
  op = {};
  op.plugin = reader.text();
  op.version = reader.text();
  op.op = reader.text();
  std::string wrong;
  constexpr size_t leastAttribute = 3 * sizeof(uint64_t);
  for (uint64_t left = reader.count(leastAttribute);
       left > 0 && wrong.empty() && !reader.isCut; --left) {
    CustomAttribute attribute = readAttribute(reader, wrong);
    if (wrong.empty() && !op.attributes.empty() &&
        attribute.name <= op.attributes.back().name)
      wrong = "attribute '" + attribute.name + "' stands behind '" +
              op.attributes.back().name + "', expected them sorted";
    op.attributes.push_back(std::move(attribute));
  }
  if (wrong.empty() && !reader.isCut && reader.rest.empty())
    return "an older npuc made its op; compile the model again";
  if (wrong.empty())
    wrong = readSides(reader, op);
  if (!wrong.empty())
    return wrong;
  if (reader.isCut)
    return "its op ends within a part";
  if (!reader.rest.empty())
    return "its op has " + std::to_string(reader.rest.size()) +
           " bytes too many";
  return "";
}

} // namespace npu::format
