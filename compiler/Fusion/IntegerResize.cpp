// SPDX-License-Identifier: Apache-2.0
//
// What an interpolation of real numbers is of bytes. The weights of neighbours
// are those that the op itself gives an image of one pixel, whatever way it has
// to place them; as parts of a whole they are integers.
#include "compiler/Fusion/IntegerTerms.h"
#include "compiler/Kernel/Evaluator.h"

#include <cstring>
#include <numeric>

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;

/// Bits of all weights together, so that sums of bytes have 30.
static constexpr int weightBits = 22;
/// Extents beyond that would take long to try.
static constexpr int64_t mostPixels = 4096;

namespace {
/// How one dimension is interpolated: result i is the sum over k of
/// weights[k][i] / units times element places[k][i].
struct Interpolation {
  size_t dim;
  int64_t units = 1;
  std::vector<SmallVector<int64_t>> places;
  std::vector<std::vector<double>> weights;
};
} // namespace

/// The weight of each of the data's elements (row) in each of the result's, or
/// none: the op applied to one pixel after the other.
static FailureOr<std::vector<float>> pixelWeights(ResizeOp op, size_t dim) {
  int64_t from = shapeOf(op.getInput())[dim], to = shapeOf(op.getResult())[dim];
  SmallVector<int64_t> shape(shapeOf(op.getInput()).size(), 1);
  std::vector<double> scales(shape.size(), 1);
  size_t other = dim == 0 ? 1 : 0; // of which image
  scales[dim] = cast<mlir::FloatAttr>(op.getScales()[dim]).getValueAsDouble();
  shape[other] = shape[dim] = from;
  std::vector<float> pixels(static_cast<size_t>(from * from));
  for (int64_t i = 0; i < from; ++i)
    pixels[static_cast<size_t>(i * from + i)] = 1;
  OpBuilder detached(op.getContext());
  Type f32 = detached.getF32Type();
  auto type = RankedTensorType::get(shape, f32);
  ElementsAttr data =
      makeElements(type, ArrayRef(reinterpret_cast<const char *>(pixels.data()),
                                  pixels.size() * sizeof(float)));
  Value image = ConstantOp::create(detached, op.getLoc(), type, data);
  shape[dim] = to;
  auto one = cast<ResizeOp>(cloneWith(detached, op.getLoc(), op, image,
                                      RankedTensorType::get(shape, f32)));
  one.setScalesAttr(detached.getF64ArrayAttr(scales));
  FailureOr<SmallVector<ElementsAttr>> result = evaluate(one, {data});
  one->destroy();
  image.getDefiningOp()->destroy();
  if (failed(result))
    return failure();
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(result->front(), storage);
  std::vector<float> weights(bytes.size() / sizeof(float));
  std::memcpy(weights.data(), bytes.data(), bytes.size());
  if (dim > other)
    return weights;
  std::vector<float> turned(weights.size()); // results were the rows
  for (int64_t i = 0; i < from; ++i)
    for (int64_t j = 0; j < to; ++j)
      turned[static_cast<size_t>(i * to + j)] =
          weights[static_cast<size_t>(j * from + i)];
  return turned;
}

/// The smallest denominator that makes all weights whole numbers, or `most`.
static int64_t unitsOf(ArrayRef<float> weights, int64_t most) {
  constexpr double near = 0x1p-20; // of coordinates in f32
  for (int64_t units = 1; units < most; ++units)
    if (llvm::all_of(weights, [&](float weight) {
          double parts = static_cast<double>(weight) * double(units);
          return std::abs(parts - std::nearbyint(parts)) <=
                 near * double(units);
        }))
      return units;
  return most;
}

