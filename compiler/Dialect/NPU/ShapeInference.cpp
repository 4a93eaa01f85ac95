// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace npu;
using namespace npu::shapes;

// Attributes beyond this are nonsense and would overflow the sums below.
static constexpr int64_t maxAttribute = int64_t(1) << 31;
static constexpr int64_t maxElements = int64_t(1) << 40;

static LogicalResult fail(std::string &error, const Twine &message) {
  error = message.str();
  return failure();
}

static LogicalResult checkRange(ArrayRef<int64_t> values, int64_t least,
                                StringRef what, std::string &error) {
  for (int64_t value : values)
    if (value < least || value > maxAttribute)
      return fail(error, what + " must be between " + Twine(least) +
                             " and 2^31, found " + Twine(value));
  return success();
}

static LogicalResult checkWindow(size_t rank, const Window &window,
                                 std::string &error) {
  if (window.kernel.size() != rank || window.strides.size() != rank ||
      window.dilations.size() != rank || window.pads.size() != 2 * rank)
    return fail(error, "kernel, strides, dilations and pads must have " +
                           Twine(rank) + ", " + Twine(rank) + ", " +
                           Twine(rank) + " and " + Twine(2 * rank) +
                           " entries, found " + Twine(window.kernel.size()) +
                           ", " + Twine(window.strides.size()) + ", " +
                           Twine(window.dilations.size()) + " and " +
                           Twine(window.pads.size()));
  if (failed(checkRange(window.kernel, 1, "kernel extents", error)) ||
      failed(checkRange(window.strides, 1, "strides", error)) ||
      failed(checkRange(window.dilations, 1, "dilations", error)))
    return failure();
  for (size_t i = 0; i < rank; ++i)
    if (window.kernel[i] > maxElements / window.dilations[i])
      return fail(error, "a kernel of extent " + Twine(window.kernel[i]) +
                             " with dilation " + Twine(window.dilations[i]) +
                             " is too large");
  return checkRange(window.pads, 0, "pads", error);
}

static int64_t dilated(const Window &window, size_t i) {
  return (window.kernel[i] - 1) * window.dilations[i] + 1;
}

/// What convolutions of both directions need: ranks, groups, channels.
static LogicalResult checkConv(ArrayRef<int64_t> data, ArrayRef<int64_t> weight,
                               int64_t groups, std::string &error) {
  if (data.size() < 3 || data.size() != weight.size())
    return fail(error, "data and weight must have the same rank of 3 or more, "
                       "found " +
                           text(data) + " and " + text(weight));
  if (groups < 1)
    return fail(error, "groups must be 1 or more, found " + Twine(groups));
  if (data[1] % groups != 0 || weight[0] % groups != 0)
    return fail(error, "groups = " + Twine(groups) + " must divide the " +
                           Twine(data[1]) + " input channels and the " +
                           Twine(weight[0]) + " output channels");
  if (weight[1] != data[1] / groups)
    return fail(error, "the weight " + text(weight) + " must have " +
                           Twine(data[1] / groups) +
                           " input channels in each group (data " + text(data) +
                           ", groups = " + Twine(groups) + ")");
  return success();
}

static LogicalResult checkAxis(int64_t axis, size_t rank, std::string &error) {
  if (axis < 0 || axis >= int64_t(rank))
    return fail(error,
                "axis " + Twine(axis) + " is outside of rank " + Twine(rank));
  return success();
}

FailureOr<Shape> npu::shapes::windowed(ArrayRef<int64_t> spatial,
                                       const Window &window,
                                       std::string &error) {
  if (failed(checkWindow(spatial.size(), window, error)))
    return failure();
  size_t rank = spatial.size();
  Shape result;
  for (size_t i = 0; i < rank; ++i) {
    int64_t padded = spatial[i] + window.pads[i] + window.pads[rank + i];
    int64_t room = padded - dilated(window, i);
    if (room < 0)
      return fail(error, "a window of extent " + Twine(dilated(window, i)) +
                             " does not fit the padded extent " +
                             Twine(padded) + " of spatial dimension " +
                             Twine(i));
    result.push_back(room / window.strides[i] + 1);
  }
  return result;
}

