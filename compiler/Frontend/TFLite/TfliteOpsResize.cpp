// SPDX-License-Identifier: Apache-2.0
//
// Resizes of images, in LiteRT's own arithmetic.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"
#include "compiler/Frontend/Support/Windows.h"

#include <array>
#include <cmath>

using namespace npu;

namespace {
/// Rows or columns.
struct ResizedAxis {
  int64_t input, extent;
  bool alignsCorners, hasHalfPixels;

  /// In f32, as LiteRT has it.
  float scale() const {
    return alignsCorners && extent > 1 ? float(input - 1) / float(extent - 1)
                                       : float(input) / float(extent);
  }
  int64_t nearest(int64_t i) const {
    float place = (float(i) + (hasHalfPixels ? 0.5F : 0.0F)) * scale();
    auto index = int64_t(alignsCorners ? std::round(place) : std::floor(place));
    return std::clamp<int64_t>(index, 0, input - 1);
  }

  /// Where result i lies, in f32.
  float realPlace(int64_t i) const {
    return hasHalfPixels ? (float(i) + 0.5F) * scale() - 0.5F
                         : float(i) * scale();
  }
  /// In parts of 1024, as LiteRT has it for integers.
  int64_t place(int64_t i) const {
    int64_t step = (1024 * input + extent / 2) / extent;
    if (alignsCorners && extent > 1)
      step = (1024 * (input - 1) + (extent - 1) / 2) / (extent - 1);
    return i * step + (hasHalfPixels ? step / 2 - 512 : 0);
  }
};

using RowsAndColumns = std::array<ResizedAxis, 2>;

/// The neighbours of each row or column of the result, and the part of each.
template <typename Number>
struct Neighbours {
  Ints below, above;
  std::vector<Number> belowPart, abovePart;
};
} // namespace

template <typename Options>
static FailureOr<RowsAndColumns> resizedAxes(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> sizes = node.numbers(1, "sizes");
  if (failed(sizes))
    return failure();
  constexpr int64_t most = 1 << 20; // its indices are made one by one
  auto isSize = [&](int64_t size) { return size >= 1 && size <= most; };
  if (rankOf(x) != 4 || sizes->size() != 2 || !llvm::all_of(*sizes, isSize) ||
      !llvm::all_of(shapeOf(x), isSize))
    return node.error("resizes " + shapes::text(shapeOf(x)) + " to " +
                      shapes::text(*sizes) +
                      ", expected an image, and extents from 1 to 2^20");
  const auto *options = node.op.options<Options>();
  bool alignsCorners = options && options->align_corners(),
       hasHalfPixels = options && options->half_pixel_centers();
  RowsAndColumns axes;
  for (int i : {0, 1})
    axes[i] = {shapeOf(x)[1 + i], (*sizes)[i], alignsCorners, hasHalfPixels};
  return axes;
}

LogicalResult npu::buildTfliteResizeNearest(TfliteNode &node) {
  auto axes = resizedAxes<tflite::ResizeNearestNeighborOptions>(node);
  if (failed(axes))
    return failure();
  Value x = node.input(0);
  for (auto [dim, axis] : llvm::enumerate(*axes)) {
    Ints indices;
    for (int64_t i = 0; i < axis.extent; ++i)
      indices.push_back(axis.nearest(i));
    x = node.pick(x, 1 + int64_t(dim), indices);
  }
  return node.setResult(x);
}

// --- Bilinear ----------------------------------------------------------------

static Value resizedFloats(TfliteNode &node, const RowsAndColumns &axes) {
  SmallVector<double> scales;
  Ints extents;
  for (const ResizedAxis &axis : axes) {
    extents.push_back(axis.extent);
    scales.push_back(double(axis.extent) / double(axis.input));
  }
  ResizeCoordinates coordinates =
      axes[0].alignsCorners   ? ResizeCoordinates::AlignCorners
      : axes[0].hasHalfPixels ? ResizeCoordinates::HalfPixel
                              : ResizeCoordinates::Asymmetric;
  return resizeLinearly(node, node.input(0), extents, scales, coordinates);
}

static Neighbours<int32_t> wholeNeighbours(const ResizedAxis &axis) {
  Neighbours<int32_t> found;
  for (int64_t i = 0; i < axis.extent; ++i) {
    int64_t place = axis.place(i);
    int64_t below = std::max<int64_t>(place / 1024, 0);
    found.below.push_back(below);
    found.above.push_back(std::min((place + 1023) / 1024, axis.input - 1));
    found.abovePart.push_back(int32_t(place - 1024 * below));
    found.belowPart.push_back(1024 - found.abovePart.back());
  }
  return found;
}

/// Between neighbours, in units of 2^-10 of those of the data.
static Value between(TfliteNode &node, Value x, int64_t dim,
                     const ResizedAxis &axis) {
  Neighbours<int32_t> near = wholeNeighbours(axis);
  auto part = [&](const Ints &indices, const std::vector<int32_t> &parts) {
    return node.two(NPU_INSTR_mul,
                    node.cast(node.pick(x, dim, indices), node.i32()),
                    node.vectorAlong(parts, dim, 4));
  };
  return node.two(NPU_INSTR_add, part(near.below, near.belowPart),
                  part(near.above, near.abovePart));
}

