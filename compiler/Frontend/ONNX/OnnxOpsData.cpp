// SPDX-License-Identifier: Apache-2.0
//
// Ops that move elements: concat, split, slice, pad, gather, expand, tile.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace npu;

LogicalResult npu::buildConcat(OnnxNode &node) {
  Value first = node.getInput(0);
  FailureOr<int64_t> axis = node.getAxis("axis", 1, rankOf(first));
  if (failed(axis))
    return failure();
  return node.setResult(node.concat(node.getInputs(), *axis));
}

/// Extents of parts as equal as they can be.
static FailureOr<Ints> equalParts(OnnxNode &node, int64_t extent) {
  auto parts = static_cast<int64_t>(node.getOutputCount());
  int64_t declared = node.getInt("num_outputs", parts);
  std::string found = "attribute 'num_outputs' is " + std::to_string(declared) +
                      ", expected " + std::to_string(parts) +
                      ", the number of results";
  if (declared < parts)
    return node.error(found);
  // ONNX lets the last results be left out; onnxruntime splits into as many
  // parts as there are results.
  if (declared > parts)
    return node.unsupported(found);
  if (node.version >= 18 && !node.hasAttribute("num_outputs"))
    return node.error("has neither sizes nor num_outputs, expected one of "
                      "them");
  if (node.version < 18 && extent % parts != 0)
    return node.error("splits " + Twine(extent) + " elements into " +
                      Twine(parts) +
                      " parts, expected equal ones at this opset");
  int64_t most = (extent + parts - 1) / parts;
  Ints sizes;
  for (int64_t left = extent; parts > 0; --parts, left -= sizes.back())
    sizes.push_back(std::min(most, std::max<int64_t>(left, 0)));
  return sizes;
}

static FailureOr<Ints> splitSizes(OnnxNode &node, int64_t extent) {
  FailureOr<std::optional<Ints>> given = node.hasInput(1)
                                             ? node.intsOf("split", 1, 1)
                                             : node.intsOf("split", 1, 13);
  if (failed(given))
    return failure();
  if (!*given)
    return equalParts(node, extent);
  const Ints &sizes = **given;
  bool isValid = llvm::all_of(
      sizes, [&](int64_t size) { return size >= 0 && size <= extent; });
  // Summed only where no size can overflow the sum.
  int64_t total =
      isValid ? std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) : -1;
  if (total != extent || sizes.size() != node.getOutputCount())
    return node.error("found the split " + shapes::text(sizes) + ", expected " +
                      Twine(node.getOutputCount()) + " extents with the sum " +
                      Twine(extent));
  return **given;
}

LogicalResult npu::buildSplit(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(x));
  if (failed(axis))
    return failure();
  FailureOr<Ints> sizes = splitSizes(node, shapeOf(x)[*axis]);
  if (failed(sizes))
    return failure();
  Ints starts(rankOf(x), 0), steps(rankOf(x), 1), extents(shapeOf(x));
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    extents[*axis] = size;
    if (failed(node.setResult(i, node.slice(x, starts, steps, extents))))
      return failure();
    starts[*axis] += size;
  }
  return success();
}

namespace {
struct SliceRange {
  int64_t start, step, extent;
};
} // namespace

/// ONNX clamps starts and ends into the dimension, and counts negative ones
/// from its end.
static SliceRange clampSlice(int64_t dim, int64_t start, int64_t end,
                             int64_t step) {
  if (dim == 0)
    return {0, step, 0};
  start += start < 0 ? dim : 0;
  end += end < 0 ? dim : 0;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, dim);
    end = std::clamp<int64_t>(end, 0, dim);
    return {start, step, std::max<int64_t>((end - start + step - 1) / step, 0)};
  }
  start = std::clamp<int64_t>(start, 0, dim - 1);
  end = std::clamp<int64_t>(end, -1, dim - 1);
  return {start, step, std::max<int64_t>((start - end - step - 1) / -step, 0)};
}

