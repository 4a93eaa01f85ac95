// SPDX-License-Identifier: Apache-2.0
//
// tosa.custom of TFLite's domain: what the TFLite front end has put in the
// place of operators that the converter to TOSA gives wrong (Frontend/TFLite).
// Their numbers are words in implementation_attrs.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace npu;

namespace {

class Custom {
public:
  explicit Custom(TosaNode &node) : node(node) {}

  /// False after an error: each word must be a finite number.
  bool readNumbers() {
    SmallVector<StringRef> words;
    node.attribute<mlir::StringAttr>("implementation_attrs")
        .getValue()
        .split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      double number = 0;
      if (word.getAsDouble(number) || !std::isfinite(number)) {
        (void)node.error("'" + word + "' is no number");
        return false;
      }
      numbers.push_back(number);
    }
    return true;
  }

  Value input(size_t index) const { return node.getInput(index); }
  Value one(npu_instr_kind kind, Value x) { return node.eltwise(kind, {x}); }
  Value two(npu_instr_kind kind, Value a, Value b) {
    return node.eltwise(kind, {a, b});
  }
  Value scalar(double value) {
    return node.scalar(value, node.getBuilder().getF32Type());
  }
  Type i32() { return node.getBuilder().getI32Type(); }

  /// Without what follows the point.
  Value truncated(Value x) {
    Value above = two(NPU_INSTR_max, one(NPU_INSTR_floor, x), scalar(0));
    Value below = two(NPU_INSTR_min, one(NPU_INSTR_ceil, x), scalar(0));
    return two(NPU_INSTR_add, above, below);
  }

  TosaNode &node;
  SmallVector<double> numbers;
};

/// A row of what may stand in the place of an operator.
struct CustomRow {
  const char *name;
  size_t operands, numbers;
  Value (*build)(Custom &op);
};

/// One dimension of a resize in TFLite's own arithmetic.
struct ResizedAxis {
  int64_t input, extent;
  bool alignsCorners, hasHalfPixels;

  /// In f32, as LiteRT has it.
  int64_t nearest(int64_t i) const {
    float scale = alignsCorners && extent > 1
                      ? float(input - 1) / float(extent - 1)
                      : float(input) / float(extent);
    float place = (float(i) + (hasHalfPixels ? 0.5f : 0.0f)) * scale;
    auto index = int64_t(alignsCorners ? std::round(place) : std::floor(place));
    return std::clamp<int64_t>(index, 0, input - 1);
  }

  /// In parts of 1024, as LiteRT has it for integers.
  int64_t place(int64_t i) const {
    int64_t scale = (1024 * input + extent / 2) / extent;
    if (alignsCorners && extent > 1)
      scale = (1024 * (input - 1) + (extent - 1) / 2) / (extent - 1);
    return i * scale + (hasHalfPixels ? scale / 2 - 512 : 0);
  }
  int64_t below(int64_t i) const {
    return std::max<int64_t>(place(i) / 1024, 0);
  }
  int64_t above(int64_t i) const {
    return std::min((place(i) + 1023) / 1024, input - 1);
  }
};

} // namespace

/// C's conversion of a float.
static Value buildTruncate(Custom &op) {
  return op.node.cast(op.truncated(op.input(0)), op.node.resultElement());
}

/// round(x / scale) + zero, halves away from zero, at the nearest end if out of
/// range. The largest number below a half makes the sum right for all floats.
static Value buildQuantize(Custom &op) {
  double scale = op.numbers[0], zero = op.numbers[1], least = op.numbers[2],
         most = op.numbers[3];
  Value quotient = op.two(NPU_INSTR_div, op.input(0), op.scalar(scale));
  // Bounded first, so that no sum of large numbers is rounded.
  quotient = op.node.eltwise(NPU_INSTR_clip, {quotient}, least - zero - 1,
                             most - zero + 1);
  Value half = op.two(NPU_INSTR_mul, op.one(NPU_INSTR_sign, quotient),
                      op.scalar(0x1.fffffep-2));
  Value rounded = op.truncated(op.two(NPU_INSTR_add, quotient, half));
  Value sum = op.two(NPU_INSTR_add, rounded, op.scalar(zero));
  return op.node.cast(op.node.eltwise(NPU_INSTR_clip, {sum}, least, most),
                      op.node.resultElement());
}

