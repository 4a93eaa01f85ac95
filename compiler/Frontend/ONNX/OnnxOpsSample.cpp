// SPDX-License-Identifier: Apache-2.0
//
// Images read at places that are numbers: each pixel that counts is gathered,
// weighted and added. Channels stay together, so that channels last is free.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

namespace {

/// One of the pixels along a dimension that a point is made of.
struct Tap {
  Value index;    // int32, within the image
  Value weight;   // float32, or null for 1
  Value isInside; // bool, or null where every place is
};

enum class Padding { Zeros, Border, Reflection };

/// A dimension of the image.
struct Extent {
  int64_t size;
  Padding padding;
  bool alignsCorners;
};

} // namespace

static Value floorOf(OnnxNode &node, Value x) {
  return node.eltwise(NPU_INSTR_floor, x);
}

static Value clamped(OnnxNode &node, Value x, int64_t size) {
  return node.eltwise(NPU_INSTR_clip, x, 0, double(size - 1));
}

/// Mirrored at both ends of the image until it lies within.
static Value reflected(OnnxNode &node, Value x, const Extent &extent) {
  double low = extent.alignsCorners ? 0 : -0.5;
  double range = double(extent.size) - (extent.alignsCorners ? 1 : 0);
  if (range <= 0)
    return times(node, x, 0);
  Value distance = node.eltwise(NPU_INSTR_abs, plus(node, x, -low));
  Value turns = floorOf(node, times(node, distance, 1 / range));
  Value rest = subtract(node, distance, times(node, turns, range));
  Value half = times(node, turns, 0.5);
  Value isEven = equal(node, half, floorOf(node, half));
  Value back = subtract(node, node.scalar(low + range, elementOf(x)), rest);
  return select(node, isEven, plus(node, rest, low), back);
}

/// A whole place as a pixel of the image.
static Tap tapAt(OnnxNode &node, Value place, const Extent &extent) {
  Tap tap;
  if (extent.padding == Padding::Zeros) {
    Value low = node.scalar(-0.5, elementOf(place));
    Value high = node.scalar(double(extent.size) - 0.5, elementOf(place));
    tap.isInside = node.eltwise(NPU_INSTR_logical_and,
                                {node.eltwise(NPU_INSTR_greater, {place, low}),
                                 node.eltwise(NPU_INSTR_less, {place, high})});
  } else if (extent.padding == Padding::Reflection) {
    place = reflected(node, place, extent);
  }
  tap.index = node.cast(clamped(node, place, extent.size),
                        node.getBuilder().getI32Type());
  return tap;
}

/// Keys' cubic convolution with a = -0.75, at distances 1 + f, f, 1 - f, 2 - f.
static SmallVector<Value> cubicWeights(OnnxNode &node, Value fraction) {
  constexpr double a = -0.75;
  auto polynomial = [&](Value x, ArrayRef<double> factors) {
    Value result = node.scalar(factors[0], elementOf(x));
    for (double factor : factors.drop_front())
      result = plus(node, multiply(node, result, x), factor);
    return result;
  };
  Value one = node.scalar(1, elementOf(fraction));
  Value rest = subtract(node, one, fraction);
  const double outer[] = {a, -5 * a, 8 * a, -4 * a};
  const double inner[] = {a + 2, -(a + 3), 0, 1};
  return {polynomial(plus(node, fraction, 1), outer),
          polynomial(fraction, inner), polynomial(rest, inner),
          polynomial(plus(node, rest, 1), outer)};
}

/// The pixels along one dimension for coordinates in pixels.
static SmallVector<Tap> tapsAlong(OnnxNode &node, Value x, StringRef mode,
                                  const Extent &extent) {
  if (mode == "nearest")
    x = node.eltwise(NPU_INSTR_round, x);
  // Places beyond the border stay there: each pixel that counts is clamped by
  // itself, which is another result for cubic interpolation.
  if (extent.padding == Padding::Reflection)
    x = reflected(node, x, extent);
  if (mode == "nearest")
    return {tapAt(node, x, extent)};
  Value first = floorOf(node, x), fraction = subtract(node, x, first);
  if (node.hasFailed())
    return {};
  SmallVector<Value> weights;
  int64_t start = 0;
  if (mode == "cubic") {
    weights = cubicWeights(node, fraction);
    start = -1;
  } else {
    Value one = node.scalar(1, elementOf(fraction));
    weights = {subtract(node, one, fraction), fraction};
  }
  SmallVector<Tap> taps;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    taps.push_back(
        tapAt(node, plus(node, first, double(start + int64_t(i))), extent));
    taps.back().weight = weight;
  }
  return taps;
}

