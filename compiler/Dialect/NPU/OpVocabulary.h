// SPDX-License-Identifier: Apache-2.0
//
// What targets and wishes may say of an op, whatever the model.
#ifndef NPU_COMPILER_DIALECT_NPU_OPVOCABULARY_H
#define NPU_COMPILER_DIALECT_NPU_OPVOCABULARY_H

#include "compiler/Dialect/NPU/LayoutRelation.h"
#include "compiler/Support/LLVM.h"
#include "format/program_format.h"

#include "llvm/ADT/StringRef.h"

namespace npu {

struct OpWords {
  /// In place of an operand's number: all results.
  static constexpr unsigned result = ~0U;

  StringRef name; ///< getDemandName()
  Sensitivity sensitivity;
  /// Names of the operands, in order; the last is that of all that follow.
  ArrayRef<StringRef> roles;
  /// The image axes that the op knows of an operand (or result) of this rank;
  /// null if of none.
  ImageAxes (*axes)(int64_t rank, unsigned operand);
  /// Dimensions of the data; 0 where they differ.
  int64_t rank;
  ArrayRef<StringRef> attributes;
};

/// Each name that getDemandName() gives, once; without those of plugins' ops.
ArrayRef<OpWords> opVocabulary();

/// Null if there is no such op, also among those of loaded plugins
/// ("acme.rope").
const OpWords *lookupOpWords(StringRef name);

/// An element type, as targets spell it.
struct TypeWord {
  StringRef name;
  npu_dtype type;
};

ArrayRef<TypeWord> typeVocabulary();

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_OPVOCABULARY_H
