// SPDX-License-Identifier: Apache-2.0
//
// Operators whose result's shape depends on numbers: they fold if these are
// constant, and are refused otherwise.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>
#include <tuple>

using namespace npu;

static Value gatherAlong(OnnxNode &node, Value data, ArrayRef<int64_t> indices,
                         int64_t axis) {
  Ints shape(shapeOf(data));
  shape[axis] = static_cast<int64_t>(indices.size());
  return node.create<GatherOp>(shape, elementOf(data), data, node.ints(indices),
                               node.getBuilder().getI64IntegerAttr(axis));
}

static Value flattened(OnnxNode &node, Value x) {
  return node.reshape(x, tensorType(x).getNumElements());
}

LogicalResult npu::buildCompress(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isFlat = !node.hasAttribute("axis");
  if (isFlat)
    x = flattened(node, x);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(x));
  FailureOr<Ints> condition = node.constantInts(1, "the condition");
  if (failed(axis) || failed(condition))
    return failure();
  if (static_cast<int64_t>(condition->size()) > shapeOf(x)[*axis])
    return node.error("found a condition of " + Twine(condition->size()) +
                      " entries, expected at most " + Twine(shapeOf(x)[*axis]));
  Ints kept;
  for (auto [i, isKept] : llvm::enumerate(*condition))
    if (isKept)
      kept.push_back(static_cast<int64_t>(i));
  return node.setResult(gatherAlong(node, x, kept, *axis));
}

LogicalResult npu::buildNonZero(OnnxNode &node) {
  FailureOr<SmallVector<double>> numbers = node.constantFloats(0, "the data");
  if (failed(numbers))
    return failure();
  Ints shape(shapeOf(node.getInput(0)));
  int64_t rank = std::max<int64_t>(rankOf(node.getInput(0)), 1);
  std::vector<Ints> places(rank);
  for (auto [i, number] : llvm::enumerate(*numbers)) {
    if (number == 0)
      continue;
    auto rest = static_cast<int64_t>(i);
    for (int64_t axis = rank; axis-- > 0;) {
      int64_t extent = shape.empty() ? 1 : shape[axis];
      places[axis].push_back(rest % extent);
      rest /= extent;
    }
  }
  Ints all;
  for (const Ints &along : places)
    all.append(along);
  return node.setResult(node.reshape(
      node.ints(all), {rank, static_cast<int64_t>(places[0].size())}));
}

/// The slices of a tensor along one dimension, as rows of numbers.
static std::vector<SmallVector<double>>
slicesAlong(ArrayRef<double> numbers, ArrayRef<int64_t> shape, int64_t axis) {
  int64_t inner = 1;
  for (int64_t extent : shape.drop_front(axis + 1))
    inner *= extent;
  std::vector<SmallVector<double>> rows(shape[axis]);
  for (auto [i, number] : llvm::enumerate(numbers))
    rows[static_cast<int64_t>(i) / inner % shape[axis]].push_back(number);
  return rows;
}

/// Results of Unique: first places, the group of each slice, group sizes.
LogicalResult npu::buildUnique(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isSorted = node.getFlag("sorted", true);
  if (!node.hasAttribute("axis"))
    x = flattened(node, x);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(x));
  FailureOr<SmallVector<double>> numbers = node.constantFloats(0, "the data");
  if (failed(axis) || failed(numbers))
    return failure();
  if (llvm::any_of(*numbers, [](double x) { return std::isnan(x); }))
    return node.unsupported(
        "found data that is not a number, which has no order");
  auto rows = slicesAlong(*numbers, shapeOf(x), *axis);
  Ints order = countFrom(0, static_cast<int64_t>(rows.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::tie(rows[a], a) < std::tie(rows[b], b);
  });
  std::vector<std::pair<int64_t, Ints>> groups; // first place, all places
  for (int64_t row : order) {
    if (groups.empty() || rows[groups.back().first] != rows[row])
      groups.push_back({row, {}});
    groups.back().second.push_back(row);
  }
  if (!isSorted)
    llvm::sort(groups);
  Ints firsts, counts, inverse(rows.size(), 0);
  for (auto [i, group] : llvm::enumerate(groups)) {
    firsts.push_back(group.first);
    counts.push_back(static_cast<int64_t>(group.second.size()));
    for (int64_t row : group.second)
      inverse[row] = static_cast<int64_t>(i);
  }
  Value values = gatherAlong(node, x, firsts, *axis);
  return success(succeeded(node.setResult(0, values)) &&
                 succeeded(node.setResult(1, node.ints(firsts))) &&
                 succeeded(node.setResult(2, node.ints(inverse))) &&
                 succeeded(node.setResult(3, node.ints(counts))));
}

