// SPDX-License-Identifier: Apache-2.0
//
// What the builder of an op sees: the TOSA op, its operands as values of the
// npu dialect, and the emitter for its results.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSANODE_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSANODE_H

#include "compiler/Frontend/Support/Emitter.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace npu {

class TosaNode;

/// A row of the op table (TosaOps.cpp).
struct TosaOp {
  const char *name; // without "tosa."
  LogicalResult (*build)(TosaNode &node);
  /// What tells apart ops that share a builder: npu_instr_kind, a word.
  int kind = 0;
  const char *word = "";
  const char *note = "";
};

/// The values of a function, known by those of the TOSA function.
struct TosaValues {
  llvm::DenseMap<Value, Value> tensors;
  llvm::DenseMap<Value, Ints> shapes; // of type !tosa.shape
};

class TosaNode : public Emitter {
public:
  TosaNode(OpBuilder &builder, Location location, Operation *source,
           const TosaOp &row, const TosaValues &values)
      : Emitter(builder, location), row(row), source(source), values(values),
        results(source->getNumResults()) {}

  const TosaOp &row;

  /// Some attributes have the same name in several ops.
  template <typename AttrTy>
  AttrTy attribute(StringRef name) const {
    return source->getAttrOfType<AttrTy>(name);
  }
  Ints getInts(StringRef name) const;
  int64_t getAxis() const;

  size_t getInputCount() const { return source->getNumOperands(); }
  /// The value of a tensor operand.
  Value getInput(size_t index) const {
    return values.tensors.lookup(source->getOperand(index));
  }
  /// The numbers of a shape operand. MLIR's verifier and the table of operators
  /// see to it that tosa.const_shape gives them.
  Ints getShape(size_t index) const {
    return values.shapes.lookup(source->getOperand(index));
  }

  /// Element types as the file has them: i16 is i32 in the dialect.
  Type sourceElement(size_t index) const {
    return mlir::getElementTypeOrSelf(source->getOperand(index).getType());
  }
  Type sourceResult() const {
    return mlir::getElementTypeOrSelf(source->getResult(0).getType());
  }
  /// The first result's element type in the dialect.
  Type resultElement() const;

  /// Floats where the op says that NaN counts as nothing: `instead` in place of
  /// each; else `value`.
  Value withoutNan(Value value, Value instead);
  /// Whether NaN passes through the op, as it does if nothing is said.
  bool keepsNan() const;

  LogicalResult setResult(Value value);
  ArrayRef<Value> getResults() const { return results; }

private:
  Operation *source;
  const TosaValues &values;
  SmallVector<Value> results;
};

/// The dialect's element type for one of TOSA, null if it has none.
Type dialectElement(Type element);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSANODE_H