FailureOr<Shape>
npu::shapes::conv(ArrayRef<int64_t> data, ArrayRef<int64_t> weight,
                  ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                  ArrayRef<int64_t> pads, int64_t groups, std::string &error) {
  if (failed(checkConv(data, weight, groups, error)))
    return failure();
  Window window{weight.drop_front(2), strides, dilations, pads};
  FailureOr<Shape> spatial = windowed(data.drop_front(2), window, error);
  if (failed(spatial))
    return failure();
  Shape result{data[0], weight[0]};
  result.append(*spatial);
  return result;
}

static LogicalResult checkTile(int64_t tile, std::string &error) {
  if (tile == 2 || tile == 4)
    return success();
  return fail(error, "tile is " + Twine(tile) + ", expected 2 or 4");
}

FailureOr<Shape> npu::shapes::winogradWeight(ArrayRef<int64_t> weight,
                                             int64_t tile, std::string &error) {
  if (failed(checkTile(tile, error)))
    return failure();
  if (weight.size() != 4 || weight[2] != 3 || weight[3] != 3)
    return fail(error, "the weight is " + text(weight) +
                           ", expected four dimensions, the last two 3x3");
  return Shape{weight[0], weight[1], tile + 2, tile + 2};
}

FailureOr<Shape> npu::shapes::convWinograd(ArrayRef<int64_t> data,
                                           ArrayRef<int64_t> weight,
                                           ArrayRef<int64_t> pads, int64_t tile,
                                           std::string &error) {
  if (failed(checkTile(tile, error)) ||
      failed(checkConv(data, weight, /*groups=*/1, error)))
    return failure();
  if (weight.size() != 4 || weight[2] != tile + 2 || weight[3] != tile + 2)
    return fail(error, "the weight is " + text(weight) +
                           ", expected four dimensions, the last two " +
                           Twine(tile + 2) + "x" + Twine(tile + 2));
  const int64_t taps[] = {3, 3}, ones[] = {1, 1};
  FailureOr<Shape> spatial =
      windowed(data.drop_front(2), Window{taps, ones, ones, pads}, error);
  if (failed(spatial))
    return failure();
  Shape result{data[0], weight[0]};
  result.append(*spatial);
  return result;
}

FailureOr<Shape>
npu::shapes::convTranspose(ArrayRef<int64_t> data, ArrayRef<int64_t> weight,
                           ArrayRef<int64_t> strides,
                           ArrayRef<int64_t> dilations, ArrayRef<int64_t> pads,
                           int64_t groups, std::string &error) {
  if (failed(checkConv(data, weight, groups, error)))
    return failure();
  Window window{weight.drop_front(2), strides, dilations, pads};
  size_t rank = data.size() - 2;
  if (failed(checkWindow(rank, window, error)))
    return failure();
  Shape result{data[0], weight[0]};
  for (size_t i = 0; i < rank; ++i) {
    if (data[2 + i] > maxElements / strides[i])
      return fail(error, "extent " + Twine(data[2 + i]) + " with stride " +
                             Twine(strides[i]) + " is too large");
    int64_t extent = (data[2 + i] - 1) * strides[i] + dilated(window, i) -
                     pads[i] - pads[rank + i];
    // Output padding may add less than a stride or dilation.
    if (extent + std::max(strides[i], dilations[i]) <= 1)
      return fail(error, "pads " + Twine(pads[i]) + " and " +
                             Twine(pads[rank + i]) +
                             " leave nothing of spatial dimension " + Twine(i));
    result.push_back(extent);
  }
  return result;
}

FailureOr<Shape> npu::shapes::img2col(ArrayRef<int64_t> data,
                                      const Window &window,
                                      std::string &error) {
  FailureOr<Shape> spatial = windowed(data.drop_front(2), window, error);
  if (failed(spatial))
    return failure();
  Shape result{data[0], data[1]};
  for (int64_t extent : window.kernel) {
    if (result[1] > maxElements / extent)
      return fail(error, "a window of " + text(window.kernel) + " taps for " +
                             Twine(data[1]) + " channels is too large");
    result[1] *= extent;
  }
  result.append(*spatial);
  return result;
}

FailureOr<Shape> npu::shapes::unpool(ArrayRef<int64_t> data,
                                     ArrayRef<int64_t> kernel,
                                     std::string &error) {
  Shape result(data);
  for (auto [i, factor] : llvm::enumerate(kernel)) {
    if (data[i + 2] > maxElements / factor)
      return fail(error, "extent " + Twine(data[i + 2]) + " times " +
                             Twine(factor) + " is too large");
    result[i + 2] *= factor;
  }
  return result;
}

