// SPDX-License-Identifier: Apache-2.0
//
// What a target's conditions may ask of an op in a model.
#ifndef NPU_COMPILER_DIALECT_NPU_OPFACTS_H
#define NPU_COMPILER_DIALECT_NPU_OPFACTS_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"

namespace npu {

/// Of an op: numbers or words, several where it has one for each spatial
/// dimension or value. A fused kernel answers for what it is built around.
struct OpFact {
  StringRef name;
  /// One line for people.
  StringRef meaning;
  /// Whether ops of this name have it.
  bool (*isOf)(const OpWords &words);
  /// One of the two is null. Of an op that has it: at least one.
  SmallVector<int64_t> (*numbers)(LayoutOpInterface op);
  SmallVector<StringRef> (*words)(LayoutOpInterface op);
  /// The words that ops of this name may answer; of numbers null.
  SmallVector<StringRef> (*allowed)(const OpWords &words);
  /// Whether it may have several numbers at once.
  bool isSeveral = false;
};

/// Each fact, once.
ArrayRef<OpFact> opFacts();

/// Null if there is no such fact.
const OpFact *lookupOpFact(StringRef name);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_OPFACTS_H
