// SPDX-License-Identifier: Apache-2.0
//
// Resizing: result i of a dimension lies at (i * step + offset) / units of the
// data.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/Windows.h"

using namespace npu;

namespace {
/// One dimension.
struct Axis {
  int64_t units, step, offset, border;
  int64_t input, extent;

  /// Where result i lies, in units of 1 / units.
  int64_t at(int64_t i) const { return i * step + offset; }
  int64_t floorAt(int64_t i) const {
    int64_t place = at(i);
    return place >= 0 ? place / units : -((-place + units - 1) / units);
  }
  int64_t restAt(int64_t i) const { return at(i) - floorAt(i) * units; }
  int64_t clamped(int64_t index) const {
    return std::clamp<int64_t>(index, 0, input - 1);
  }
};
} // namespace

static FailureOr<Axis> readAxis(TosaNode &node, size_t index) {
  // Of 4, 2 and 2 numbers, which their types say.
  Ints scale = node.getShape(1), offset = node.getShape(2),
       border = node.getShape(3);
  Axis axis{scale[2 * index],
            scale[2 * index + 1],
            offset[index],
            border[index],
            shapeOf(node.getInput(0))[1 + index],
            0};
  constexpr int64_t most = 1 << 20; // TOSA has less; keeps products small
  for (int64_t number : {axis.units, axis.step})
    if (number < 1 || number > most)
      return node.error("has the scale " + shapes::text(scale) +
                        ", expected numbers from 1 to 2^20");
  for (int64_t number : {axis.offset, axis.border})
    if (number < -most || number > most)
      return node.error("has an offset or border beyond 2^20");
  int64_t last = (axis.input - 1) * axis.units - axis.offset + axis.border;
  if (last < 0 || last % axis.step != 0)
    return node.error("scale " + shapes::text(scale) + ", offset " +
                      Twine(axis.offset) + " and border " + Twine(axis.border) +
                      " give no whole extent from " + Twine(axis.input));
  axis.extent = last / axis.step + 1;
  if (axis.extent > most) // its indices are made one by one
    return node.error("gives the extent " + Twine(axis.extent) +
                      ", expected at most 2^20");
  return axis;
}

static Value nearest(TosaNode &node, Value x, int64_t dim, const Axis &axis) {
  Ints indices;
  for (int64_t i = 0; i < axis.extent; ++i)
    indices.push_back(
        axis.clamped(axis.floorAt(i) + (2 * axis.restAt(i) >= axis.units)));
  return node.pick(x, dim, indices);
}

/// A vector along `dim`: integers as they are, floats in parts of `units`.
static Value weights(TosaNode &node, const std::vector<int32_t> &numbers,
                     int64_t units, int64_t dim, Value like) {
  Value value =
      node.cast(node.vectorAlong(numbers, dim, rankOf(like)), elementOf(like));
  if (!isa<mlir::FloatType>(elementOf(like)))
    return value;
  return node.eltwise(NPU_INSTR_div,
                      {value, node.scalar(double(units), elementOf(like))});
}

/// Between two neighbours: floats by parts, integers in units, so that sums
/// stay exact.
static Value bilinear(TosaNode &node, Value x, int64_t dim, const Axis &axis) {
  if (!x)
    return x;
  Ints low, high;
  std::vector<int32_t> lowPart, highPart;
  for (int64_t i = 0; i < axis.extent; ++i) {
    low.push_back(axis.clamped(axis.floorAt(i)));
    high.push_back(axis.clamped(axis.floorAt(i) + 1));
    highPart.push_back(static_cast<int32_t>(axis.restAt(i)));
    lowPart.push_back(static_cast<int32_t>(axis.units - axis.restAt(i)));
  }
  auto part = [&](const Ints &indices, const std::vector<int32_t> &numbers) {
    return node.eltwise(NPU_INSTR_mul,
                        {node.pick(x, dim, indices),
                         weights(node, numbers, axis.units, dim, x)});
  };
  return node.eltwise(NPU_INSTR_add,
                      {part(low, lowPart), part(high, highPart)});
}

/// The way of npu.resize to place elements, if it is the same as these axes'.
static std::optional<ResizeCoordinates> coordinatesOf(ArrayRef<Axis> axes) {
  auto all = [&](auto holds) { return llvm::all_of(axes, holds); };
  if (!all([](const Axis &axis) { // the kernel takes no other extents
        return axis.extent == axis.input * axis.units / axis.step;
      }))
    return std::nullopt;
  if (all([](const Axis &axis) {
        return 2 * axis.offset == axis.step - axis.units;
      }))
    return ResizeCoordinates::HalfPixel;
  if (all([](const Axis &axis) { return axis.offset == 0; }))
    return ResizeCoordinates::Asymmetric;
  return std::nullopt;
}

static Value resizeKernel(TosaNode &node, Value x, ArrayRef<Axis> axes,
                          ResizeCoordinates coordinates) {
  SmallVector<double> scales;
  Ints extents;
  for (const Axis &axis : axes) {
    extents.push_back(axis.extent);
    scales.push_back(double(axis.units) / double(axis.step));
  }
  return resizeLinearly(node, x, extents, scales, coordinates);
}

LogicalResult npu::buildTosaResize(TosaNode &node) {
  FailureOr<Axis> rows = readAxis(node, 0), columns = readAxis(node, 1);
  if (failed(rows) || failed(columns))
    return failure();
  Value x = node.getInput(0);
  auto mode = node.attribute<mlir::tosa::ResizeModeAttr>("mode").getValue();
  if (mode == mlir::tosa::ResizeMode::NEAREST_NEIGHBOR)
    return node.setResult(
        nearest(node, nearest(node, x, 1, *rows), 2, *columns));
  std::optional<ResizeCoordinates> coordinates =
      coordinatesOf({*rows, *columns});
  if (isa<mlir::FloatType>(elementOf(x)) && coordinates)
    return node.setResult(
        resizeKernel(node, x, {*rows, *columns}, *coordinates));
  if (!isa<mlir::FloatType>(elementOf(x)))
    x = node.cast(x, node.resultElement());
  return node.setResult(
      bilinear(node, bilinear(node, x, 1, *rows), 2, *columns));
}
