// SPDX-License-Identifier: Apache-2.0
//
// Regions of images divided into bins: RoiAlign, MaxRoiPool.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxWithin.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>

using namespace npu;

namespace {

/// Attributes of RoiAlign.
struct RoiSpec {
  int64_t bins[2]; // rows, columns
  int64_t samples; // in a bin, along a dimension; 0: one for each pixel
  double scale;
  bool isHalfPixel, isMax;
};

/// Where regions begin along a dimension, and how far they reach, in pixels:
/// (regions, 1).
struct Span {
  Value start, extent;
};

/// One of the two pixels around samples: (regions, samples).
struct RoiTap {
  Value index, weight, isInside;
};

} // namespace

static Value clamped(OnnxNode &node, Value x, int64_t size) {
  return node.eltwise(NPU_INSTR_clip, x, 0, double(size - 1));
}

static Value atLeast(OnnxNode &node, Value x, double number) {
  return x ? node.eltwise(NPU_INSTR_max, {x, node.scalar(number, elementOf(x))})
           : x;
}

static Value floorOf(OnnxNode &node, Value x) {
  return node.eltwise(NPU_INSTR_floor, x);
}

static Value both(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_logical_and, {a, b});
}

static Value isPositive(OnnxNode &node, Value x) {
  return x ? node.eltwise(NPU_INSTR_greater, {x, node.scalar(0, elementOf(x))})
           : x;
}

/// Column `index` of the regions as (regions, 1).
static Value column(OnnxNode &node, Value regions, int64_t index) {
  return node.reshape(node.at(regions, 1, index), {shapeOf(regions)[0], 1});
}

/// Regions are x1, y1, x2, y2.
static Span spanOf(OnnxNode &node, Value regions, int axis,
                   const RoiSpec &spec) {
  int64_t first = axis == 0 ? 1 : 0;
  auto edge = [&](int64_t index) {
    return plus(node, times(node, column(node, regions, index), spec.scale),
                spec.isHalfPixel ? -0.5 : 0);
  };
  Value start = edge(first);
  Value extent = subtract(node, edge(first + 2), start);
  if (!spec.isHalfPixel)
    extent = atLeast(node, extent, 1);
  return {start, extent};
}

/// Where samples lie within the region, as parts of its extent: (regions or 1,
/// bins * samples). Regions with fewer samples than others repeat their last.
static Value placesOf(OnnxNode &node, ArrayRef<int64_t> counts, int64_t bins) {
  int64_t samples = *llvm::max_element(counts);
  SmallVector<double> places;
  for (int64_t count : counts)
    for (int64_t i = 0; i < bins * samples; ++i)
      places.push_back(
          (double(i / samples) +
           (double(std::min(i % samples, count - 1)) + 0.5) / double(count)) /
          double(bins));
  return node.floats(places, {int64_t(counts.size()), bins * samples});
}

/// The samples of each bin, at least one; they depend on the extents if the
/// attribute is 0.
static FailureOr<Ints> sampleCounts(OnnxNode &node, const Span &span,
                                    int64_t bins, const RoiSpec &spec) {
  constexpr double most = 1 << 14;
  if (spec.samples > 0)
    return Ints{spec.samples};
  std::optional<std::vector<float>> known;
  if (span.extent)
    known = floatsOf(span.extent);
  if (!known)
    return node.unsupported(
        "attribute 'sampling_ratio' is 0, so that the number of "
        "samples depends on the regions, expected a positive "
        "one, mode avg, or constant regions");
  Ints counts;
  for (float extent : *known) {
    double count = std::ceil(double(extent) / double(bins));
    if (!(count <= most))
      return node.unsupported("found a region of " + std::to_string(extent) +
                              " pixels, expected a smaller one");
    counts.push_back(std::max<int64_t>(int64_t(count), 1));
  }
  return counts;
}

/// Two taps for each sample along rows or columns.
static SmallVector<RoiTap, 2> regionTaps(OnnxNode &node, const Span &span,
                                         Value places, int64_t size) {
  Value x = add(node, span.start, multiply(node, span.extent, places));
  if (!x)
    return {};
  // Within a pixel of the image the outermost pixels count, further away none.
  Value isInside = both(
      node,
      node.eltwise(NPU_INSTR_greater_equal, {x, node.scalar(-1, elementOf(x))}),
      node.eltwise(NPU_INSTR_less_equal,
                   {x, node.scalar(double(size), elementOf(x))}));
  x = clamped(node, x, size);
  Value low = floorOf(node, x), fraction = subtract(node, x, low);
  Value one = node.scalar(1, elementOf(x));
  return {{low, subtract(node, one, fraction), isInside},
          {clamped(node, plus(node, low, 1), size), fraction, isInside}};
}

