// SPDX-License-Identifier: Apache-2.0
#include "format/custom_op.h"

#include <cstring>

namespace npu::format {
namespace {

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

CustomAttribute readAttribute(Reader &reader, std::string &wrong) {
  CustomAttribute attribute;
  attribute.name = reader.text();
  uint64_t kind = reader.number();
  if (kind > static_cast<uint64_t>(CustomAttribute::Kind::Strings)) {
    wrong = "attribute '" + attribute.name + "' is of kind " +
            std::to_string(kind) + ", expected 0, 1 or 2";
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
  }
  return attribute;
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
    }
  }
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
