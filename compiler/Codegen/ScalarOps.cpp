// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ScalarOps.h"

#include "compiler/Codegen/ValueMath.h"
#include "format/element_types.h"
#include "kernels/support/angles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace npu;
using namespace mlir::arith;
namespace math = mlir::math;
using Builder = mlir::ImplicitLocOpBuilder;

namespace {

/// What a row of the table works on.
struct Args {
  const npu_instr &instr;
  ArrayRef<Value> in;
  bool isUnsigned; // of the operands
};

using Emit = Value (*)(Builder &, const Args &);

struct Row {
  npu_instr_kind kind;
  Emit onFloats; // null: no form
  Emit onInts;   // integers; booleans are i1
};

} // namespace

Value npu::constantLike(Builder &builder, Type type, double number) {
  Type scalar = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr attribute;
  if (isa<mlir::FloatType>(scalar))
    attribute = builder.getFloatAttr(scalar, number);
  else
    attribute = builder.getIntegerAttr(
        scalar, number < 0x1p63
                    ? static_cast<int64_t>(number)
                    : static_cast<int64_t>(static_cast<uint64_t>(number)));
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return mlir::arith::ConstantOp::create(builder, attribute);
}

static Value like(Builder &b, Value value, double number) {
  return constantLike(b, value.getType(), number);
}

static Value clamp(Builder &b, Value x, double low, double high) {
  return functions::between(functions::Written{&b, x}, low, high).value;
}

/// Like the others that compare, as the kernel library's interpreter does it:
/// NaN and -0.0 stay.
static Value relu(Builder &b, const Args &args) {
  Value x = args.in[0], zero = like(b, x, 0);
  return SelectOp::create(b, CmpFOp::create(b, CmpFPredicate::OLT, x, zero),
                          zero, x);
}

/// The first operand if it is more extreme, or NaN.
template <CmpFPredicate isMore>
static Value extreme(Builder &b, const Args &args) {
  Value x = args.in[0], y = args.in[1];
  Value isFirst = OrIOp::create(b, CmpFOp::create(b, isMore, x, y),
                                CmpFOp::create(b, CmpFPredicate::UNO, x, x));
  return SelectOp::create(b, isFirst, x, y);
}

/// alpha * x + beta, clamped to [0, 1].
static Value hardSigmoid(Builder &b, const Args &args) {
  Value x = args.in[0];
  Value scaled = MulFOp::create(b, x, like(b, x, args.instr.alpha));
  return clamp(b, AddFOp::create(b, scaled, like(b, x, args.instr.beta)), 0, 1);
}

/// x >= 0 ? x : other
static Value whereNegative(Builder &b, Value x, Value other) {
  Value isPositive = CmpFOp::create(b, CmpFPredicate::OGE, x, like(b, x, 0));
  return SelectOp::create(b, isPositive, x, other);
}

/// A formula of functions.h or angles.h.
template <functions::Written (*formula)(functions::Written)>
static Value written(Builder &b, const Args &args) {
  return formula({&b, args.in[0]}).value;
}

static Value elu(Builder &b, const Args &args) {
  Value x = args.in[0];
  Value power = functions::exponentialLess1(functions::Written{&b, x}).value;
  return whereNegative(b, x,
                       MulFOp::create(b, power, like(b, x, args.instr.alpha)));
}

static Value swish(Builder &b, const Args &args) {
  Value x = args.in[0];
  Value scaled = MulFOp::create(b, x, like(b, x, args.instr.alpha));
  return MulFOp::create(
      b, x, functions::logistic(functions::Written{&b, scaled}).value);
}

static Value signOfFloat(Builder &b, const Args &args) {
  Value x = args.in[0];
  Value zero = like(b, x, 0);
  Value up = SelectOp::create(b, CmpFOp::create(b, CmpFPredicate::OGT, x, zero),
                              like(b, x, 1), x);
  return SelectOp::create(b, CmpFOp::create(b, CmpFPredicate::OLT, x, zero),
                          like(b, x, -1), up);
}

template <CmpFPredicate predicate>
static Value compareFloats(Builder &b, const Args &args) {
  return CmpFOp::create(b, predicate, args.in[0], args.in[1]);
}

template <CmpIPredicate isSigned, CmpIPredicate isUnsigned>
static Value compareInts(Builder &b, const Args &args) {
  return CmpIOp::create(b, args.isUnsigned ? isUnsigned : isSigned, args.in[0],
                        args.in[1]);
}