/// The dimensions that a slice takes whole and from back to front, if it leaves
/// all others as they are.
static Ints mirroredAxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> extents,
                         ArrayRef<int64_t> steps) {
  Ints axes;
  if (shape != extents)
    return axes;
  for (auto [i, step] : llvm::enumerate(steps))
    if (step < 0 && shape[i] > 1)
      axes.push_back(static_cast<int64_t>(i));
  return axes;
}

LogicalResult npu::buildSlice(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<std::optional<Ints>> starts = node.intsOf("starts", 1, 10);
  FailureOr<std::optional<Ints>> ends = node.intsOf("ends", 2, 10);
  FailureOr<std::optional<Ints>> axes = node.intsOf("axes", 3, 10);
  if (failed(starts) || failed(ends) || failed(axes))
    return failure();
  FailureOr<std::optional<Ints>> steps = std::optional<Ints>();
  if (node.version >= 10)
    steps = node.intsOf("steps", 4, 10);
  if (failed(steps))
    return failure();
  size_t count = (*starts)->size();
  FailureOr<Ints> named =
      node.normalizeAxes(axes->value_or(countFrom(0, count)), rankOf(x));
  if (failed(named))
    return failure();
  Ints step = steps->value_or(Ints(count, 1));
  if ((*ends)->size() != count || named->size() != count ||
      step.size() != count)
    return node.error("has " + Twine(count) + " starts, " +
                      Twine((*ends)->size()) + " ends, " +
                      Twine(named->size()) + " axes and " + Twine(step.size()) +
                      " steps, expected the same number of each");
  Ints from(rankOf(x), 0), by(rankOf(x), 1), extents(shapeOf(x));
  for (size_t i = 0; i < count; ++i) {
    if (step[i] == 0 || step[i] == INT64_MIN)
      return node.error("found the step " + Twine(step[i]) +
                        ", expected another than 0");
    int64_t dim = (*named)[i];
    int64_t widest = std::max<int64_t>(shapeOf(x)[dim], 1);
    SliceRange range =
        clampSlice(shapeOf(x)[dim], (**starts)[i], (**ends)[i],
                   std::clamp<int64_t>(step[i], -widest, widest));
    from[dim] = range.start;
    by[dim] = range.step;
    extents[dim] = range.extent;
  }
  Ints mirrored = mirroredAxes(shapeOf(x), extents, by);
  if (!mirrored.empty())
    return node.setResult(node.create<MirrorOp>(shapeOf(x), elementOf(x), x,
                                                node.intArray(mirrored)));
  return node.setResult(node.slice(x, from, by, extents));
}

/// The amounts for all dimensions, from those for the dimensions in `axes`.
static FailureOr<Ints> padAmounts(OnnxNode &node, ArrayRef<int64_t> given) {
  int64_t rank = rankOf(node.getInput(0));
  Ints axes = countFrom(0, rank);
  if (node.hasInput(3)) {
    FailureOr<Ints> read = node.constantInts(3, "the axes");
    if (failed(read))
      return failure();
    FailureOr<Ints> named = node.normalizeAxes(*read, rank);
    if (failed(named))
      return failure();
    axes = *named;
  }
  if (given.size() != 2 * axes.size())
    return node.error("found " + Twine(given.size()) + " pads, expected " +
                      Twine(2 * axes.size()) + ", two for each dimension");
  Ints pads(2 * rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    pads[axis] = given[i];
    pads[rank + axis] = given[axes.size() + i];
  }
  return pads;
}

/// What negative pads leave of `x`; they become 0. Elements that are cropped
/// are no part of what is reflected or repeated.
static Value cropped(OnnxNode &node, Value x, Ints &pads) {
  Ints crops;
  for (int64_t &pad : pads) {
    crops.push_back(std::min<int64_t>(pad, 0));
    pad = std::max<int64_t>(pad, 0);
  }
  if (llvm::all_of(crops, [](int64_t crop) { return crop == 0; }))
    return x;
  return padDequantized(node, x, crops, PadMode::Constant, 0);
}

