// SPDX-License-Identifier: Apache-2.0
//
// Operators that take a part.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

/// A size of -1 is all that is left.
LogicalResult npu::buildTfliteSlice(TfliteNode &node) {
  Value x = node.input(0);
  int64_t rank = rankOf(x);
  FailureOr<Ints> starts = node.numbers(1, "begins"),
                  sizes = node.numbers(2, "sizes");
  if (failed(starts) || failed(sizes))
    return failure();
  if (static_cast<int64_t>(starts->size()) != rank ||
      static_cast<int64_t>(sizes->size()) != rank)
    return node.error("found " + Twine(starts->size()) + " begins and " +
                      Twine(sizes->size()) + " sizes for data of shape " +
                      shapes::text(shapeOf(x)));
  for (int64_t i = 0; i < rank; ++i) {
    int64_t extent = shapeOf(x)[i], start = (*starts)[i];
    int64_t &size = (*sizes)[i];
    if (size == -1 && start >= 0)
      size = extent - start;
    if (start < 0 || size < 0 || start > extent || size > extent - start)
      return node.error("takes " + Twine(size) + " elements from " +
                        Twine(start) + " on of dimension " + Twine(i) +
                        ", which has " + Twine(extent));
  }
  return node.setResult(node.slice(x, *starts, Ints(rank, 1), *sizes));
}

// --- Strided slices ----------------------------------------------------------

namespace {
/// The bounds and masks of the operator, one of each for a position.
struct Bounds {
  Ints begins, ends, strides;
  int32_t begin = 0, end = 0, ellipsis = 0, newAxis = 0, shrink = 0;
  bool areEndsRelative = false;

  static bool has(int32_t mask, size_t i) { return i < 32 && mask >> i & 1; }
  bool isEllipsis(size_t i) const { return has(ellipsis, i); }
  /// A position of both masks is an ellipsis.
  bool isNewAxis(size_t i) const { return has(newAxis, i) && !isEllipsis(i); }
  bool isShrunk(size_t i) const {
    return has(shrink, i) && !isEllipsis(i) && !isNewAxis(i);
  }
};

/// What is taken, dimension by dimension, and the result's shape.
struct Part {
  Ints starts, steps, extents, shape;

  void add(int64_t start, int64_t step, int64_t extent) {
    starts.push_back(start);
    steps.push_back(step);
    extents.push_back(extent);
  }
  /// A dimension as it is.
  void addWhole(int64_t extent) {
    add(0, 1, extent);
    shape.push_back(extent);
  }
};
} // namespace

static FailureOr<Bounds> readBounds(TfliteNode &node) {
  FailureOr<Ints> begins = node.numbers(1, "begins"),
                  ends = node.numbers(2, "ends"),
                  strides = node.numbers(3, "strides");
  if (failed(begins) || failed(ends) || failed(strides))
    return failure();
  if (ends->size() != begins->size() || strides->size() != begins->size())
    return node.error("found " + Twine(begins->size()) + " begins, " +
                      Twine(ends->size()) + " ends and " +
                      Twine(strides->size()) + " strides, expected as many");
  Bounds bounds{*begins, *ends, *strides};
  if (const auto *options = node.op.options<tflite::StridedSliceOptions>()) {
    bounds.begin = options->begin_mask();
    bounds.end = options->end_mask();
    bounds.ellipsis = options->ellipsis_mask();
    bounds.newAxis = options->new_axis_mask();
    bounds.shrink = options->shrink_axis_mask();
    bounds.areEndsRelative = options->offset();
  }
  return bounds;
}

/// Position `i` of the bounds, of a dimension of this extent.
static LogicalResult addRange(TfliteNode &node, const Bounds &bounds, size_t i,
                              int64_t extent, Part &part) {
  int64_t stride = bounds.strides[i], begin = bounds.begins[i];
  bool isForwards = stride > 0;
  int64_t least = isForwards ? 0 : -1, most = isForwards ? extent : extent - 1;
  auto bounded = [&](int64_t index) {
    return std::clamp(index < 0 ? index + extent : index, least, most);
  };
  if (bounds.isShrunk(i)) {
    int64_t place = Bounds::has(bounds.begin, i) ? 0 : begin;
    place = place < 0 ? place + extent : place;
    if (place < 0 || place >= extent)
      return node.error("takes element " + Twine(begin) +
                        " of a dimension of " + Twine(extent));
    part.add(place, 1, 1);
    return success();
  }
  if (stride == 0 || stride < -INT32_MAX || stride > INT32_MAX)
    return node.error("has the stride " + Twine(stride) +
                      ", expected one within 2^31 that is not 0");
  int64_t start = bounded(begin);
  if (Bounds::has(bounds.begin, i))
    start = isForwards ? 0 : extent - 1;
  // No data has as many elements as that.
  constexpr int64_t far = int64_t(1) << 40;
  int64_t given = std::clamp(bounds.ends[i], -far, far);
  int64_t end = bounded(given + (bounds.areEndsRelative ? start : 0));
  if (Bounds::has(bounds.end, i))
    end = isForwards ? extent : -1;
  int64_t length = isForwards ? end - start : start - end;
  int64_t step = std::abs(stride);
  int64_t count = std::max<int64_t>((length + step - 1) / step, 0);
  // No start beyond the data, and no step that leads out of it.
  part.add(count == 0 ? 0 : start, count > 1 ? stride : 1, count);
  part.shape.push_back(count);
  return success();
}