Shape npu::shapes::rotate(ArrayRef<int64_t> input, ArrayRef<int64_t> axes,
                          int64_t turns) {
  Shape result(input);
  if (turns % 2)
    std::swap(result[axes[0]], result[axes[1]]);
  return result;
}

FailureOr<Shape> npu::shapes::broadcast(ArrayRef<Shape> inputs,
                                        std::string &error) {
  size_t rank = 0;
  for (const Shape &input : inputs)
    rank = std::max(rank, input.size());
  Shape result(rank, 1);
  for (const Shape &input : inputs) {
    size_t skipped = rank - input.size();
    for (size_t i = 0; i < input.size(); ++i) {
      int64_t &extent = result[skipped + i];
      if (extent != input[i] && extent != 1 && input[i] != 1) {
        std::string all = llvm::join(llvm::map_range(inputs, text), ", ");
        return fail(error, "shapes " + Twine(all) +
                               " do not broadcast: extents agree or are 1");
      }
      if (input[i] != 1)
        extent = input[i];
    }
  }
  return result;
}

FailureOr<Shape> npu::shapes::attention(ArrayRef<int64_t> query,
                                        ArrayRef<int64_t> key,
                                        ArrayRef<int64_t> value,
                                        std::string &error) {
  size_t rank = query.size();
  bool fits = rank >= 2 && key.size() == rank && value.size() == rank &&
              query[rank - 1] == key[rank - 1] &&
              key[rank - 2] == value[rank - 2];
  for (size_t dim = 0; fits && dim + 2 < rank; ++dim) {
    bool isHeads = dim + 3 == rank && key[dim] > 0;
    fits = key[dim] == value[dim] &&
           (isHeads ? query[dim] % key[dim] == 0 : query[dim] == key[dim]);
  }
  if (!fits)
    return fail(error, "query, key and value of shapes " + text(query) + ", " +
                           text(key) + " and " + text(value) +
                           " do not fit one another: expected (..., H, M, D), "
                           "(..., G, N, D) and (..., G, N, V), G dividing H");
  Shape result(query);
  result.back() = value.back();
  return result;
}

FailureOr<Shape> npu::shapes::matmul(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                     std::string &error) {
  if (a.size() < 2 || b.size() < 2)
    return fail(error, "matrix operands must have rank 2 or more, found " +
                           text(a) + " and " + text(b));
  if (a.back() != b[b.size() - 2])
    return fail(error,
                "inner extents differ: " + text(a) + " times " + text(b));
  FailureOr<Shape> result =
      broadcast({Shape(a.drop_back(2)), Shape(b.drop_back(2))}, error);
  if (failed(result))
    return failure();
  result->push_back(a[a.size() - 2]);
  result->push_back(b.back());
  return result;
}

FailureOr<Shape> npu::shapes::concat(ArrayRef<Shape> inputs, int64_t axis,
                                     std::string &error) {
  if (inputs.empty())
    return fail(error, "nothing to concatenate");
  if (failed(checkAxis(axis, inputs.front().size(), error)))
    return failure();
  Shape result = inputs.front();
  for (const Shape &input : inputs.drop_front()) {
    Shape expected = result;
    if (input.size() == result.size())
      expected[axis] = input[axis];
    if (input != expected)
      return fail(error, "shapes " + text(inputs.front()) + " and " +
                             text(input) + " differ beside axis " +
                             Twine(axis));
    result[axis] += input[axis];
  }
  return result;
}

FailureOr<Shape> npu::shapes::pad(ArrayRef<int64_t> input,
                                  ArrayRef<int64_t> pads, std::string &error) {
  if (pads.size() != 2 * input.size())
    return fail(error, "pads must have " + Twine(2 * input.size()) +
                           " entries, found " + Twine(pads.size()));
  if (failed(checkRange(pads, -maxAttribute, "pads", error)))
    return failure();
  Shape result;
  for (size_t i = 0; i < input.size(); ++i) {
    result.push_back(input[i] + pads[i] + pads[input.size() + i]);
    if (result.back() < 0)
      return fail(error, "pads crop more than the extent " + Twine(input[i]) +
                             " of dimension " + Twine(i));
  }
  return result;
}