template <typename Op>
static Value unary(Builder &b, const Args &args) {
  return Op::create(b, args.in[0]);
}

template <typename Op>
static Value binary(Builder &b, const Args &args) {
  return Op::create(b, args.in[0], args.in[1]);
}

template <typename Signed, typename Unsigned>
static Value binaryInts(Builder &b, const Args &args) {
  if (args.isUnsigned)
    return Unsigned::create(b, args.in[0], args.in[1]);
  return Signed::create(b, args.in[0], args.in[1]);
}

/// 0 by zero; the least number by -1 wraps. Neither reaches the processor's
/// division, which would stop there.
static Value divideInts(Builder &b, const Args &args) {
  Value zero = like(b, args.in[1], 0), one = like(b, args.in[1], 1);
  Value isZero = CmpIOp::create(b, CmpIPredicate::eq, args.in[1], zero);
  Value safe = SelectOp::create(b, isZero, one, args.in[1]);
  if (args.isUnsigned)
    return SelectOp::create(b, isZero, zero,
                            DivUIOp::create(b, args.in[0], safe));
  Value isMinus =
      CmpIOp::create(b, CmpIPredicate::eq, args.in[1], like(b, args.in[1], -1));
  safe = SelectOp::create(b, isMinus, one, safe);
  Value quotient = DivSIOp::create(b, args.in[0], safe);
  quotient = SelectOp::create(b, isMinus, SubIOp::create(b, zero, args.in[0]),
                              quotient);
  return SelectOp::create(b, isZero, zero, quotient);
}

/// As divideInts; of a signed one the sign is the divisor's, with alpha = 1 the
/// dividend's.
static Value remainderOfInts(Builder &b, const Args &args) {
  Value x = args.in[0], y = args.in[1];
  Value zero = like(b, y, 0), one = like(b, y, 1);
  Value isZero = CmpIOp::create(b, CmpIPredicate::eq, y, zero);
  if (args.isUnsigned) {
    Value safe = SelectOp::create(b, isZero, one, y);
    return SelectOp::create(b, isZero, zero, RemUIOp::create(b, x, safe));
  }
  // By 1 and -1 nothing is left.
  Value isMinus = CmpIOp::create(b, CmpIPredicate::eq, y, like(b, y, -1));
  Value safe = SelectOp::create(b, OrIOp::create(b, isZero, isMinus), one, y);
  Value rest = RemSIOp::create(b, x, safe);
  if (args.instr.alpha == 1.0f)
    return rest;
  Value isLeft = CmpIOp::create(b, CmpIPredicate::ne, rest, zero);
  Value differs =
      CmpIOp::create(b, CmpIPredicate::slt, XOrIOp::create(b, rest, y), zero);
  return SelectOp::create(b, AndIOp::create(b, isLeft, differs),
                          AddIOp::create(b, rest, y), rest);
}

static Value reluOfInts(Builder &b, const Args &args) {
  Value x = args.in[0];
  return args.isUnsigned ? x : MaxSIOp::create(b, x, like(b, x, 0)).getResult();
}

static Value signOfInts(Builder &b, const Args &args) {
  Value x = args.in[0];
  Value one = like(b, x, 1);
  if (args.isUnsigned)
    return MinUIOp::create(b, x, one);
  return MaxSIOp::create(b, MinSIOp::create(b, x, one), like(b, x, -1));
}

static Value selectValue(Builder &b, const Args &args) {
  return SelectOp::create(b, args.in[0], args.in[1], args.in[2]);
}

static Value lastBit(Builder &b, Value value) {
  return like(
      b, value,
      mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() - 1);
}

/// `shifted` (by an amount within the type), or 0 if there is no such place.
static Value whereBit(Builder &b, const Args &args, Value shifted) {
  Value isPlace =
      CmpIOp::create(b, CmpIPredicate::ule, args.in[1], lastBit(b, args.in[1]));
  return SelectOp::create(b, isPlace, shifted, like(b, shifted, 0));
}

static Value shiftLeft(Builder &b, const Args &args) {
  Value amount = MinUIOp::create(b, args.in[1], lastBit(b, args.in[1]));
  return whereBit(b, args, ShLIOp::create(b, args.in[0], amount));
}

