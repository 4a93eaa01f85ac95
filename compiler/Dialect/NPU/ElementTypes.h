// SPDX-License-Identifier: Apache-2.0
//
// Which ops take which element types: f64 is moved, compared and converted, and
// the order of u64 is known to elementwise functions alone.
#ifndef NPU_COMPILER_DIALECT_NPU_ELEMENTTYPES_H
#define NPU_COMPILER_DIALECT_NPU_ELEMENTTYPES_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/OpDefinition.h"

namespace npu {

/// Whether the op does more with numbers of f64 than move, compare or convert
/// them.
bool computesInF64(Operation *op);

/// Whether the op asks which numbers of u64 are larger, or divides them, and is
/// no elementwise function.
bool ordersU64(Operation *op);

LogicalResult verifyElementTypes(Operation *op);

/// The trait of all ops of the dialect that checks it.
template <typename ConcreteType>
class TakesElementTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, TakesElementTypes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyElementTypes(op);
  }
};

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_ELEMENTTYPES_H