FailureOr<Shape> npu::shapes::reduce(ArrayRef<int64_t> input,
                                     ArrayRef<int64_t> axes, bool keepDims,
                                     std::string &error) {
  llvm::BitVector reduced(input.size());
  for (int64_t axis : axes) {
    if (failed(checkAxis(axis, input.size(), error)))
      return failure();
    if (reduced.test(axis))
      return fail(error, "axis " + Twine(axis) + " is named twice");
    reduced.set(axis);
  }
  Shape result;
  for (size_t i = 0; i < input.size(); ++i) {
    if (!reduced.test(i))
      result.push_back(input[i]);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

FailureOr<Shape> npu::shapes::transpose(ArrayRef<int64_t> input,
                                        ArrayRef<int64_t> permutation,
                                        std::string &error) {
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  bool valid = sorted.size() == input.size();
  for (size_t i = 0; valid && i < sorted.size(); ++i)
    valid = sorted[i] == int64_t(i);
  if (!valid) {
    std::string found =
        llvm::join(llvm::map_range(permutation,
                                   [](int64_t i) { return std::to_string(i); }),
                   ", ");
    return fail(error, "the permutation must name each of 0.." +
                           Twine(int64_t(input.size()) - 1) + " once, found [" +
                           found + "]");
  }
  Shape result;
  for (int64_t dim : permutation)
    result.push_back(input[dim]);
  return result;
}

FailureOr<Shape> npu::shapes::gather(ArrayRef<int64_t> data,
                                     ArrayRef<int64_t> indices, int64_t axis,
                                     std::string &error) {
  if (failed(checkAxis(axis, data.size(), error)))
    return failure();
  Shape result(data.take_front(axis));
  result.append(indices.begin(), indices.end());
  result.append(data.begin() + axis + 1, data.end());
  return result;
}

FailureOr<Shape> npu::shapes::gatherElements(ArrayRef<int64_t> data,
                                             ArrayRef<int64_t> indices,
                                             int64_t axis, std::string &error) {
  if (failed(checkAxis(axis, data.size(), error)))
    return failure();
  bool fits = data.size() == indices.size();
  for (size_t i = 0; fits && i < data.size(); ++i)
    fits = int64_t(i) == axis || indices[i] <= data[i];
  if (!fits)
    return fail(error, "indices " + text(indices) + " do not fit data " +
                           text(data) +
                           ": the same rank, and no extent beside "
                           "axis " +
                           Twine(axis) + " larger");
  return Shape(indices);
}

FailureOr<Shape> npu::shapes::gatherNd(ArrayRef<int64_t> data,
                                       ArrayRef<int64_t> indices,
                                       int64_t batchDims, std::string &error) {
  int64_t rank = data.size(), own = indices.size();
  if (batchDims < 0 || batchDims >= std::min(rank, own))
    return fail(error, Twine(batchDims) +
                           " batch dimensions, expected fewer than data " +
                           text(data) + " and indices " + text(indices) +
                           " have");
  if (data.take_front(batchDims) != indices.take_front(batchDims))
    return fail(error, "data " + text(data) + " and indices " + text(indices) +
                           " differ in their " + Twine(batchDims) +
                           " batch dimensions");
  int64_t depth = indices.back();
  if (depth < 1 || batchDims + depth > rank)
    return fail(error, "indices " + text(indices) + " pick from " +
                           Twine(depth) + " dimensions, expected 1 to " +
                           Twine(rank - batchDims));
  Shape result(indices.drop_back());
  result.append(data.begin() + batchDims + depth, data.end());
  return result;
}

FailureOr<int64_t> npu::shapes::elements(ArrayRef<int64_t> shape,
                                         std::string &error) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return fail(error, "negative extent " + Twine(extent) + " in shape " +
                             text(shape));
    isEmpty |= extent == 0;
    if (extent > maxElements || (extent > 0 && count > maxElements / extent))
      return fail(error,
                  "shape " + text(shape) + " has more than 2^40 elements");
    count *= std::max<int64_t>(extent, 1);
  }
  return isEmpty ? 0 : count;
}

std::string npu::shapes::text(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t i) { return std::to_string(i); }), "x");
}