static Value shiftRight(Builder &b, const Args &args) {
  Value amount = MinUIOp::create(b, args.in[1], lastBit(b, args.in[1]));
  if (args.isUnsigned)
    return whereBit(b, args, ShRUIOp::create(b, args.in[0], amount));
  return ShRSIOp::create(b, args.in[0], amount);
}

static Value toWidth(Builder &b, Value value, unsigned bits,
                     bool isUnsigned = false) {
  Type scalar = b.getIntegerType(bits);
  auto vector = dyn_cast<mlir::VectorType>(value.getType());
  Type target = vector ? vector.clone(scalar) : scalar;
  unsigned have =
      mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (have < bits && isUnsigned)
    return ExtUIOp::create(b, target, value);
  if (have < bits)
    return ExtSIOp::create(b, target, value);
  return have > bits ? TruncIOp::create(b, target, value).getResult() : value;
}

/// The kernel library's interpreter says what it means.
static Value mulShift(Builder &b, const Args &args) {
  Value a = toWidth(b, args.in[0], 64, args.isUnsigned),
        c = toWidth(b, args.in[2], 64, args.isUnsigned);
  Value shift = AndIOp::create(b, c, like(b, c, 63));
  Value round = ShRUIOp::create(b, ShLIOp::create(b, like(b, a, 1), shift),
                                like(b, a, 1));
  if (args.instr.alpha == 1.0f) {
    Value isPositive = CmpIOp::create(b, CmpIPredicate::sge, a, like(b, a, 0));
    Value more = SelectOp::create(b, isPositive, like(b, a, double(1 << 30)),
                                  like(b, a, -double(1 << 30)));
    Value isLong = CmpIOp::create(b, CmpIPredicate::sgt, c, like(b, c, 31));
    round = AddIOp::create(b, round,
                           SelectOp::create(b, isLong, more, like(b, a, 0)));
  }
  Value product =
      MulIOp::create(b, a, toWidth(b, args.in[1], 64, args.isUnsigned));
  Value result = ShRSIOp::create(b, AddIOp::create(b, product, round), shift);
  return toWidth(
      b, result,
      mlir::getElementTypeOrSelf(args.in[0].getType()).getIntOrFloatBitWidth());
}

/// Bounds that the type does not have are none.
static Value clipInts(Builder &b, const Args &args) {
  Value x = args.in[0];
  unsigned bits =
      mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  double least = args.isUnsigned ? 0 : -std::ldexp(1.0, int(bits) - 1);
  double most = std::ldexp(1.0, int(bits) - (args.isUnsigned ? 0 : 1));
  double low = std::ceil(args.instr.alpha), high = std::floor(args.instr.beta);
  if (low > least && low < most)
    x = args.isUnsigned ? MaxUIOp::create(b, x, like(b, x, low)).getResult()
                        : MaxSIOp::create(b, x, like(b, x, low)).getResult();
  if (high >= least && high < most)
    x = args.isUnsigned ? MinUIOp::create(b, x, like(b, x, high)).getResult()
                        : MinSIOp::create(b, x, like(b, x, high)).getResult();
  return x;
}

