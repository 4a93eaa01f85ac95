// SPDX-License-Identifier: Apache-2.0
//
// Resize and Upsample.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxResample.h"

#include <cmath>

using namespace npu;

/// The mode that takes a region of interest.
constexpr StringRef cropWord = "tf_crop_and_resize";

static LogicalResult createResize(OnnxNode &node, const ResizeSpec &spec) {
  Value x = node.getInput(0);
  if (llvm::is_contained(spec.extents, 0))
    return node.setResult(node.filled(0, spec.extents, elementOf(x)));
  if (ArrayRef<int64_t>(spec.extents) == shapeOf(x) &&
      llvm::all_of(spec.scales, [](double scale) { return scale == 1; }))
    return node.setResult(x);
  bool shrinks =
      llvm::any_of(spec.scales, [](double scale) { return scale < 1; });
  bool isSmooth = spec.mode != ResizeMode::Nearest;
  if (!spec.region.empty() || spec.coordinates == tfHalfPixelWord ||
      (spec.antialiases && isSmooth && shrinks))
    return node.setResult(resample(node, x, spec));
  Type element = elementOf(x);
  if (isSmooth && !isa<mlir::FloatType>(element))
    x = node.cast(x, node.getBuilder().getF32Type());
  OpBuilder &builder = node.getBuilder();
  mlir::MLIRContext *context = builder.getContext();
  Value resized = node.create<ResizeOp>(
      spec.extents, elementOf(x), x, ResizeModeAttr::get(context, spec.mode),
      ResizeCoordinatesAttr::get(context,
                                 *symbolizeResizeCoordinates(spec.coordinates)),
      ResizeNearestAttr::get(context, spec.nearest),
      builder.getF64ArrayAttr(spec.scales), builder.getF64FloatAttr(spec.cubic),
      builder.getBoolAttr(spec.excludesOutside));
  return node.setResult(resized ? node.cast(resized, element) : resized);
}

/// Result extents: rounded down, as the definition has it, to 0 even. The
/// product is one of single precision, as in ONNX's own shape inference: 20 *
/// 2.1 is 42.
static LogicalResult applyScales(OnnxNode &node, ResizeSpec &spec) {
  ArrayRef<int64_t> shape = shapeOf(node.getInput(0));
  if (spec.scales.size() != shape.size())
    return node.error("found " + Twine(spec.scales.size()) +
                      " scales, expected " + Twine(shape.size()));
  spec.extents.clear();
  for (auto [scale, extent] : llvm::zip(spec.scales, shape)) {
    float result = std::floor(float(extent) * float(scale));
    if (!(scale > 0))
      return node.error("found the scale " + Twine(std::to_string(scale)) +
                        " for extent " + Twine(extent) +
                        ", expected a positive one");
    if (!(result < 1e9f))
      return node.unsupported("found the scale " +
                              Twine(std::to_string(scale)) + " for extent " +
                              Twine(extent) + ", expected a result below 10^9");
    spec.extents.push_back(static_cast<int64_t>(result));
  }
  return success();
}

LogicalResult npu::buildUpsample(OnnxNode &node) {
  ResizeSpec spec;
  std::string mode =
      node.getWord("mode", "nearest", {"nearest", "linear", "bilinear"});
  spec.mode = mode == "nearest" ? ResizeMode::Nearest : ResizeMode::Linear;
  if (node.version >= 9) {
    FailureOr<SmallVector<double>> scales =
        node.constantFloats(1, "the scales");
    if (failed(scales))
      return failure();
    spec.scales = *scales;
  } else if (node.version >= 7) {
    spec.scales = node.getFloats("scales").value_or(SmallVector<double>());
  } else {
    spec.scales = {1, 1, node.getFloat("height_scale", 0),
                   node.getFloat("width_scale", 0)};
  }
  if (failed(applyScales(node, spec)))
    return failure();
  return createResize(node, spec);
}

/// Since opset 18 scales and sizes may speak of some axes only.
static FailureOr<Ints> resizedAxes(OnnxNode &node) {
  int64_t rank = rankOf(node.getInput(0));
  std::optional<Ints> axes = node.getInts("axes");
  if (!axes)
    return countFrom(0, rank);
  return node.normalizeAxes(*axes, rank);
}

/// keep_aspect_ratio_policy: one scale for all axes, the smallest or largest.
static void keepAspect(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                       bool isSmallest, Ints &sizes,
                       SmallVectorImpl<double> &scales) {
  double common = scales.front();
  for (double scale : scales)
    common = isSmallest ? std::min(common, scale) : std::max(common, scale);
  for (size_t i = 0; i < axes.size(); ++i) {
    scales[i] = common;
    if (std::isfinite(common))
      sizes[i] = static_cast<int64_t>(
          std::floor(common * double(shape[axes[i]]) + 0.5));
  }
}

