// SPDX-License-Identifier: Apache-2.0
//
// The npu dialect: include this to use it.
#ifndef NPU_COMPILER_DIALECT_NPU_NPUDIALECT_H
#define NPU_COMPILER_DIALECT_NPU_NPUDIALECT_H

#include "compiler/Dialect/NPU/Digits.h"
#include "compiler/Dialect/NPU/ElementTypes.h"
#include "compiler/Dialect/NPU/LayoutRelation.h"
#include "compiler/Support/LLVM.h"
#include "format/instr_kinds.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace npu::plugin {
struct Use;
} // namespace npu::plugin

namespace npu {

class RelationMemo;

inline llvm::hash_code hash_value(const LayoutBlock &block) {
  return llvm::hash_combine(block.dim, block.size);
}

/// Makes elementwise functions in a row, wherever it stands.
class StepBuilder {
public:
  virtual ~StepBuilder() = default;
  /// npu.eltwise of operands that broadcast, of the first one's type.
  virtual Value step(npu_instr_kind kind, ArrayRef<Value> operands,
                     double alpha = 0, double beta = 0) = 0;
  /// The value in another element type; itself if it has that.
  virtual Value cast(Value value, Type element) = 0;
  virtual Value constant(ElementsAttr elements) = 0;
};

} // namespace npu

#include "compiler/Dialect/NPU/NPUDialect.h.inc"

#include "compiler/Dialect/NPU/NPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/NPU/NPUAttrs.h.inc"

#include "compiler/Dialect/NPU/NPUInterfaces.h.inc"

namespace npu {

/// Whether there are kernels for values of this type: at most NPU_MAX_RANK
/// dimensions, all known, at most 2^40 elements, each an npu_dtype.
bool isNpuTensor(Type type);

} // namespace npu

#define GET_OP_CLASSES
#include "compiler/Dialect/NPU/NPUOps.h.inc"

namespace npu {

/// What plugins bring to this context; null: nothing.
const plugin::Use *pluginsOf(MLIRContext *context);

/// The layout of a value, or null where it is undecided.
LayoutAttr getLayout(Type type);
inline LayoutAttr getLayout(Value value) { return getLayout(value.getType()); }

/// The same shape and element type with another layout (null: undecided).
RankedTensorType withLayout(RankedTensorType type, LayoutAttr layout);

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Integers of an I64ArrayAttr.
SmallVector<int64_t> toInts(ArrayAttr array);

/// All words of a closed set, in the order of their numbers.
template <typename Enum>
SmallVector<StringRef> wordsOf() {
  SmallVector<StringRef> words;
  for (uint32_t number = 0;; ++number) {
    StringRef word = stringifyEnum(static_cast<Enum>(number));
    if (word.empty())
      return words;
    words.push_back(word);
  }
}

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_NPUDIALECT_H