static Value buildDiv(Custom &op) {
  return op.two(NPU_INSTR_div, op.input(0), op.input(1));
}

/// The whole number below the exact quotient, which a rounded quotient may
/// reach: what is left is taken off first. Numbers too large for that have no
/// fraction.
static Value buildFloorDiv(Custom &op) {
  Value x = op.input(0), y = op.input(1);
  Value quotient = op.two(NPU_INSTR_div, x, y);
  Value without = op.two(NPU_INSTR_sub, x, op.two(NPU_INSTR_mod, x, y));
  Value whole = op.one(NPU_INSTR_round, op.two(NPU_INSTR_div, without, y));
  Value isSmall = op.two(NPU_INSTR_less, op.one(NPU_INSTR_abs, quotient),
                         op.scalar(1 << 22));
  return op.node.eltwise(NPU_INSTR_select,
                         {isSmall, whole, op.one(NPU_INSTR_floor, quotient)});
}

/// The remainder with the divisor's sign.
static Value buildFloorMod(Custom &op) {
  return op.two(NPU_INSTR_mod, op.input(0), op.input(1));
}

static Value buildGelu(Custom &op) {
  return op.one(NPU_INSTR_gelu_erf, op.input(0));
}

/// Halves to even.
static Value buildRound(Custom &op) {
  return op.one(NPU_INSTR_round, op.input(0));
}

/// x / max(sqrt(sum of squares), 1e-6) along the last dimension.
static Value buildL2Normalization(Custom &op) {
  Value x = op.input(0);
  if (rankOf(x) < 1)
    return op.node.fail("normalizes a scalar, expected a row");
  Value sum = op.node.reduce(op.two(NPU_INSTR_mul, x, x), ReduceKind::Sum,
                             {rankOf(x) - 1}, /*keepDims=*/true);
  return op.two(
      NPU_INSTR_div, x,
      op.two(NPU_INSTR_max, op.one(NPU_INSTR_sqrt, sum), op.scalar(1e-6)));
}

/// Rows and columns of the result, then both flags.
static FailureOr<std::array<ResizedAxis, 2>> resizedAxes(Custom &op) {
  constexpr double most = 1 << 20; // its indices are made one by one
  if (rankOf(op.input(0)) != 4 || op.numbers[0] < 1 || op.numbers[1] < 1 ||
      op.numbers[0] > most || op.numbers[1] > most || op.node.hasFailed())
    return op.node.error("resizes " + shapes::text(shapeOf(op.input(0))) +
                         ", expected an image, and extents from 1 to 2^20");
  std::array<ResizedAxis, 2> axes;
  for (int i : {0, 1})
    axes[i] = {shapeOf(op.input(0))[1 + i], int64_t(op.numbers[i]),
               op.numbers[2] != 0, op.numbers[3] != 0};
  return axes;
}

static Value buildResizeNearest(Custom &op) {
  auto axes = resizedAxes(op);
  if (failed(axes))
    return Value();
  Value x = op.input(0);
  for (auto [dim, axis] : llvm::enumerate(*axes)) {
    Ints indices;
    for (int64_t i = 0; i < axis.extent; ++i)
      indices.push_back(axis.nearest(i));
    x = op.node.pick(x, 1 + int64_t(dim), indices);
  }
  return x;
}