/// What a number that is none of an image's is called.
static constexpr StringRef regionImage = "region of image";

static LogicalResult readRoi(OnnxNode &node, RoiSpec &spec) {
  spec.bins[0] = node.getInt("output_height", 1, 1, 1 << 14);
  spec.bins[1] = node.getInt("output_width", 1, 1, 1 << 14);
  spec.samples = node.getInt("sampling_ratio", 0, 0, 1 << 14);
  spec.scale = node.getFloat("spatial_scale", 1);
  spec.isMax = node.getWord("mode", "avg", {"avg", "max"}) == "max";
  spec.isHalfPixel =
      node.version >= 16 &&
      node.getWord("coordinate_transformation_mode", "half_pixel",
                   {"half_pixel", "output_half_pixel"}) == "half_pixel";
  if (node.hasFailed())
    return failure();
  ArrayRef<int64_t> x = shapeOf(node.getInput(0));
  ArrayRef<int64_t> rois = shapeOf(node.getInput(1));
  ArrayRef<int64_t> batches = shapeOf(node.getInput(2));
  if (x.size() != 4 || rois.size() != 2 || rois[1] != 4 ||
      batches.size() != 1 || batches[0] != rois[0])
    return node.error("found data, regions and batch indices of shapes " +
                      shapes::text(x) + ", " + shapes::text(rois) + " and " +
                      shapes::text(batches) +
                      ", expected N, C, H, W; R, 4 and R");
  Value images = heldWithin(node, node.getInput(2), x[0], regionImage);
  if (!images)
    return failure();
  node.setInput(2, images);
  return success();
}

/// Pixels as rows of channels: (N * H * W, C).
static Value pixelRows(OnnxNode &node, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return node.reshape(node.transpose(x, {0, 2, 3, 1}),
                      {shape[0] * shape[2] * shape[3], shape[1]});
}

/// Gathers the four pixels around each sample, weights and adds them (or takes
/// the largest, as the definition does), then joins the samples of a bin.
static Value sampledBins(OnnxNode &node, const RoiSpec &spec, Value x,
                         const Span spans[2]) {
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<RoiTap, 2> taps[2];
  int64_t extents[2]; // of bins and samples
  for (int axis : {0, 1}) {
    FailureOr<Ints> counts =
        sampleCounts(node, spans[axis], spec.bins[axis], spec);
    if (failed(counts))
      return Value();
    Value places = placesOf(node, *counts, spec.bins[axis]);
    taps[axis] = regionTaps(node, spans[axis], places, shape[2 + axis]);
    if (node.hasFailed())
      return Value();
    extents[axis] = shapeOf(places)[1];
  }
  Type i32 = node.getBuilder().getI32Type(), f32 = elementOf(x);
  int64_t regions = shapeOf(node.getInput(1))[0], m = extents[0],
          n = extents[1];
  auto down = [&](Value v) { return node.reshape(v, {regions, m, 1}); };
  auto across = [&](Value v) { return node.reshape(v, {regions, 1, n}); };
  Value pixels = pixelRows(node, x);
  Value batch = node.reshape(node.cast(node.getInput(2), i32), {regions, 1, 1});
  npu_instr_kind join = spec.isMax ? NPU_INSTR_max : NPU_INSTR_add;
  Value result;
  for (const RoiTap &row : taps[0])
    for (const RoiTap &column : taps[1]) {
      Value index = add(node, times(node, batch, double(shape[2])),
                        down(node.cast(row.index, i32)));
      index = add(node, times(node, index, double(shape[3])),
                  across(node.cast(column.index, i32)));
      Value weight = multiply(node, down(row.weight), across(column.weight));
      weight =
          select(node, both(node, down(row.isInside), across(column.isInside)),
                 weight, node.scalar(0, f32));
      Value picked =
          node.create<GatherOp>({regions, m, n, shape[1]}, f32, pixels, index,
                                node.getBuilder().getI64IntegerAttr(0));
      picked = multiply(node, picked, node.reshape(weight, {regions, m, n, 1}));
      result = result ? node.eltwise(join, {result, picked}) : picked;
    }
  Value bins = node.reshape(result, {regions, spec.bins[0], m / spec.bins[0],
                                     spec.bins[1], n / spec.bins[1], shape[1]});
  return node.reduce(bins, spec.isMax ? ReduceKind::Max : ReduceKind::Mean,
                     {2, 4}, false);
}

