// SPDX-License-Identifier: Apache-2.0
//
// What there is to know of an element type, one row for each npu_dtype: who
// needs a name, a width or a spelling looks here.
#ifndef NPU_FORMAT_ELEMENT_TYPES_H
#define NPU_FORMAT_ELEMENT_TYPES_H

#include "format/program_format.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace npu {

enum class ElementKind : uint8_t { Float, Signed, Unsigned, Bool };

struct ElementType {
  npu_dtype dtype;
  const char *name; ///< in manifests and messages: "u8"
  const char *word; ///< in targets and in the dialect: "ui8"
  int bytes;
  ElementKind kind;
  const char *descr; ///< in .npy files, which know no bf16: "|u1"
};

/// By number.
inline constexpr std::array<ElementType, NPU_DTYPE_COUNT> elementTypes = {{
    {NPU_F32, "f32", "f32", 4, ElementKind::Float, "<f4"},
    {NPU_F16, "f16", "f16", 2, ElementKind::Float, "<f2"},
    {NPU_BF16, "bf16", "bf16", 2, ElementKind::Float, ""},
    {NPU_I8, "i8", "i8", 1, ElementKind::Signed, "|i1"},
    {NPU_U8, "u8", "ui8", 1, ElementKind::Unsigned, "|u1"},
    {NPU_I32, "i32", "i32", 4, ElementKind::Signed, "<i4"},
    {NPU_I64, "i64", "i64", 8, ElementKind::Signed, "<i8"},
    {NPU_BOOL, "bool", "i1", 1, ElementKind::Bool, "|b1"},
    {NPU_I16, "i16", "i16", 2, ElementKind::Signed, "<i2"},
    {NPU_F64, "f64", "f64", 8, ElementKind::Float, "<f8"},
    {NPU_U16, "u16", "ui16", 2, ElementKind::Unsigned, "<u2"},
    {NPU_U32, "u32", "ui32", 4, ElementKind::Unsigned, "<u4"},
    {NPU_U64, "u64", "ui64", 8, ElementKind::Unsigned, "<u8"},
}};

constexpr bool isByNumber() {
  for (size_t i = 0; i < elementTypes.size(); ++i)
    if (elementTypes[i].dtype != static_cast<npu_dtype>(i))
      return false;
  return true;
}
static_assert(isByNumber(), "rows stand in the order of npu_dtype");

/// Null if the number is no type.
constexpr const ElementType *lookupType(int64_t dtype) {
  return dtype >= 0 && dtype < NPU_DTYPE_COUNT
             ? &elementTypes[static_cast<size_t>(dtype)]
             : nullptr;
}

} // namespace npu

#endif // NPU_FORMAT_ELEMENT_TYPES_H
