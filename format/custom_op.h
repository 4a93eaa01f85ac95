// SPDX-License-Identifier: Apache-2.0
//
// An op of a plugin, with the attributes of the model's node, as bytes of a
// program: docs/program-format.md has the encoding.
#ifndef NPU_FORMAT_CUSTOM_OP_H
#define NPU_FORMAT_CUSTOM_OP_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npu::format {

/// Row-major, as the runtime stores its elements.
struct CustomTensor {
  int32_t dtype = 0; ///< npu_dtype
  std::vector<int64_t> dims;
  std::vector<char> data;
};

/// One of the four lists has the values; an attribute without any is a list
/// of its kind without elements.
struct CustomAttribute {
  enum class Kind : uint32_t { Ints, Floats, Strings, Tensors };
  std::string name;
  Kind kind = Kind::Ints;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  std::vector<CustomTensor> tensors;
};

struct CustomOp {
  std::string plugin, version, op;
  std::vector<CustomAttribute> attributes; ///< sorted by name, each once
  int32_t output = 0; ///< which of the node's results it computes
  /// Of each operand, which input of the node it is; empty: 0, 1, 2, ...
  std::vector<int32_t> places;
};

std::string encodeCustomOp(const CustomOp &op);

/// The inverse; empty, or one clause that says what is wrong.
std::string decodeCustomOp(std::string_view bytes, CustomOp &op);

} // namespace npu::format

#endif // NPU_FORMAT_CUSTOM_OP_H