static const Row table[] = {
    {NPU_INSTR_abs, unary<math::AbsFOp>,
     [](Builder &b, const Args &a) -> Value {
       return a.isUnsigned ? a.in[0]
                           : math::AbsIOp::create(b, a.in[0]).getResult();
     }},
    {NPU_INSTR_neg, unary<NegFOp>,
     [](Builder &b, const Args &a) -> Value {
       return SubIOp::create(b, like(b, a.in[0], 0), a.in[0]);
     }},
    {NPU_INSTR_relu, relu, reluOfInts},
    {NPU_INSTR_leaky_relu,
     [](Builder &b, const Args &a) -> Value {
       return whereNegative(
           b, a.in[0],
           MulFOp::create(b, a.in[0], like(b, a.in[0], a.instr.alpha)));
     },
     nullptr},
    {NPU_INSTR_elu, elu, nullptr},
    {NPU_INSTR_sigmoid, written<functions::logistic>, nullptr},
    {NPU_INSTR_tanh, written<functions::hyperbolicTangent>, nullptr},
    {NPU_INSTR_exp, written<functions::exponential>, nullptr},
    {NPU_INSTR_log, written<functions::logarithm>, nullptr},
    {NPU_INSTR_sqrt, unary<math::SqrtOp>, nullptr},
    {NPU_INSTR_rsqrt,
     [](Builder &b, const Args &a) -> Value {
       return DivFOp::create(b, like(b, a.in[0], 1),
                             math::SqrtOp::create(b, a.in[0]));
     },
     nullptr},
    {NPU_INSTR_reciprocal,
     [](Builder &b, const Args &a) -> Value {
       return DivFOp::create(b, like(b, a.in[0], 1), a.in[0]);
     },
     nullptr},
    {NPU_INSTR_erf, written<functions::errorFunction>, nullptr},
    {NPU_INSTR_floor, unary<math::FloorOp>, nullptr},
    {NPU_INSTR_ceil, unary<math::CeilOp>, nullptr},
    {NPU_INSTR_round, unary<math::RoundEvenOp>, nullptr},
    {NPU_INSTR_round_away, unary<math::RoundOp>, nullptr},
    {NPU_INSTR_clip,
     [](Builder &b, const Args &a) -> Value {
       return clamp(b, a.in[0], a.instr.alpha, a.instr.beta);
     },
     clipInts},
    {NPU_INSTR_hard_sigmoid, hardSigmoid, nullptr},
    {NPU_INSTR_hard_swish,
     [](Builder &b, const Args &a) -> Value {
       return MulFOp::create(b, a.in[0], hardSigmoid(b, a));
     },
     nullptr},
    {NPU_INSTR_swish, swish, nullptr},
    {NPU_INSTR_softplus, written<functions::softplus>, nullptr},
    {NPU_INSTR_gelu_erf, written<functions::geluByErf>, nullptr},
    {NPU_INSTR_gelu_tanh, written<functions::geluByTanh>, nullptr},
    {NPU_INSTR_logical_not, nullptr,
     [](Builder &b, const Args &a) -> Value {
       return XOrIOp::create(b, a.in[0], like(b, a.in[0], 1));
     }},
    {NPU_INSTR_sign, signOfFloat, signOfInts},
    {NPU_INSTR_linear,
     [](Builder &b, const Args &a) -> Value {
       Value scaled =
           MulFOp::create(b, a.in[0], like(b, a.in[0], a.instr.alpha));
       return AddFOp::create(b, scaled, like(b, a.in[0], a.instr.beta));
     },
     nullptr},
    {NPU_INSTR_sin, written<functions::sine>, nullptr},
    {NPU_INSTR_cos, written<functions::cosine>, nullptr},
    {NPU_INSTR_tan, written<functions::tangent>, nullptr},
    {NPU_INSTR_asin, written<functions::arcSine>, nullptr},
    {NPU_INSTR_acos, written<functions::arcCosine>, nullptr},
    {NPU_INSTR_atan, written<functions::arcTangent>, nullptr},
    {NPU_INSTR_bit_not, nullptr,
     [](Builder &b, const Args &a) -> Value {
       return XOrIOp::create(b, a.in[0], like(b, a.in[0], -1));
     }},
    {NPU_INSTR_clz, nullptr, unary<math::CountLeadingZerosOp>},
    {NPU_INSTR_add, binary<AddFOp>, binary<AddIOp>},
    {NPU_INSTR_sub, binary<SubFOp>, binary<SubIOp>},
    {NPU_INSTR_mul, binary<MulFOp>, binary<MulIOp>},
    {NPU_INSTR_div, binary<DivFOp>, divideInts},
    {NPU_INSTR_mod, nullptr, remainderOfInts},
    {NPU_INSTR_min, extreme<CmpFPredicate::OLT>, binaryInts<MinSIOp, MinUIOp>},
    {NPU_INSTR_max, extreme<CmpFPredicate::OGT>, binaryInts<MaxSIOp, MaxUIOp>},
    {NPU_INSTR_equal, compareFloats<CmpFPredicate::OEQ>,
     compareInts<CmpIPredicate::eq, CmpIPredicate::eq>},
    {NPU_INSTR_less, compareFloats<CmpFPredicate::OLT>,
     compareInts<CmpIPredicate::slt, CmpIPredicate::ult>},
    {NPU_INSTR_less_equal, compareFloats<CmpFPredicate::OLE>,
     compareInts<CmpIPredicate::sle, CmpIPredicate::ule>},
    {NPU_INSTR_greater, compareFloats<CmpFPredicate::OGT>,
     compareInts<CmpIPredicate::sgt, CmpIPredicate::ugt>},
    {NPU_INSTR_greater_equal, compareFloats<CmpFPredicate::OGE>,
     compareInts<CmpIPredicate::sge, CmpIPredicate::uge>},
    {NPU_INSTR_logical_and, nullptr, binary<AndIOp>},
    {NPU_INSTR_logical_or, nullptr, binary<OrIOp>},
    {NPU_INSTR_logical_xor, nullptr, binary<XOrIOp>},
    {NPU_INSTR_bit_and, nullptr, binary<AndIOp>},
    {NPU_INSTR_bit_or, nullptr, binary<OrIOp>},
    {NPU_INSTR_bit_xor, nullptr, binary<XOrIOp>},
    {NPU_INSTR_prelu,
     [](Builder &b, const Args &a) -> Value {
       return whereNegative(b, a.in[0], MulFOp::create(b, a.in[0], a.in[1]));
     },
     nullptr},
    {NPU_INSTR_shift_left, nullptr, shiftLeft},
    {NPU_INSTR_shift_right, nullptr, shiftRight},
    {NPU_INSTR_select, selectValue, selectValue},
    {NPU_INSTR_mul_shift, nullptr, mulShift},
};