/// Reflection cannot reach behind the other end of the data.
static LogicalResult checkReflect(OnnxNode &node, Value x,
                                  ArrayRef<int64_t> pads) {
  ArrayRef<int64_t> shape = shapeOf(x);
  for (size_t i = 0; i < pads.size(); ++i) {
    int64_t extent = shape[i % shape.size()];
    if (pads[i] > 0 && pads[i] >= extent)
      return node.unsupported("reflects " + Twine(pads[i]) +
                              " elements of dimension " +
                              Twine(i % shape.size()) +
                              ", expected less than its " + Twine(extent));
  }
  return success();
}

static FailureOr<double> padNumber(OnnxNode &node) {
  if (node.version < 11)
    return node.getFloat("value", 0);
  if (!node.hasInput(2))
    return 0.0;
  FailureOr<SmallVector<double>> number =
      node.constantFloats(2, "the padding value");
  if (failed(number))
    return failure();
  if (number->size() != 1)
    return node.error("found " + Twine(number->size()) +
                      " padding values, expected 1");
  return number->front();
}

/// The dialect pads with doubles, in which not every int64 is: those are chosen
/// where a padded mask says that no element is.
static Value padExactly(OnnxNode &node, Value x, ArrayRef<int64_t> pads,
                        double number) {
  constexpr double exact = 0x1p53;
  if (!elementOf(x).isInteger(64) || std::fabs(number) < exact)
    return padDequantized(node, x, pads, PadMode::Constant, number);
  Type boolean = node.getBuilder().getI1Type();
  Value inside = padDequantized(node, node.filled(1, shapeOf(x), boolean), pads,
                                PadMode::Constant, 0);
  Value padded = padDequantized(node, x, pads, PadMode::Constant, 0);
  return select(node, inside, padded, node.reshape(node.getInput(2), {}));
}

LogicalResult npu::buildPad(OnnxNode &node) {
  PadMode mode = node.getEnum("mode", PadMode::Constant);
  FailureOr<std::optional<Ints>> given =
      node.intsOf(node.version == 1 ? "paddings" : "pads", 1, 11);
  if (failed(given))
    return failure();
  FailureOr<Ints> pads = padAmounts(node, **given);
  FailureOr<double> number = padNumber(node);
  if (failed(pads) || failed(number))
    return failure();
  Value x = node.getInput(0);
  if (mode != PadMode::Constant)
    x = cropped(node, x, *pads);
  if (!x || (mode == PadMode::Reflect && failed(checkReflect(node, x, *pads))))
    return failure();
  return node.setResult(mode == PadMode::Constant
                            ? padExactly(node, x, *pads, *number)
                            : padDequantized(node, x, *pads, mode, *number));
}

/// The step of 3, 5, 7, ...; nothing if there is none that is positive.
/// Negative indices count from the end.
static std::optional<int64_t> stepOf(MutableArrayRef<int64_t> indices,
                                     int64_t extent) {
  for (int64_t &index : indices)
    index += index < 0 ? extent : 0;
  if (indices.empty())
    return std::nullopt;
  int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  for (size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step)
      return std::nullopt;
  return step > 0 ? std::optional(step) : std::nullopt;
}

/// Constant indices in equal steps address a slice, which layouts pass
/// through; null if they are others.
static Value gatherAsSlice(OnnxNode &node, Value data, Value indices,
                           int64_t axis, ArrayRef<int64_t> shape) {
  ElementsAttr known = constantOf(indices);
  if (!known || constantOf(data))
    return Value();
  SmallVector<int64_t> places = elementInts(known);
  std::optional<int64_t> step = stepOf(places, shapeOf(data)[axis]);
  if (!step)
    return Value();
  Ints starts(rankOf(data), 0), steps(rankOf(data), 1), extents(shapeOf(data));
  starts[axis] = places.front();
  steps[axis] = *step;
  extents[axis] = static_cast<int64_t>(places.size());
  return node.reshape(node.slice(data, starts, steps, extents), shape);
}