/// What each pixel of a dimension contributes to each bin if a bin has one
/// sample for each pixel it covers: (regions, bins, size). A sample's weight
/// falls from 1 at a pixel to 0 at its neighbours; samples are equally spaced,
/// so that those between two pixels are counted and summed in one step.
static Value binWeights(OnnxNode &node, const Span &span, int64_t bins,
                        int64_t size) {
  Type f32 = node.getBuilder().getF32Type();
  auto wide = [&](Value v) {
    return node.reshape(v, {shapeOf(span.start)[0], 1, 1});
  };
  Value bin = wide(divide(node, span.extent, node.scalar(double(bins), f32)));
  Value count = atLeast(node, bin ? node.eltwise(NPU_INSTR_ceil, bin) : bin, 0);
  Value step = divide(node, bin, atLeast(node, count, 1));
  step = atLeast(node, step, 1e-30); // an empty region has no samples
  Value begin = add(node, wide(span.start),
                    multiply(node, bin, node.countAlong(bins, 1, 3, f32)));
  Value first = add(node, begin, times(node, step, 0.5));
  auto within = [&](Value number) {
    return node.eltwise(NPU_INSTR_min, {atLeast(node, number, 0), count});
  };
  // By count and extent, not by the rounded step: a sample that lies exactly at
  // a place must be found there.
  auto steps = [&](Value place) {
    Value samples = multiply(node, subtract(node, place, begin), count);
    return plus(node, divide(node, samples, atLeast(node, bin, 1e-30)), -0.5);
  };
  // How many samples lie at a place or before.
  auto upTo = [&](Value place) {
    return within(plus(node, floorOf(node, steps(place)), 1));
  };
  Value pixels = node.reshape(node.countAlong(size, 2, 3, f32), {1, 1, size});
  Value before =
      within(node.eltwise(NPU_INSTR_ceil, steps(node.scalar(-1, f32))));
  Value after = upTo(node.scalar(double(size), f32));
  Value share = divide(node, node.scalar(1, f32), atLeast(node, count, 1));
  if (size == 1 || node.hasFailed())
    return multiply(node, subtract(node, after, before), share);
  Value counts = upTo(pixels);
  int64_t regions = shapeOf(counts)[0];
  auto part = [&](Value value, int64_t start, int64_t extent) {
    return node.slice(value, {0, 0, start}, {1, 1, 1},
                      {shapeOf(value)[0], shapeOf(value)[1], extent});
  };
  // Between pixel i and the next: samples, and their distances from i.
  Value low = part(counts, 0, size - 1);
  Value between = subtract(node, part(counts, 1, size - 1), low);
  Value distance = subtract(node, add(node, first, multiply(node, low, step)),
                            part(pixels, 0, size - 1));
  Value more = times(node, multiply(node, between, plus(node, between, -1)),
                     0.5); // 0 + 1 + ... steps from the first sample
  Value rising =
      add(node, multiply(node, between, distance), multiply(node, step, more));
  Value head = subtract(node, part(counts, 0, 1), before);
  Value tail = subtract(node, after, part(counts, size - 1, 1));
  if (node.hasFailed())
    return Value();
  Value ends = node.broadcast(tail, {regions, bins, 1});
  Value weights = add(node, node.concat({head, rising}, 2),
                      node.concat({subtract(node, between, rising), ends}, 2));
  return multiply(node, weights, share);
}