/// Null stands for all.
static Value both(OnnxNode &node, npu_instr_kind kind, Value a, Value b) {
  return !a ? b : !b ? a : node.eltwise(kind, {a, b});
}

/// The sum over all combinations of taps: pixels (N, P, C) of an image of the
/// extents, at points (N, Q, 1), give (N, Q, C).
static Value combined(OnnxNode &node, Value pixels,
                      ArrayRef<SmallVector<Tap>> taps,
                      ArrayRef<int64_t> extents) {
  Type element = elementOf(pixels);
  size_t combinations = 1;
  for (const SmallVector<Tap> &along : taps)
    combinations *= along.size();
  Value sum;
  for (size_t combination = 0; combination < combinations; ++combination) {
    size_t rest = combination;
    Value index, weight, isInside;
    for (auto [axis, along] : llvm::enumerate(taps)) {
      const Tap &tap = along[rest % along.size()];
      rest /= along.size();
      index = index ? add(node, times(node, index, double(extents[axis])),
                          tap.index)
                    : tap.index;
      weight = both(node, NPU_INSTR_mul, weight, tap.weight);
      isInside = both(node, NPU_INSTR_logical_and, isInside, tap.isInside);
    }
    if (node.hasFailed())
      return Value();
    Ints shape{shapeOf(index)[0], shapeOf(index)[1], shapeOf(pixels)[2]};
    Value picked = node.create<GatherNdOp>(
        shape, element, pixels, index, node.getBuilder().getI64IntegerAttr(1));
    if (isInside)
      picked = select(node, isInside, picked, node.scalar(0, element));
    if (weight)
      picked = multiply(node, picked, node.cast(weight, element));
    sum = sum ? add(node, sum, picked) : picked;
  }
  return sum;
}

/// (N, C, spatial) as (N, pixels, C).
static Value pixelsOf(OnnxNode &node, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t count = 1;
  for (int64_t extent : shape.drop_front(2))
    count *= extent;
  return node.transpose(node.reshape(x, {shape[0], shape[1], count}),
                        {0, 2, 1});
}

/// Coordinates in -1..1 as pixels.
static Value denormalized(OnnxNode &node, Value x, int64_t size,
                          bool alignsCorners) {
  double scale = double(alignsCorners ? size - 1 : size) / 2;
  return plus(node, times(node, x, scale), double(size - 1) / 2);
}

static LogicalResult checkGrid(OnnxNode &node) {
  ArrayRef<int64_t> data = shapeOf(node.getInput(0));
  ArrayRef<int64_t> grid = shapeOf(node.getInput(1));
  if (data.size() >= 3 && grid.size() == data.size() && grid[0] == data[0] &&
      grid.back() == static_cast<int64_t>(data.size()) - 2)
    return success();
  return node.error("found data of shape " + shapes::text(data) +
                    " and a grid of shape " + shapes::text(grid) +
                    ", expected N, C, spatial and N, spatial, one coordinate "
                    "for each spatial dimension");
}

LogicalResult npu::buildGridSample(OnnxNode &node) {
  bool isOld = node.version < 20;
  std::string mode =
      isOld
          ? node.getWord("mode", "bilinear", {"bilinear", "nearest", "bicubic"})
          : node.getWord("mode", "linear", {"linear", "nearest", "cubic"});
  std::string padding =
      node.getWord("padding_mode", "zeros", {"zeros", "border", "reflection"});
  bool alignsCorners = node.getFlag("align_corners", false);
  if (failed(checkGrid(node)) || node.hasFailed())
    return failure();
  StringRef kernel = mode;
  kernel.consume_front("bi");
  Padding pad = padding == "zeros"    ? Padding::Zeros
                : padding == "border" ? Padding::Border
                                      : Padding::Reflection;
  Value x = node.getInput(0), grid = node.getInput(1);
  Type element = elementOf(x), f32 = node.getBuilder().getF32Type();
  ArrayRef<int64_t> shape = shapeOf(x), extents = shape.drop_front(2);
  Ints points(shapeOf(grid));
  int64_t dims = points.pop_back_val(), count = 1;
  for (int64_t extent : ArrayRef(points).drop_front())
    count *= extent;
  grid = node.reshape(node.cast(grid, f32), {shape[0], count, dims});
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t i = 0; i < dims && !node.hasFailed(); ++i) {
    // The grid lists the innermost dimension's coordinate first.
    Value place =
        node.reshape(node.at(grid, 2, dims - 1 - i), {shape[0], count, 1});
    taps.push_back(
        tapsAlong(node, denormalized(node, place, extents[i], alignsCorners),
                  kernel, {extents[i], pad, alignsCorners}));
  }
  if (node.hasFailed())
    return failure();
  if (mode != "nearest")
    x = node.cast(x, f32);
  Value sum = combined(node, pixelsOf(node, x), taps, extents);
  points.push_back(shape[1]);
  Ints order{0, dims + 1};
  llvm::append_range(order, countFrom(1, dims + 1));
  return node.setResult(
      node.cast(node.transpose(node.reshape(sum, points), order), element));
}

