// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxResample.h"

#include "compiler/Frontend/ONNX/OnnxArithmetic.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/resize/resize.h"

#include <cmath>

using namespace npu;

namespace {
/// What the elements of the result take from the data along one dimension.
struct AxisTaps {
  int64_t extent;            // of the result
  SmallVector<Ints> indices; // by tap, then by result
  SmallVector<std::vector<float>> weights;
  std::vector<char> isOutside; // by result
};
} // namespace

static npu_resize_attrs attributesOf(const ResizeSpec &spec) {
  npu_resize_attrs attributes = {};
  llvm::copy(spec.scales, attributes.scales);
  attributes.coordinates =
      static_cast<int>(symbolizeResizeCoordinates(spec.coordinates)
                           .value_or(ResizeCoordinates::HalfPixel));
  attributes.nearest = static_cast<int>(spec.nearest);
  return attributes;
}

/// Where a result element lies in the data, in single precision as in
/// onnxruntime.
static float coordinateOf(const ResizeSpec &spec, int64_t axis, int64_t i,
                          int64_t inputExtent) {
  int64_t extent = spec.extents[axis];
  if (spec.coordinates == tfHalfPixelWord)
    return (static_cast<float>(i) + 0.5f) /
           static_cast<float>(spec.scales[axis]);
  if (spec.region.empty())
    return kernels::sourceCoordinate(attributesOf(spec), int(axis), i,
                                     inputExtent, extent);
  auto start = static_cast<float>(spec.region[axis]);
  auto end = static_cast<float>(spec.region[spec.region.size() / 2 + axis]);
  auto last = static_cast<float>(inputExtent - 1);
  if (extent == 1)
    return 0.5f * (start + end) * last;
  return start * last + static_cast<float>(i) * (end - start) * last /
                            static_cast<float>(extent - 1);
}

static double cubicWeight(double a, double distance) {
  double d = std::fabs(distance);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// The weights of the taps from `first` on for a point at `ratio` in (0, 1]
/// behind tap 0; a shrinking filter is stretched by 1 / scale.
static SmallVector<double> filter(const ResizeSpec &spec, double scale,
                                  double ratio, int64_t &first) {
  bool isCubic = spec.mode == ResizeMode::Cubic;
  double stretch = spec.antialiases ? std::min(scale, 1.0) : 1.0;
  first = int64_t(std::floor((isCubic ? -2 : -1) / stretch)) + 1;
  SmallVector<double> weights;
  double sum = 0;
  for (int64_t i = first; i < 2 - first; ++i) {
    double distance = (double(i) - ratio) * stretch;
    weights.push_back(isCubic ? cubicWeight(spec.cubic, distance)
                              : std::max(0.0, 1 - std::fabs(distance)));
    sum += weights.back();
  }
  for (double &weight : weights)
    weight /= sum;
  return weights;
}

static void addTaps(AxisTaps &taps, int64_t i, float x, const ResizeSpec &spec,
                    int64_t axis, int64_t inputExtent) {
  auto clamped = [&](int64_t index) {
    return std::clamp<int64_t>(index, 0, inputExtent - 1);
  };
  if (spec.mode == ResizeMode::Nearest) {
    taps.indices.resize(1, Ints(taps.extent, 0));
    taps.indices[0][i] =
        clamped(int64_t(kernels::nearestOf(static_cast<int>(spec.nearest), x)));
    return;
  }
  int64_t base = int64_t(std::ceil(x)) - 1, first = 0;
  SmallVector<double> weights =
      filter(spec, spec.scales[axis], double(x) - double(base), first);
  double sum = 0;
  for (auto [k, weight] : llvm::enumerate(weights)) {
    int64_t index = base + first + int64_t(k);
    if (spec.excludesOutside && index != clamped(index))
      weight = 0;
    sum += weight;
  }
  taps.indices.resize(weights.size(), Ints(taps.extent, 0));
  taps.weights.resize(weights.size(), std::vector<float>(taps.extent));
  for (auto [k, weight] : llvm::enumerate(weights)) {
    taps.indices[k][i] = clamped(base + first + int64_t(k));
    taps.weights[k][i] = static_cast<float>(weight / sum);
  }
}

static AxisTaps tapsAlong(const ResizeSpec &spec, int64_t axis,
                          int64_t inputExtent) {
  AxisTaps taps{spec.extents[axis], {}, {}, {}};
  for (int64_t i = 0; i < taps.extent; ++i) {
    float x = coordinateOf(spec, axis, i, inputExtent);
    taps.isOutside.push_back(!spec.region.empty() &&
                             (x < 0 || x > float(inputExtent - 1)));
    addTaps(taps, i, std::isfinite(x) ? x : 0, spec, axis, inputExtent);
  }
  return taps;
}

/// A vector along `axis` of a tensor of rank `rank`.
template <typename Number>
static Value vectorAlong(OnnxNode &node, const std::vector<Number> &numbers,
                         Type element, int64_t axis, int64_t rank) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(numbers.size())}, element);
  const char *bytes = reinterpret_cast<const char *>(numbers.data());
  Ints shape(rank - axis, 1);
  shape[0] = static_cast<int64_t>(numbers.size());
  return node.reshape(
      node.constant(
          makeElements(type, ArrayRef(bytes, numbers.size() * sizeof(Number)))),
      shape);
}