namespace {
/// What NonMaxSuppression reads.
struct Boxes {
  SmallVector<double> corners, scores;
  int64_t most = 0;
  double overlap = 0, least = -INFINITY;
  bool isCentre = false;
};
} // namespace

/// y1, x1, y2, x2 in order of size.
static std::array<double, 4> cornersOf(const Boxes &boxes, int64_t index) {
  const double *box = boxes.corners.data() + 4 * index;
  if (boxes.isCentre)
    return {box[1] - box[3] / 2, box[0] - box[2] / 2, box[1] + box[3] / 2,
            box[0] + box[2] / 2};
  return {std::min(box[0], box[2]), std::min(box[1], box[3]),
          std::max(box[0], box[2]), std::max(box[1], box[3])};
}

/// Intersection over union.
static double overlapOf(const std::array<double, 4> &a,
                        const std::array<double, 4> &b) {
  double height = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  double width = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  double common = std::max(height, 0.0) * std::max(width, 0.0);
  double total = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]);
  return total - common > 0 ? common / (total - common) : 0;
}

static FailureOr<Boxes> readBoxes(OnnxNode &node) {
  Boxes boxes;
  boxes.isCentre = node.getFlag("center_point_box", false);
  ArrayRef<int64_t> corners = shapeOf(node.getInput(0));
  ArrayRef<int64_t> scores = shapeOf(node.getInput(1));
  if (corners.size() != 3 || scores.size() != 3 || corners[2] != 4 ||
      corners[0] != scores[0] || corners[1] != scores[2])
    return node.error("found boxes and scores of shapes " +
                      shapes::text(corners) + " and " + shapes::text(scores) +
                      ", expected N, boxes, 4 and N, classes, boxes");
  FailureOr<SmallVector<double>> given = node.constantFloats(0, "the boxes");
  FailureOr<SmallVector<double>> ranks = node.constantFloats(1, "the scores");
  if (failed(given) || failed(ranks))
    return failure();
  boxes.corners = *given;
  boxes.scores = *ranks;
  if (node.hasInput(2)) {
    FailureOr<int64_t> most =
        node.constantInt(2, "the number of boxes", "numbers of boxes");
    if (failed(most))
      return failure();
    boxes.most = *most;
  }
  for (auto [index, number] :
       {std::pair<size_t, double *>(3, &boxes.overlap), {4, &boxes.least}}) {
    if (!node.hasInput(index))
      continue;
    FailureOr<double> threshold =
        node.constantFloat(index, "the threshold", "thresholds");
    if (failed(threshold))
      return failure();
    *number = *threshold;
  }
  return boxes;
}

LogicalResult npu::buildNonMaxSuppression(OnnxNode &node) {
  FailureOr<Boxes> boxes = readBoxes(node);
  if (failed(boxes))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(node.getInput(1));
  Ints rows;
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    const double *scores = boxes->scores.data() + i * shape[2];
    int64_t batch = i / shape[1];
    Ints order = countFrom(0, shape[2]), chosen;
    llvm::sort(order, [&](int64_t a, int64_t b) {
      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    for (int64_t box : order) {
      if (static_cast<int64_t>(chosen.size()) >= boxes->most ||
          !(scores[box] > boxes->least))
        break;
      auto corners = cornersOf(*boxes, batch * shape[2] + box);
      if (llvm::any_of(chosen, [&](int64_t other) {
            return overlapOf(corners,
                             cornersOf(*boxes, batch * shape[2] + other)) >
                   boxes->overlap;
          }))
        continue;
      chosen.push_back(box);
      rows.append({batch, i % shape[1], box});
    }
  }
  auto count = static_cast<int64_t>(rows.size()) / 3;
  return node.setResult(node.reshape(node.ints(rows), {count, 3}));
}