/// Sums in units of 2^-20, halves away from zero.
static Value buildResizeBilinear(Custom &op) {
  auto axes = resizedAxes(op);
  if (failed(axes))
    return Value();
  Value x = op.node.cast(op.input(0), op.i32());
  for (auto [index, axis] : llvm::enumerate(*axes)) {
    int64_t dim = 1 + int64_t(index);
    Ints below, above;
    std::vector<int32_t> belowPart, abovePart;
    for (int64_t i = 0; i < axis.extent; ++i) {
      below.push_back(axis.below(i));
      above.push_back(axis.above(i));
      abovePart.push_back(int32_t(axis.place(i) - 1024 * axis.below(i)));
      belowPart.push_back(1024 - abovePart.back());
    }
    auto part = [&](const Ints &indices, const std::vector<int32_t> &parts) {
      return op.two(NPU_INSTR_mul, op.node.pick(x, dim, indices),
                    op.node.vectorAlong(parts, dim, 4));
    };
    x = op.two(NPU_INSTR_add, part(below, belowPart), part(above, abovePart));
  }
  Value half = op.two(NPU_INSTR_mul, op.one(NPU_INSTR_sign, x),
                      op.node.scalar(1 << 19, op.i32()));
  Value rounded = op.two(NPU_INSTR_div, op.two(NPU_INSTR_add, x, half),
                         op.node.scalar(1 << 20, op.i32()));
  return op.node.cast(rounded, op.node.resultElement());
}

/// One of two numbers, by whether an index is that of the place.
static Value buildOneHot(Custom &op) {
  Value x = op.input(0);
  auto depth = int64_t(op.numbers[0]), axis = int64_t(op.numbers[3]);
  int64_t rank = rankOf(x) + 1;
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= rank || depth < 0 || depth > (1 << 20))
    return op.node.fail("has the dimension " + Twine(axis) + " of extent " +
                        Twine(depth) + ", expected one of " + Twine(rank) +
                        " and an extent of at most 2^20");
  Ints shape(shapeOf(x));
  shape.insert(shape.begin() + axis, 1);
  Value places = op.node.countAlong(depth, axis, rank, elementOf(x));
  Value isHere = op.two(NPU_INSTR_equal, op.node.reshape(x, shape), places);
  auto number = [&](size_t index) {
    return op.node.scalar(op.numbers[index], op.node.resultElement());
  };
  return op.node.eltwise(NPU_INSTR_select, {isHere, number(1), number(2)});
}

static const CustomRow rows[] = {
    {"npuc.div", 2, 0, buildDiv},
    {"npuc.floor_div", 2, 0, buildFloorDiv},
    {"npuc.floor_mod", 2, 0, buildFloorMod},
    {"npuc.gelu", 1, 0, buildGelu},
    {"npuc.l2_normalization", 1, 0, buildL2Normalization},
    {"npuc.one_hot", 1, 4, buildOneHot},
    {"npuc.quantize", 1, 4, buildQuantize},
    {"npuc.resize_bilinear", 1, 4, buildResizeBilinear},
    {"npuc.resize_nearest", 1, 4, buildResizeNearest},
    {"npuc.round", 1, 0, buildRound},
    {"npuc.truncate", 1, 0, buildTruncate},
};

LogicalResult npu::buildTosaCustom(TosaNode &node) {
  StringRef name = node.attribute<mlir::StringAttr>("operator_name").getValue();
  StringRef domain = node.attribute<mlir::StringAttr>("domain_name").getValue();
  const CustomRow *row = llvm::find_if(
      rows, [&](const CustomRow &row) { return name == row.name; });
  if (domain != "TFL" || row == std::end(rows))
    return node.unsupported("is operator '" + name + "' of '" + domain +
                            "', which npuc does not know");
  Custom op(node);
  if (!op.readNumbers())
    return failure();
  if (node.getInputCount() != row->operands ||
      op.numbers.size() != row->numbers)
    return node.error("has " + Twine(node.getInputCount()) + " operands and " +
                      Twine(op.numbers.size()) + " numbers, expected " +
                      Twine(row->operands) + " and " + Twine(row->numbers));
  return node.setResult(row->build(op));
}