/// Sums of bytes in units of 2^-20, halves away from zero.
static Value resizedBytes(TfliteNode &node, const RowsAndColumns &axes) {
  Value x = between(node, node.input(0), 1, axes[0]);
  x = between(node, x, 2, axes[1]);
  return dividedByPower(node, x, 20);
}

/// Sums of i16 in the same units, without 64 bits: the parts of a number above
/// and below 2^10 are resized apart. The sum is high * 2^10 + low.
static Value resizedShorts(TfliteNode &node, const RowsAndColumns &axes) {
  Value ten = node.number32(10), mask = node.number32(1023);
  Value x = between(node, node.input(0), 1, axes[0]);
  Value high =
      between(node, node.two(NPU_INSTR_shift_right, x, ten), 2, axes[1]);
  Value low = between(node, node.two(NPU_INSTR_bit_and, x, mask), 2, axes[1]);
  high =
      node.two(NPU_INSTR_add, high, node.two(NPU_INSTR_shift_right, low, ten));
  low = node.two(NPU_INSTR_bit_and, low, mask);
  // A half below zero has nothing in its low bits.
  Value zero = node.number32(0);
  Value isHalf =
      node.two(NPU_INSTR_logical_and, node.two(NPU_INSTR_less, high, zero),
               node.two(NPU_INSTR_equal, low, zero));
  Value half = node.eltwise(NPU_INSTR_select,
                            {isHalf, node.number32(511), node.number32(512)});
  return node.two(NPU_INSTR_shift_right, node.two(NPU_INSTR_add, high, half),
                  ten);
}

static Neighbours<double> realNeighbours(const ResizedAxis &axis) {
  Neighbours<double> found;
  for (int64_t i = 0; i < axis.extent; ++i) {
    float place = axis.realPlace(i);
    int64_t below = std::max<int64_t>(int64_t(std::floor(place)), 0);
    found.below.push_back(below);
    found.above.push_back(
        std::min<int64_t>(int64_t(std::ceil(place)), axis.input - 1));
    float part = place - float(below);
    found.abovePart.push_back(double(part));
    found.belowPart.push_back(double(1.0F - part));
  }
  return found;
}

/// u8 in f32, in LiteRT's order: each of four neighbours times the part of its
/// row and of its column, and a half, cut off.
static Value resizedUnsigned(TfliteNode &node, const RowsAndColumns &axes) {
  const tflite::Tensor &tensor = *node.op.input(0); // the result is its like
  Value x = node.cast(storedNumbers(node, node.input(0), tensor), node.f32());
  Neighbours<double> rows = realNeighbours(axes[0]),
                     columns = realNeighbours(axes[1]);
  auto part = [&](const Ints &row, ArrayRef<double> rowPart, const Ints &column,
                  ArrayRef<double> columnPart) {
    Value picked = node.pick(node.pick(x, 1, row), 2, column);
    picked = node.two(NPU_INSTR_mul, picked,
                      node.floats(rowPart, {axes[0].extent, 1, 1}));
    return node.two(NPU_INSTR_mul, picked,
                    node.floats(columnPart, {axes[1].extent, 1}));
  };
  auto plus = [&](Value a, Value b) { return node.two(NPU_INSTR_add, a, b); };
  Value sum =
      plus(part(rows.below, rows.belowPart, columns.below, columns.belowPart),
           part(rows.above, rows.abovePart, columns.below, columns.belowPart));
  sum = plus(
      sum, part(rows.below, rows.belowPart, columns.above, columns.abovePart));
  sum = plus(
      sum, part(rows.above, rows.abovePart, columns.above, columns.abovePart));
  Value whole = node.one(NPU_INSTR_floor, plus(sum, node.float32(0.5)));
  return node.cast(heldNumbers(node, whole, tensor), node.resultElement());
}

LogicalResult npu::buildTfliteResizeBilinear(TfliteNode &node) {
  auto axes = resizedAxes<tflite::ResizeBilinearOptions>(node);
  if (failed(axes) || failed(node.checkKeepsType(0)))
    return failure();
  if ((*axes)[0].alignsCorners && (*axes)[0].hasHalfPixels)
    return node.error("aligns corners and has half pixels, expected one");
  if (isa<mlir::FloatType>(elementOf(node.input(0))))
    return node.setResult(resizedFloats(node, *axes));
  if (node.op.inputType(0) == tflite::TensorType::UINT8)
    return node.setResult(resizedUnsigned(node, *axes));
  Value whole = isByte(elementOf(node.input(0))) ? resizedBytes(node, *axes)
                                                 : resizedShorts(node, *axes);
  return node.setResult(node.cast(whole, node.resultElement()));
}