LogicalResult npu::buildGather(OnnxNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(data));
  if (failed(axis))
    return failure();
  int64_t extent = shapeOf(data)[*axis];
  if (ElementsAttr known = constantOf(indices))
    for (int64_t index : elementInts(known))
      if (index < -extent || index >= extent)
        return node.error("found the index " + Twine(index) + ", expected " +
                          Twine(-extent) + " to " + Twine(extent - 1));
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::gather(shapeOf(data), shapeOf(indices), *axis, reason);
  if (failed(shape))
    return node.error(reason);
  if (Value slice = gatherAsSlice(node, data, indices, *axis, *shape))
    return node.setResult(slice);
  return node.setResult(
      node.create<GatherOp>(*shape, elementOf(data), data, indices,
                            node.getBuilder().getI64IntegerAttr(*axis)));
}

LogicalResult npu::buildExpand(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> wanted = node.constantInts(1, "the shape");
  if (failed(wanted))
    return failure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::broadcast({shapes::Shape(shapeOf(x)), *wanted}, reason);
  if (failed(shape))
    return node.error(reason);
  return node.setResult(node.broadcast(x, *shape));
}

static FailureOr<Ints> tileRepeats(OnnxNode &node) {
  int64_t rank = rankOf(node.getInput(0));
  FailureOr<Ints> repeats = node.constantInts(1, "the repeats");
  if (failed(repeats) || node.version >= 6)
    return repeats;
  FailureOr<Ints> axis = node.constantInts(2, "the axis");
  if (failed(axis))
    return failure();
  if (repeats->size() != 1 || axis->size() != 1)
    return node.error("expected one number of tiles and one axis");
  FailureOr<Ints> dim = node.normalizeAxes(*axis, rank);
  if (failed(dim))
    return failure();
  Ints all(rank, 1);
  all[dim->front()] = repeats->front();
  return all;
}

LogicalResult npu::buildTile(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> repeats = tileRepeats(node);
  if (failed(repeats))
    return failure();
  if (int64_t(repeats->size()) != rankOf(x))
    return node.error("found " + Twine(repeats->size()) +
                      " repeats, expected " + Twine(rankOf(x)));
  for (auto [dim, times] : llvm::enumerate(*repeats)) {
    if (times < 0)
      return node.error("found " + Twine(times) +
                        " repeats, expected 0 or more");
    if (times > INT32_MAX)
      return node.unsupported("found " + Twine(times) +
                              " repeats, expected 0 to 2^31");
    if (times == 0) {
      Ints extents(shapeOf(x));
      extents[dim] = 0;
      x = node.slice(x, Ints(rankOf(x), 0), Ints(rankOf(x), 1), extents);
      continue;
    }
    x = node.repeat(x, static_cast<int64_t>(dim), times);
  }
  return node.setResult(x);
}

/// A slice where the data is larger, zeros around it where it is smaller.
LogicalResult npu::buildCenterCropPad(OnnxNode &node) {
  Value x = node.getInput(0);
  int64_t rank = rankOf(x);
  FailureOr<Ints> axes = node.normalizeAxes(
      node.getInts("axes").value_or(countFrom(0, rank)), rank);
  FailureOr<Ints> wanted = node.constantInts(1, "the shape");
  if (failed(axes) || failed(wanted))
    return failure();
  if (wanted->size() != axes->size() ||
      llvm::any_of(*wanted, [](int64_t extent) { return extent < 0; }))
    return node.error("found the shape " + shapes::text(*wanted) +
                      ", expected " + Twine(axes->size()) + " sizes");
  Ints starts(rank, 0), steps(rank, 1), extents(shapeOf(x)), pads(2 * rank, 0);
  for (auto [axis, extent] : llvm::zip(*axes, *wanted)) {
    int64_t excess = extents[axis] - extent;
    starts[axis] = std::max<int64_t>(excess, 0) / 2;
    extents[axis] = std::min(extents[axis], extent);
    int64_t missing = std::max<int64_t>(-excess, 0);
    pads[axis] = missing / 2;
    pads[rank + axis] = missing - missing / 2;
  }
  return node.setResult(node.pad(node.slice(x, starts, steps, extents), pads,
                                 PadMode::Constant, 0));
}