static std::optional<Interpolation> interpolationOf(ResizeOp op, size_t dim,
                                                    int64_t mostUnits) {
  int64_t from = shapeOf(op.getInput())[dim], to = shapeOf(op.getResult())[dim];
  if (from > mostPixels || to > mostPixels)
    return std::nullopt;
  FailureOr<std::vector<float>> weights = pixelWeights(op, dim);
  if (failed(weights))
    return std::nullopt;
  Interpolation found{dim, unitsOf(*weights, mostUnits), {}, {}};
  for (int64_t j = 0; j < to; ++j) {
    SmallVector<std::pair<int64_t, double>> taps;
    double rest = double(found.units);
    for (int64_t i = 0; i < from; ++i) {
      double weight = (*weights)[static_cast<size_t>(i * to + j)];
      double parts = std::nearbyint(weight * double(found.units));
      if (parts == 0)
        continue;
      taps.push_back({i, parts});
      rest -= parts;
    }
    if (taps.empty())
      return std::nullopt;
    // What rounding left goes to the nearest: flat images stay flat.
    auto heaviest = llvm::max_element(
        taps, [](auto a, auto b) { return a.second < b.second; });
    heaviest->second += rest;
    while (found.places.size() < taps.size()) {
      found.places.emplace_back(static_cast<size_t>(to), 0);
      found.weights.emplace_back(static_cast<size_t>(to), 0);
    }
    for (size_t k = 0; k < found.places.size(); ++k) {
      found.places[k][static_cast<size_t>(j)] =
          k < taps.size() ? taps[k].first : taps.front().first;
      found.weights[k][static_cast<size_t>(j)] =
          k < taps.size() ? taps[k].second : 0;
    }
  }
  return found;
}

static Value pick(Emitter &emit, Value data, size_t dim,
                  ArrayRef<int64_t> places) {
  SmallVector<int64_t> all(static_cast<size_t>(shapeOf(data)[dim]));
  std::iota(all.begin(), all.end(), 0);
  if (ArrayRef<int64_t>(all) == places)
    return data;
  Numbers numbers;
  numbers.shape = {static_cast<int64_t>(places.size())};
  numbers.values.assign(places.begin(), places.end());
  SmallVector<int64_t> shape(shapeOf(data));
  shape[dim] = numbers.shape[0];
  return GatherOp::create(
      emit.rewriter, emit.location, tensorType(data).clone(shape), data,
      emit.constant(numbers),
      emit.rewriter.getI64IntegerAttr(static_cast<int64_t>(dim)));
}

static Value interpolated(Emitter &emit, Value data,
                          const Interpolation &along) {
  Value total;
  size_t rank = shapeOf(data).size();
  for (auto [places, weights] : llvm::zip(along.places, along.weights)) {
    Numbers numbers;
    numbers.shape.assign(rank - along.dim, 1);
    numbers.shape[0] = static_cast<int64_t>(weights.size());
    numbers.values = weights;
    Value part =
        emit.step(NPU_INSTR_mul, {emit.cast(pick(emit, data, along.dim, places),
                                            emit.rewriter.getI32Type()),
                                  emit.constant(numbers)});
    total = total ? emit.step(NPU_INSTR_add, {total, part}) : part;
  }
  return total;
}

std::optional<Affine> integers::ofResize(ResizeOp op, int depth) {
  std::optional<QuantizedBytes> data = quantizedBytesOf(op.getInput(), depth);
  if (!data || op.getMode() != ResizeMode::Linear ||
      shapeOf(data->bytes).size() < 2)
    return std::nullopt;
  SmallVector<size_t> dims;
  for (auto [dim, scale] : llvm::enumerate(op.getScales()))
    if (shapeOf(op.getInput())[dim] != shapeOf(op.getResult())[dim] ||
        cast<mlir::FloatAttr>(scale).getValueAsDouble() != 1)
      dims.push_back(dim);
  if (dims.empty())
    return std::nullopt;
  int64_t mostUnits = int64_t{1} << (weightBits / int(dims.size()));
  std::vector<Interpolation> steps;
  double units = 1;
  for (size_t dim : dims) {
    std::optional<Interpolation> step = interpolationOf(op, dim, mostUnits);
    if (!step)
      return std::nullopt;
    units *= double(step->units);
    steps.push_back(std::move(*step));
  }
  Affine affine = madeTerm(op.getResult(), Numbers::of(data->scale / units),
                           [data, steps](Emitter &emit) {
                             Value value = data->bytes;
                             for (const Interpolation &step : steps)
                               value = interpolated(emit, value, step);
                             return value;
                           });
  affine.offset = Numbers::of(-data->scale * double(data->zero));
  return affine;
}