static FailureOr<Part> partOf(TfliteNode &node, const Bounds &bounds,
                              ArrayRef<int64_t> shape) {
  auto rank = static_cast<int64_t>(shape.size());
  int64_t named = 0, ellipses = 0; // dimensions that positions stand for
  for (size_t i = 0; i < bounds.begins.size(); ++i) {
    ellipses += bounds.isEllipsis(i);
    named += !bounds.isEllipsis(i) && !bounds.isNewAxis(i);
  }
  if (ellipses > 1 || named > rank)
    return node.error("has " + Twine(ellipses) + " ellipses and bounds for " +
                      Twine(named) + " dimensions of " + Twine(rank));
  Part part;
  int64_t dim = 0;
  for (size_t i = 0; i < bounds.begins.size(); ++i) {
    if (bounds.isNewAxis(i)) {
      part.shape.push_back(1);
    } else if (bounds.isEllipsis(i)) {
      for (int64_t left = rank - named; left > 0; --left)
        part.addWhole(shape[dim++]);
    } else if (failed(addRange(node, bounds, i, shape[dim++], part))) {
      return failure();
    }
  }
  while (dim < rank)
    part.addWhole(shape[dim++]);
  return part;
}

LogicalResult npu::buildTfliteStridedSlice(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Bounds> bounds = readBounds(node);
  if (failed(bounds))
    return failure();
  FailureOr<Part> part = partOf(node, *bounds, shapeOf(x));
  if (failed(part))
    return failure();
  x = node.slice(x, part->starts, part->steps, part->extents);
  return node.setResult(node.reshape(x, part->shape));
}

// --- Splits ------------------------------------------------------------------

/// Parts of these sizes along a dimension.
static LogicalResult setParts(TfliteNode &node, Value x, int64_t axis,
                              ArrayRef<int64_t> sizes) {
  Ints starts(rankOf(x), 0), steps(rankOf(x), 1), extents(shapeOf(x));
  for (auto [i, size] : llvm::enumerate(sizes)) {
    extents[axis] = size;
    if (failed(node.setResult(node.slice(x, starts, steps, extents), i)))
      return failure();
    starts[axis] += size;
  }
  return success();
}

static FailureOr<int64_t> axisOf(TfliteNode &node, size_t index, Value x) {
  FailureOr<int64_t> axis = node.number(index, "a dimension");
  if (failed(axis))
    return failure();
  return node.dimension(*axis, rankOf(x));
}

LogicalResult npu::buildTfliteSplit(TfliteNode &node) {
  Value x = node.input(1);
  FailureOr<int64_t> axis = axisOf(node, 0, x);
  if (failed(axis))
    return failure();
  auto count = static_cast<int64_t>(node.op.outputCount());
  int64_t extent = shapeOf(x)[*axis];
  if (extent % count != 0)
    return node.error("splits " + Twine(extent) + " elements into " +
                      Twine(count) + " parts, expected equal ones");
  return setParts(node, x, *axis, Ints(count, extent / count));
}

/// A size of -1 is all that the others leave.
LogicalResult npu::buildTfliteSplitV(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<int64_t> axis = axisOf(node, 2, x);
  FailureOr<Ints> sizes = node.numbers(1, "sizes");
  if (failed(axis) || failed(sizes))
    return failure();
  int64_t extent = shapeOf(x)[*axis], sum = 0, open = 0;
  for (int64_t size : *sizes) {
    if (size < -1 || size > extent)
      return node.error("has a part of " + Twine(size) + " of " +
                        Twine(extent) + " elements");
    open += size == -1;
    sum += std::max<int64_t>(size, 0);
  }
  if (open > 1 || sum > extent || (open == 0 && sum != extent) ||
      sizes->size() != node.op.outputCount())
    return node.error("splits " + Twine(extent) + " elements into " +
                      shapes::text(*sizes) + ", for " +
                      Twine(node.op.outputCount()) + " results");
  for (int64_t &size : *sizes)
    size = size == -1 ? extent - sum : size;
  return setParts(node, x, *axis, *sizes);
}

LogicalResult npu::buildTfliteUnpack(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::UnpackOptions>();
  FailureOr<int64_t> axis =
      node.dimension(options ? options->axis() : 0, rankOf(x));
  if (failed(axis))
    return failure();
  if (shapeOf(x)[*axis] != static_cast<int64_t>(node.op.outputCount()))
    return node.error("unpacks " + Twine(shapeOf(x)[*axis]) +
                      " elements into " + Twine(node.op.outputCount()) +
                      " results");
  for (size_t i = 0; i < node.op.outputCount(); ++i)
    if (failed(node.setResult(node.at(x, *axis, int64_t(i)), i)))
      return failure();
  return success();
}