/// -1 to 1 along a dimension: from the middle of the first pixel to that of the
/// last, or from edge to edge.
static double gridPlace(int64_t index, int64_t size, bool alignsCorners) {
  if (alignsCorners)
    return size > 1 ? 2 * double(index) / double(size - 1) - 1 : -1;
  return (2 * double(index) + 1) / double(size) - 1;
}

LogicalResult npu::buildAffineGrid(OnnxNode &node) {
  Value theta = node.getInput(0);
  bool alignsCorners = node.getFlag("align_corners", false);
  FailureOr<Ints> size = node.constantInts(1, "the size");
  if (failed(size))
    return failure();
  auto dims = static_cast<int64_t>(size->size()) - 2;
  if ((dims != 2 && dims != 3) ||
      shapeOf(theta) != ArrayRef<int64_t>({(*size)[0], dims, dims + 1}) ||
      llvm::any_of(*size, [](int64_t extent) { return extent < 1; }))
    return node.error("found matrices of shape " +
                      shapes::text(shapeOf(theta)) + " and the size " +
                      shapes::text(*size) +
                      ", expected N, 2, 3 and N, C, H, W, or one dimension "
                      "more");
  ArrayRef<int64_t> extents = ArrayRef(*size).drop_front(2);
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  // Columns of places, the innermost dimension's first, and 1.
  SmallVector<double> places((dims + 1) * count, 1);
  for (int64_t point = 0; point < count; ++point) {
    int64_t rest = point;
    for (int64_t axis = dims; axis-- > 0; rest /= extents[axis])
      places[(dims - 1 - axis) * count + point] =
          gridPlace(rest % extents[axis], extents[axis], alignsCorners);
  }
  Value grid = node.matmul(node.cast(theta, node.getBuilder().getF32Type()),
                           node.floats(places, {dims + 1, count}));
  Ints shape{(*size)[0]};
  llvm::append_range(shape, extents);
  shape.push_back(dims);
  return node.setResult(node.cast(
      node.reshape(node.transpose(grid, {0, 2, 1}), shape), elementOf(theta)));
}

namespace {
/// Extents and attributes of a DeformConv.
struct DeformSpec {
  int64_t groups, offsetGroups, outputs;
  int64_t points; // of the kernel
  Ints spatial;   // of the result
  OnnxWindow window;
};
} // namespace

static FailureOr<DeformSpec> readDeform(OnnxNode &node) {
  ArrayRef<int64_t> data = shapeOf(node.getInput(0));
  ArrayRef<int64_t> weight = shapeOf(node.getInput(1));
  ArrayRef<int64_t> offset = shapeOf(node.getInput(2));
  if (data.size() != 4 || weight.size() != 4 || offset.size() != 4)
    return node.error("found data, weight and offsets of shapes " +
                      shapes::text(data) + ", " + shapes::text(weight) +
                      " and " + shapes::text(offset) +
                      ", expected four dimensions each");
  DeformSpec spec;
  spec.groups = node.getInt("group", 1, 1, INT32_MAX);
  spec.offsetGroups = node.getInt("offset_group", 1, 1, INT32_MAX);
  spec.outputs = weight[0];
  node.ignore({"kernel_shape"}); // the weight's
  FailureOr<OnnxWindow> window = readWindow(node, weight.drop_front(2));
  if (failed(window) || node.hasFailed())
    return failure();
  spec.window = *window;
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::conv(data, weight, window->strides, window->dilations,
                   window->pads, spec.groups, reason);
  if (failed(shape))
    return node.error(reason);
  spec.spatial = Ints(ArrayRef(*shape).drop_front(2));
  spec.points = weight[2] * weight[3];
  Ints wanted{data[0], spec.offsetGroups * spec.points * 2, spec.spatial[0],
              spec.spatial[1]};
  if (data[1] % spec.offsetGroups != 0 || offset != ArrayRef<int64_t>(wanted))
    return node.error("found offsets of shape " + shapes::text(offset) +
                      ", expected " + shapes::text(wanted) +
                      ", and channels that the groups divide");
  wanted[1] /= 2;
  if (node.hasInput(4) &&
      shapeOf(node.getInput(4)) != ArrayRef<int64_t>(wanted))
    return node.error("found a mask of shape " +
                      shapes::text(shapeOf(node.getInput(4))) + ", expected " +
                      shapes::text(wanted));
  return spec;
}