static bool isFloat(int32_t dtype) {
  return lookupType(dtype)->kind == ElementKind::Float;
}

static bool isUnsigned(int32_t dtype) {
  ElementKind kind = lookupType(dtype)->kind;
  return kind == ElementKind::Unsigned || kind == ElementKind::Bool;
}

/// The form for the instruction; select decides by its second operand.
static Emit lookupEmit(const npu_instr &instr, ArrayRef<int32_t> types) {
  int32_t dtype = instr.kind == NPU_INSTR_select ? types[1] : types[0];
  for (const Row &row : table)
    if (row.kind == instr.kind)
      return isFloat(dtype) ? row.onFloats : row.onInts;
  return nullptr;
}

bool npu::canEmitInstr(const npu_instr &instr, ArrayRef<int32_t> types) {
  return instr.kind == NPU_INSTR_cast || instr.kind == NPU_INSTR_bitcast ||
         lookupEmit(instr, types);
}

/// Floats to bytes, saturating. LLVM's own saturating conversion to bytes goes
/// element by element; bounds, a conversion to i32 and a truncation do not.
static Value emitBytes(Builder &b, Value x, bool isUnsigned, Type target) {
  Value isNumber = CmpFOp::create(b, CmpFPredicate::ORD, x, x);
  x = SelectOp::create(b, isNumber, x, like(b, x, 0));
  x = clamp(b, x, isUnsigned ? 0 : -128, isUnsigned ? 255 : 127);
  Type wide = b.getI32Type();
  if (auto vector = dyn_cast<mlir::VectorType>(x.getType()))
    wide = vector.clone(wide);
  return TruncIOp::create(b, target, FPToSIOp::create(b, wide, x));
}

static Value emitCast(Builder &b, Value x, int32_t from, int32_t to,
                      Type target) {
  if (auto vector = dyn_cast<mlir::VectorType>(x.getType()))
    target = vector.clone(target);
  if (x.getType() == target && (from == NPU_BOOL) == (to == NPU_BOOL))
    return x;
  if (to == NPU_BOOL)
    return isFloat(from)
               ? CmpFOp::create(b, CmpFPredicate::UNE, x, like(b, x, 0))
                     .getResult()
               : CmpIOp::create(b, CmpIPredicate::ne, x, like(b, x, 0))
                     .getResult();
  bool fromUnsigned = isUnsigned(from);
  if (isFloat(from) && isFloat(to))
    return to == NPU_F64 ? ExtFOp::create(b, target, x).getResult()
                         : TruncFOp::create(b, target, x).getResult();
  if (isFloat(from) && (to == NPU_I8 || to == NPU_U8))
    return emitBytes(b, x, to == NPU_U8, target);
  if (isFloat(from)) // saturates, and NaN is 0, as the reference has it
    return mlir::LLVM::CallIntrinsicOp::create(
               b, target,
               b.getStringAttr(isUnsigned(to) ? "llvm.fptoui.sat"
                                              : "llvm.fptosi.sat"),
               ValueRange{x})
        .getResult(0);
  if (isFloat(to))
    return fromUnsigned ? UIToFPOp::create(b, target, x).getResult()
                        : SIToFPOp::create(b, target, x).getResult();
  unsigned narrow =
      mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned wide = mlir::getElementTypeOrSelf(target).getIntOrFloatBitWidth();
  if (wide < narrow)
    return TruncIOp::create(b, target, x);
  return fromUnsigned ? ExtUIOp::create(b, target, x).getResult()
                      : ExtSIOp::create(b, target, x).getResult();
}