/// The average over samples is a product with weights of rows and one with
/// weights of columns, whatever the number of samples.
static Value weightedBins(OnnxNode &node, const RoiSpec &spec, Value x,
                          const Span spans[2]) {
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t regions = shapeOf(node.getInput(1))[0];
  Type i32 = node.getBuilder().getI32Type(), f32 = elementOf(x);
  Value rows = binWeights(node, spans[0], spec.bins[0], shape[2]);
  Value columns = binWeights(node, spans[1], spec.bins[1], shape[3]);
  if (node.hasFailed())
    return Value();
  // Rows of all images of the batch; those of others have the weight 0.
  Value batch = node.reshape(node.cast(node.getInput(2), i32), {regions, 1});
  Value isOwn =
      node.cast(equal(node, batch, node.countAlong(shape[0], 1, 2, i32)), f32);
  rows = multiply(node, node.reshape(isOwn, {regions, 1, shape[0], 1}),
                  node.reshape(rows, {regions, spec.bins[0], 1, shape[2]}));
  rows = node.reshape(rows, {regions * spec.bins[0], shape[0] * shape[2]});
  Value pixels = node.reshape(pixelRows(node, x),
                              {shape[0] * shape[2], shape[3] * shape[1]});
  Value lines = node.reshape(node.matmul(rows, pixels),
                             {regions, spec.bins[0], shape[3], shape[1]});
  columns = node.reshape(columns, {regions, 1, spec.bins[1], shape[3]});
  return node.matmul(columns, lines);
}

LogicalResult npu::buildRoiAlign(OnnxNode &node) {
  RoiSpec spec;
  if (failed(readRoi(node, spec)))
    return failure();
  Value x = node.getInput(0);
  Type f32 = node.getBuilder().getF32Type();
  Value regions = node.cast(node.getInput(1), f32), real = node.cast(x, f32);
  Span spans[2];
  for (int axis : {0, 1})
    spans[axis] = spanOf(node, regions, axis, spec);
  if (node.hasFailed())
    return failure();
  bool isAdaptive = spec.samples == 0;
  Value bins = isAdaptive && !spec.isMax ? weightedBins(node, spec, real, spans)
                                         : sampledBins(node, spec, real, spans);
  if (isAdaptive && spec.isMax && bins) { // an empty region has no samples
    Value isReal = both(node, isPositive(node, spans[0].extent),
                        isPositive(node, spans[1].extent));
    bins = select(node, node.reshape(isReal, {shapeOf(regions)[0], 1, 1, 1}),
                  bins, node.scalar(0, f32));
  }
  return node.setResult(
      node.cast(node.transpose(bins, {0, 3, 1, 2}), elementOf(x)));
}

namespace {
/// The pixels of bins along a dimension, as two windows of 2^level pixels that
/// may overlap: (regions, bins) each, float32.
struct BinWindows {
  Value first, last, level, count; // where they begin; how many pixels
};
} // namespace

/// The largest power of two that a window of the size may have.
static int64_t highestLevel(int64_t size) {
  return static_cast<int64_t>(llvm::Log2_64(uint64_t(size)));
}

static Value roundedAway(OnnxNode &node, Value x) {
  Value size = floorOf(node, plus(node, node.eltwise(NPU_INSTR_abs, x), 0.5));
  return multiply(node, node.eltwise(NPU_INSTR_sign, x), size);
}

/// Regions are batch, x1, y1, x2, y2, both ends included.
static BinWindows binWindows(OnnxNode &node, Value regions, int axis,
                             double scale, int64_t bins, int64_t size) {
  int64_t low = axis == 0 ? 2 : 1;
  Type f32 = node.getBuilder().getF32Type();
  auto edge = [&](int64_t index) {
    return roundedAway(node, times(node, column(node, regions, index), scale));
  };
  Value start = edge(low);
  Value extent =
      atLeast(node, plus(node, subtract(node, edge(low + 2), start), 1), 1);
  // Divided: where a bin ends on a pixel, a reciprocal would take the next.
  Value bin = divide(node, extent, node.scalar(double(bins), f32));
  Value numbers = node.countAlong(bins, 1, 2, f32);
  auto within = [&](Value place) {
    return node.eltwise(NPU_INSTR_clip, add(node, place, start), 0,
                        double(size));
  };
  Value first = within(floorOf(node, multiply(node, numbers, bin)));
  Value end = within(node.eltwise(NPU_INSTR_ceil,
                                  multiply(node, plus(node, numbers, 1), bin)));
  BinWindows windows;
  windows.count = subtract(node, end, first);
  if (node.hasFailed())
    return windows;
  Value width = node.scalar(1, f32);
  windows.level = node.scalar(0, f32);
  for (int64_t level = 1; level <= highestLevel(size); ++level) {
    double power = std::ldexp(1.0, int(level));
    Value reaches =
        node.cast(node.eltwise(NPU_INSTR_greater_equal,
                               {windows.count, node.scalar(power, f32)}),
                  f32);
    windows.level = add(node, windows.level, reaches);
    width = add(node, width, times(node, reaches, power / 2));
  }
  windows.first = clamped(node, first, size);
  windows.last = clamped(node, subtract(node, end, width), size);
  return windows;
}

