// SPDX-License-Identifier: Apache-2.0
//
// The operations of kernels/support/scalars.h on values of generated code,
// scalars and vectors alike: what functions.h computes there, it writes here.
#ifndef NPU_COMPILER_CODEGEN_VALUEMATH_H
#define NPU_COMPILER_CODEGEN_VALUEMATH_H

#include "compiler/Codegen/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace npu::functions {

/// A value and where to write what is computed from it. Floats, or whole
/// numbers without sign.
struct Written {
  mlir::ImplicitLocOpBuilder *builder;
  Value value;

  Type typeOf(Type scalar) const {
    auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
    return vector ? Type(vector.clone(scalar)) : scalar;
  }
  bool isFloat() const {
    return mlir::isa<mlir::FloatType>(
        mlir::getElementTypeOrSelf(value.getType()));
  }
  template <typename Op, typename... Values>
  Written with(Values... values) const {
    return {builder, Op::create(*builder, values...)};
  }
};

inline Written like(const Written &x, double number) {
  return {x.builder, constantLike(*x.builder, x.value.getType(), number)};
}

/// An operator whose op depends on whether the operands are floats.
#define NPU_WRITTEN_OPERATOR(symbol, OnFloats, OnInts)                         \
  inline Written operator symbol(const Written &a, const Written &b) {         \
    return a.isFloat() ? a.with<mlir::arith::OnFloats>(a.value, b.value)       \
                       : a.with<mlir::arith::OnInts>(a.value, b.value);        \
  }
NPU_WRITTEN_OPERATOR(+, AddFOp, AddIOp)
NPU_WRITTEN_OPERATOR(-, SubFOp, SubIOp)
NPU_WRITTEN_OPERATOR(*, MulFOp, MulIOp)
#undef NPU_WRITTEN_OPERATOR

inline Written operator/(const Written &a, const Written &b) {
  return a.with<mlir::arith::DivFOp>(a.value, b.value);
}
inline Written operator&(const Written &a, const Written &b) {
  return a.with<mlir::arith::AndIOp>(a.value, b.value);
}
inline Written operator|(const Written &a, const Written &b) {
  return a.with<mlir::arith::OrIOp>(a.value, b.value);
}
inline Written operator^(const Written &a, const Written &b) {
  return a.with<mlir::arith::XOrIOp>(a.value, b.value);
}

inline Written compare(const Written &a, const Written &b,
                       mlir::arith::CmpFPredicate onFloats,
                       mlir::arith::CmpIPredicate onInts) {
  return a.isFloat() ? a.with<mlir::arith::CmpFOp>(onFloats, a.value, b.value)
                     : a.with<mlir::arith::CmpIOp>(onInts, a.value, b.value);
}
inline Written operator<(const Written &a, const Written &b) {
  return compare(a, b, mlir::arith::CmpFPredicate::OLT,
                 mlir::arith::CmpIPredicate::ult);
}
inline Written operator>(const Written &a, const Written &b) { return b < a; }
inline Written operator==(const Written &a, const Written &b) {
  return compare(a, b, mlir::arith::CmpFPredicate::OEQ,
                 mlir::arith::CmpIPredicate::eq);
}

inline Written select(const Written &condition, const Written &a,
                      const Written &b) {
  return a.with<mlir::arith::SelectOp>(condition.value, a.value, b.value);
}
inline Written fma(const Written &a, const Written &b, const Written &c) {
  return a.with<mlir::math::FmaOp>(a.value, b.value, c.value);
}
inline Written squareRoot(const Written &x) {
  return x.with<mlir::math::SqrtOp>(x.value);
}

inline Written bitsOf(const Written &x) {
  return x.with<mlir::arith::BitcastOp>(x.typeOf(x.builder->getI32Type()),
                                        x.value);
}
inline Written numberOf(const Written &x) {
  return x.with<mlir::arith::BitcastOp>(x.typeOf(x.builder->getF32Type()),
                                        x.value);
}
inline Written widen(const Written &x) {
  Type type = mlir::getElementTypeOrSelf(x.value.getType());
  if (type.isInteger(1))
    return x;
  if (x.isFloat())
    return x.with<mlir::arith::ExtFOp>(x.typeOf(x.builder->getF64Type()),
                                       x.value);
  return x.with<mlir::arith::ExtUIOp>(x.typeOf(x.builder->getI64Type()),
                                      x.value);
}
inline Written narrow(const Written &x) {
  return x.with<mlir::arith::TruncFOp>(x.typeOf(x.builder->getF32Type()),
                                       x.value);
}
inline Written low(const Written &x) {
  return x.with<mlir::arith::TruncIOp>(x.typeOf(x.builder->getI32Type()),
                                       x.value);
}
inline Written fromSigned(const Written &x) {
  bool isWide = mlir::getElementTypeOrSelf(x.value.getType()).isInteger(64);
  Type type = isWide ? Type(x.builder->getF64Type()) : x.builder->getF32Type();
  return x.with<mlir::arith::SIToFPOp>(x.typeOf(type), x.value);
}

inline Written shiftLeft(const Written &x, int bits) {
  return x.with<mlir::arith::ShLIOp>(x.value, like(x, bits).value);
}
inline Written shiftLeftBy(const Written &x, const Written &bits) {
  return x.with<mlir::arith::ShLIOp>(x.value, bits.value);
}
inline Written shiftRight(const Written &x, int bits) {
  return x.with<mlir::arith::ShRUIOp>(x.value, like(x, bits).value);
}
inline Written shiftSigned(const Written &x, int bits) {
  return x.with<mlir::arith::ShRSIOp>(x.value, like(x, bits).value);
}

} // namespace npu::functions

#endif // NPU_COMPILER_CODEGEN_VALUEMATH_H