/// Where each point of the kernel lies without an offset: (1, points, pixels).
static Value restPlaces(OnnxNode &node, const DeformSpec &spec, int axis) {
  const OnnxWindow &window = spec.window;
  SmallVector<double> places;
  int64_t pixels = spec.spatial[0] * spec.spatial[1];
  for (int64_t point = 0; point < spec.points; ++point)
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      int64_t inKernel =
          axis == 0 ? point / window.kernel[1] : point % window.kernel[1];
      int64_t inResult =
          axis == 0 ? pixel / spec.spatial[1] : pixel % spec.spatial[1];
      places.push_back(double(inResult * window.strides[axis] -
                              window.pads[axis] +
                              inKernel * window.dilations[axis]));
    }
  return node.floats(places, {1, spec.points, pixels});
}

/// The pixels that group `group` of channels contributes: (N, points, pixels,
/// channels of the group).
static Value deformedColumns(OnnxNode &node, const DeformSpec &spec,
                             int64_t group) {
  Value x = node.getInput(0), offset = node.getInput(2);
  Type f32 = node.getBuilder().getF32Type();
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t channels = shape[1] / spec.offsetGroups;
  int64_t pixels = spec.spatial[0] * spec.spatial[1];
  int64_t count = spec.points * pixels;
  Value offsets =
      node.reshape(node.cast(offset, f32),
                   {shape[0], spec.offsetGroups, spec.points, 2, pixels});
  offsets = node.at(offsets, 1, group);
  SmallVector<SmallVector<Tap>> taps;
  for (int axis : {0, 1}) {
    Value place =
        add(node, node.at(offsets, 2, axis), restPlaces(node, spec, axis));
    if (!place)
      return place;
    taps.push_back(tapsAlong(node, node.reshape(place, {shape[0], count, 1}),
                             "linear",
                             {shape[2 + axis], Padding::Zeros, true}));
  }
  Value part =
      node.slice(node.cast(x, f32), {0, group * channels, 0, 0}, {1, 1, 1, 1},
                 {shape[0], channels, shape[2], shape[3]});
  if (node.hasFailed())
    return Value();
  Value columns =
      combined(node, pixelsOf(node, part), taps, shape.drop_front(2));
  if (node.hasInput(4)) {
    Value mask = node.reshape(node.cast(node.getInput(4), f32),
                              {shape[0], spec.offsetGroups, count});
    mask = node.reshape(node.at(mask, 1, group), {shape[0], count, 1});
    columns = multiply(node, columns, mask);
  }
  return node.reshape(columns, {shape[0], spec.points, pixels, channels});
}

/// The deformed pixels as columns, times the weights, group by group.
LogicalResult npu::buildDeformConv(OnnxNode &node) {
  FailureOr<DeformSpec> spec = readDeform(node);
  if (failed(spec))
    return failure();
  Value x = node.getInput(0), weight = node.getInput(1);
  Type element = elementOf(x), f32 = node.getBuilder().getF32Type();
  int64_t batch = shapeOf(x)[0], channels = shapeOf(x)[1];
  int64_t pixels = spec->spatial[0] * spec->spatial[1];
  int64_t inputs = channels / spec->groups;
  int64_t outputs = spec->outputs / spec->groups;
  SmallVector<Value> parts;
  for (int64_t group = 0; group < spec->offsetGroups; ++group)
    parts.push_back(deformedColumns(node, *spec, group));
  Value columns =
      node.reshape(node.concat(parts, 3),
                   {batch, spec->points, pixels, spec->groups, inputs});
  columns = node.reshape(node.transpose(columns, {0, 3, 2, 1, 4}),
                         {batch, spec->groups, pixels, spec->points * inputs});
  Value matrix = node.reshape(node.cast(weight, f32),
                              {spec->groups, outputs, inputs, spec->points});
  matrix = node.reshape(node.transpose(matrix, {0, 3, 2, 1}),
                        {spec->groups, spec->points * inputs, outputs});
  Value product = node.matmul(columns, matrix);
  Value result =
      node.reshape(node.transpose(product, {0, 1, 3, 2}),
                   {batch, spec->outputs, spec->spatial[0], spec->spatial[1]});
  if (node.hasInput(3))
    result = add(
        node, result,
        node.reshape(node.cast(node.getInput(3), f32), {spec->outputs, 1, 1}));
  return node.setResult(node.cast(result, element));
}