/// Maxima over all windows whose sides are powers of two, as rows of channels:
/// (levels of rows * levels of columns * N * H * W, C).
static Value windowMaxima(OnnxNode &node, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<Value> tables;
  for (int64_t down = 0; down <= highestLevel(shape[2]); ++down)
    for (int64_t across = 0; across <= highestLevel(shape[3]); ++across) {
      Ints kernel{int64_t(1) << down, int64_t(1) << across};
      Value maxima =
          kernel == Ints{1, 1}
              ? x
              : node.create<MaxPoolOp>(
                    shape, elementOf(x), x, node.intArray(kernel),
                    node.intArray({1, 1}),
                    node.intArray({0, 0, kernel[0] - 1, kernel[1] - 1}),
                    node.intArray({1, 1}));
      tables.push_back(maxima ? pixelRows(node, maxima) : maxima);
    }
  return node.hasFailed() ? Value() : node.concat(tables, 0);
}

/// A bin is covered by four windows of maxima.
LogicalResult npu::buildMaxRoiPool(OnnxNode &node) {
  std::optional<Ints> bins = node.getInts("pooled_shape");
  double scale = node.getFloat("spatial_scale", 1);
  Value x = node.getInput(0), regions = node.getInput(1);
  ArrayRef<int64_t> shape = shapeOf(x), rois = shapeOf(regions);
  if (bins->size() != 2 || (*bins)[0] < 1 || (*bins)[1] < 1)
    return node.error("attribute 'pooled_shape' must have two positive "
                      "entries");
  if (shape.size() != 4 || rois.size() != 2 || rois[1] != 5)
    return node.error("found data and regions of shapes " +
                      shapes::text(shape) + " and " + shapes::text(rois) +
                      ", expected N, C, H, W and R, 5");
  Type i32 = node.getBuilder().getI32Type(),
       f32 = node.getBuilder().getF32Type();
  regions = node.cast(regions, f32);
  BinWindows rows = binWindows(node, regions, 0, scale, (*bins)[0], shape[2]);
  BinWindows columns =
      binWindows(node, regions, 1, scale, (*bins)[1], shape[3]);
  Value table = windowMaxima(node, x);
  if (node.hasFailed())
    return failure();
  int64_t count = rois[0], m = (*bins)[0], n = (*bins)[1];
  auto down = [&](Value v) {
    return node.reshape(node.broadcast(v, {count, m}), {count, m, 1});
  };
  auto across = [&](Value v) {
    return node.reshape(node.broadcast(v, {count, n}), {count, 1, n});
  };
  auto whole = [&](Value v) { return node.cast(v, i32); };
  Value batch = heldWithin(
      node, whole(node.reshape(column(node, regions, 0), {count, 1, 1})),
      shape[0], regionImage);
  if (!batch)
    return failure();
  Value base = add(
      node,
      times(node, down(whole(rows.level)), double(highestLevel(shape[3]) + 1)),
      across(whole(columns.level)));
  base = add(node, times(node, base, double(shape[0])), batch);
  Value result;
  for (Value row : {rows.first, rows.last})
    for (Value column : {columns.first, columns.last}) {
      Value index =
          add(node, times(node, base, double(shape[2])), down(whole(row)));
      index = add(node, times(node, index, double(shape[3])),
                  across(whole(column)));
      Value picked =
          node.create<GatherOp>({count, m, n, shape[1]}, elementOf(x), table,
                                index, node.getBuilder().getI64IntegerAttr(0));
      result = result ? node.eltwise(NPU_INSTR_max, {result, picked}) : picked;
    }
  Value isReal = both(node, isPositive(node, down(rows.count)),
                      isPositive(node, across(columns.count)));
  if (node.hasFailed())
    return failure();
  result = select(node, node.reshape(isReal, {count, m, n, 1}), result,
                  node.scalar(0, elementOf(x)));
  return node.setResult(node.transpose(result, {0, 3, 1, 2}));
}