static LogicalResult applySizes(OnnxNode &node, ResizeSpec &spec, size_t input,
                                ArrayRef<int64_t> axes) {
  ArrayRef<int64_t> shape = shapeOf(node.getInput(0));
  std::string policy = node.getWord("keep_aspect_ratio_policy", "stretch",
                                    {"stretch", "not_larger", "not_smaller"});
  FailureOr<Ints> sizes = node.constantInts(input, "the sizes");
  if (failed(sizes))
    return failure();
  if (sizes->size() != axes.size())
    return node.error("found " + Twine(sizes->size()) + " sizes, expected " +
                      Twine(axes.size()));
  SmallVector<double> scales;
  for (auto [size, axis] : llvm::zip(*sizes, axes)) {
    if (size < 1)
      return node.error("found the size " + Twine(size) +
                        ", expected 1 or more");
    if (size > INT32_MAX)
      return node.unsupported("found the size " + Twine(size) +
                              ", expected at most 2^31");
    scales.push_back(double(size) / double(shape[axis]));
  }
  if (policy != "stretch" && !scales.empty())
    keepAspect(shape, axes, policy == "not_larger", *sizes, scales);
  spec.scales.assign(shape.size(), 1);
  spec.extents = Ints(shape);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (!std::isfinite(scales[i]))
      return node.error("found the size " + Twine((*sizes)[i]) +
                        " for a dimension without elements");
    spec.scales[axis] = scales[i];
    spec.extents[axis] = (*sizes)[i];
  }
  return success();
}

static LogicalResult applyScaleInput(OnnxNode &node, ResizeSpec &spec,
                                     size_t input, ArrayRef<int64_t> axes) {
  node.ignore({"keep_aspect_ratio_policy"});
  FailureOr<SmallVector<double>> given =
      node.constantFloats(input, "the scales");
  if (failed(given))
    return failure();
  if (given->size() != axes.size())
    return node.error("found " + Twine(given->size()) + " scales, expected " +
                      Twine(axes.size()));
  spec.scales.assign(rankOf(node.getInput(0)), 1);
  for (auto [i, axis] : llvm::enumerate(axes))
    spec.scales[axis] = (*given)[i];
  return applyScales(node, spec);
}

/// The region of interest of the dimensions in `axes`.
static LogicalResult readRegion(OnnxNode &node, ResizeSpec &spec,
                                ArrayRef<int64_t> axes) {
  if (spec.coordinates != cropWord)
    return success();
  size_t rank = spec.scales.size();
  spec.region.assign(2 * rank, 0);
  std::fill(spec.region.begin() + rank, spec.region.end(), 1);
  if (!node.hasInput(1)) // all of the data
    return success();
  FailureOr<SmallVector<double>> given = node.constantFloats(1, "the region");
  if (failed(given))
    return failure();
  if (given->size() != 2 * axes.size())
    return node.error("found a region of " + Twine(given->size()) +
                      " numbers, expected " + Twine(2 * axes.size()));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    spec.region[axis] = (*given)[i];
    spec.region[rank + axis] = (*given)[axes.size() + i];
  }
  return success();
}

/// Attributes since opset 11; Resize of opset 10 is Upsample under a new name.
static void readModes(OnnxNode &node, ResizeSpec &spec) {
  spec.mode = node.getEnum("mode", ResizeMode::Nearest);
  if (node.version < 11)
    return;
  SmallVector<StringRef> words = wordsOf<ResizeCoordinates>();
  words.push_back(cropWord);
  if (node.version < 13)
    words.push_back(tfHalfPixelWord);
  spec.coordinates =
      node.getWord("coordinate_transformation_mode", "half_pixel", words);
  spec.nearest = node.getEnum("nearest_mode", ResizeNearest::RoundPreferFloor);
  spec.cubic = node.getFloat("cubic_coeff_a", -0.75);
  spec.excludesOutside = node.getFlag("exclude_outside", false);
  spec.outsideValue = node.getFloat("extrapolation_value", 0);
}

LogicalResult npu::buildResize(OnnxNode &node) {
  ResizeSpec spec;
  readModes(node, spec);
  FailureOr<Ints> axes = resizedAxes(node);
  spec.antialiases = node.getFlag("antialias", false);
  if (failed(axes) || node.hasFailed())
    return failure();
  size_t scales = node.version < 11 ? 1 : 2, sizes = 3;
  // An empty tensor stands for an absent input.
  auto isGiven = [&](size_t input) {
    return node.hasInput(input) &&
           tensorType(node.getInput(input)).getNumElements() > 0;
  };
  bool hasSizes = node.version >= 11 && isGiven(sizes);
  if (hasSizes == isGiven(scales))
    return node.error(hasSizes
                          ? "has both scales and sizes, expected one of them"
                          : "has neither scales nor sizes, expected one of "
                            "them");
  if (failed(hasSizes ? applySizes(node, spec, sizes, *axes)
                      : applyScaleInput(node, spec, scales, *axes)))
    return failure();
  if (failed(readRegion(node, spec, *axes)))
    return failure();
  return createResize(node, spec);
}