static Type sameShape(Value value, Type scalar) {
  auto vector = dyn_cast<mlir::VectorType>(value.getType());
  return vector ? Type(vector.clone(scalar)) : scalar;
}

/// As memory holds it, so that 16-bit floats have their own bits.
static Value emitBitcast(Builder &b, Value x, int32_t from, int32_t to) {
  Value bits = toMemory(b, x, from);
  Type target = sameShape(x, memoryType(b.getContext(), to));
  if (bits.getType() != target)
    bits = BitcastOp::create(b, target, bits);
  return fromMemory(b, bits, to);
}

Value npu::emitInstr(Builder &builder, const npu_instr &instr,
                     ArrayRef<Value> operands, ArrayRef<int32_t> types) {
  if (instr.kind == NPU_INSTR_cast) {
    Value result = emitCast(builder, operands[0], types[0], instr.dtype,
                            computeType(builder.getContext(), instr.dtype));
    // Who converts asks for the rounding; what computes in 16 bits does not.
    bool rounds = instr.dtype == NPU_F16 || instr.dtype == NPU_BF16;
    return rounds ? fromMemory(builder, toMemory(builder, result, instr.dtype),
                               instr.dtype)
                  : result;
  }
  if (instr.kind == NPU_INSTR_bitcast)
    return emitBitcast(builder, operands[0], types[0], instr.dtype);
  return lookupEmit(instr, types)(builder,
                                  {instr, operands, isUnsigned(types[0])});
}

Type npu::computeType(MLIRContext *context, int32_t dtype) {
  OpBuilder builder(context);
  if (dtype == NPU_BOOL)
    return builder.getI1Type();
  if (!isFloat(dtype))
    return builder.getIntegerType(8 * lookupType(dtype)->bytes);
  return dtype == NPU_F64 ? builder.getF64Type() : builder.getF32Type();
}

Type npu::memoryType(MLIRContext *context, int32_t dtype) {
  OpBuilder builder(context);
  switch (dtype) {
  case NPU_F16:
    return builder.getF16Type();
  case NPU_BF16:
    return builder.getIntegerType(16);
  case NPU_BOOL:
    return builder.getI8Type();
  default:
    return computeType(context, dtype);
  }
}

Value npu::fromMemory(Builder &b, Value value, int32_t dtype) {
  Type type = sameShape(value, computeType(b.getContext(), dtype));
  if (dtype == NPU_F16)
    return ExtFOp::create(b, type, value);
  if (dtype == NPU_BOOL)
    return CmpIOp::create(b, CmpIPredicate::ne, value, like(b, value, 0));
  if (dtype != NPU_BF16)
    return value;
  Value wide = ExtUIOp::create(b, sameShape(value, b.getI32Type()), value);
  Value bits = ShLIOp::create(b, wide, like(b, wide, 16));
  return BitcastOp::create(b, type, bits);
}

/// Rounds to nearest even; a NaN stays one because its quiet bit is set.
static Value truncateToBf16(Builder &b, Value value) {
  Value bits = BitcastOp::create(b, sameShape(value, b.getI32Type()), value);
  Value lsb = AndIOp::create(b, ShRUIOp::create(b, bits, like(b, bits, 16)),
                             like(b, bits, 1));
  Value rounded =
      AddIOp::create(b, bits, AddIOp::create(b, lsb, like(b, bits, 0x7FFF)));
  Value isNan = CmpFOp::create(b, CmpFPredicate::UNO, value, value);
  Value quiet = OrIOp::create(b, bits, like(b, bits, 0x400000));
  Value kept = SelectOp::create(b, isNan, quiet, rounded);
  Value high = ShRUIOp::create(b, kept, like(b, bits, 16));
  return TruncIOp::create(b, sameShape(value, b.getIntegerType(16)), high);
}

Value npu::toMemory(Builder &b, Value value, int32_t dtype) {
  if (dtype == NPU_F16)
    return TruncFOp::create(b, sameShape(value, b.getF16Type()), value);
  if (dtype == NPU_BOOL)
    return ExtUIOp::create(b, sameShape(value, b.getI8Type()), value);
  return dtype == NPU_BF16 ? truncateToBf16(b, value) : value;
}
