// SPDX-License-Identifier: Apache-2.0
//
// The table NPU_INSTR_KINDS as rows of C++.
#ifndef NPU_FORMAT_INSTR_KINDS_H
#define NPU_FORMAT_INSTR_KINDS_H

#include "format/program_format.h"

#include <array>
#include <string_view>

namespace npu {

struct InstrKind {
  npu_instr_kind kind;
  std::string_view name; ///< "hard_swish"
  int arity;             ///< operands that it takes
  npu_instr_types types;
};

inline constexpr InstrKind instrKinds[] = {
#define NPU_INSTR_ROW(name, number, arity, types, meaning)                     \
  {NPU_INSTR_##name, #name, arity, NPU_TYPES_##types},
    NPU_INSTR_KINDS(NPU_INSTR_ROW)
#undef NPU_INSTR_ROW
};

/// The row of each number, null where a number is no kind.
inline constexpr auto instrKindsByNumber = [] {
  std::array<const InstrKind *, NPU_INSTR_mul_shift + 1> rows = {};
  for (const InstrKind &row : instrKinds)
    rows[row.kind] = &row; // a constant expression: no number lies outside
  return rows;
}();

/// Null if the number is no kind.
constexpr const InstrKind *lookupInstr(int64_t kind) {
  return kind >= 0 && kind < int64_t{instrKindsByNumber.size()}
             ? instrKindsByNumber[static_cast<size_t>(kind)]
             : nullptr;
}

constexpr const InstrKind *lookupInstr(std::string_view name) {
  for (const InstrKind &row : instrKinds)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace npu

#endif // NPU_FORMAT_INSTR_KINDS_H