static Value resampleAlong(OnnxNode &node, Value x, int64_t axis,
                           const AxisTaps &taps, double outside) {
  OpBuilder &builder = node.getBuilder();
  Ints shape(shapeOf(x));
  shape[axis] = taps.extent;
  Value sum;
  for (size_t k = 0; k < taps.indices.size(); ++k) {
    Value picked = node.create<GatherOp>(shape, elementOf(x), x,
                                         node.ints(taps.indices[k]),
                                         builder.getI64IntegerAttr(axis));
    if (!taps.weights.empty())
      picked = node.eltwise(
          NPU_INSTR_mul, {picked, vectorAlong(node, taps.weights[k],
                                              elementOf(x), axis, rankOf(x))});
    sum = sum ? node.eltwise(NPU_INSTR_add, {sum, picked}) : picked;
  }
  if (!llvm::is_contained(taps.isOutside, 1))
    return sum;
  Value mask =
      vectorAlong(node, taps.isOutside, builder.getI1Type(), axis, rankOf(x));
  return node.eltwise(NPU_INSTR_select,
                      {mask, node.scalar(outside, elementOf(x)), sum});
}

/// The sums of integers as integers: to the nearest, halves upwards, and none
/// that the type does not have.
static Value rounded(OnnxNode &node, Value x, Type element) {
  Value whole = node.eltwise(NPU_INSTR_floor, plus(node, x, 0.5));
  Type real = elementOf(x);
  return node.cast(node.cast(whole, element), real);
}

Value npu::resample(OnnxNode &node, Value x, const ResizeSpec &spec) {
  Type element = elementOf(x);
  bool isSum = spec.mode != ResizeMode::Nearest;
  if (isSum)
    x = node.cast(x, node.getBuilder().getF32Type());
  // As onnxruntime does it: along rows first, antialiased integers rounded
  // after each dimension. Else they are cut off, once.
  bool isRounded = isSum && spec.antialiases && !isa<mlir::FloatType>(element);
  for (int64_t axis = rankOf(x) - 1; x && axis >= 0; --axis) {
    int64_t extent = shapeOf(x)[axis];
    if (spec.scales[axis] == 1 && spec.extents[axis] == extent)
      continue;
    if (extent == 0)
      return node.fail("resizes an empty tensor");
    x = resampleAlong(node, x, axis, tapsAlong(spec, axis, extent),
                      spec.outsideValue);
    if (isRounded)
      x = rounded(node, x, element);
  }
  return x ? node.cast(x, element) : x;
}
