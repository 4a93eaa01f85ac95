// SPDX-License-Identifier: Apache-2.0
//
// Operators that put elements where indices say.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include <limits>

using namespace npu;

static Value scattered(TfliteNode &node, Value data, Value indices,
                       Value updates, ScatterReduction reduction) {
  if (!data || !indices || !updates)
    return node.noteFailure();
  return node.create<ScatterNdOp>(
      shapeOf(data), elementOf(data), data, indices, updates,
      ScatterReductionAttr::get(node.getBuilder().getContext(), reduction));
}

/// Updates of one place are added.
LogicalResult npu::buildTfliteScatterNd(TfliteNode &node) {
  Value indices = node.input(0), updates = node.input(1);
  FailureOr<Ints> shape = node.numbers(2, "a shape");
  if (!indices || failed(shape))
    return failure();
  return node.setResult(scattered(node,
                                  node.filled(0, *shape, elementOf(updates)),
                                  indices, updates, ScatterReduction::Add));
}

/// Indices are one number, one for each value, or a row for each.
LogicalResult npu::buildTfliteSparseToDense(TfliteNode &node) {
  Value indices = node.input(0), values = node.input(2), rest = node.input(3);
  FailureOr<Ints> shape = node.numbers(1, "a shape");
  if (!indices || !rest || failed(shape))
    return failure();
  auto rank = static_cast<int64_t>(shape->size());
  int64_t count = rankOf(indices) == 0 ? 1 : shapeOf(indices)[0];
  if (tensorType(indices).getNumElements() != count * rank)
    return node.error("found indices of shape " +
                      shapes::text(shapeOf(indices)) + " into " +
                      shapes::text(*shape));
  Value data = node.broadcast(node.reshape(rest, {}), *shape);
  Value updates = rankOf(values) == 0 ? node.broadcast(values, {count})
                                      : node.reshape(values, {count});
  return node.setResult(scattered(node, data,
                                  node.reshape(indices, {count, rank}), updates,
                                  ScatterReduction::None));
}

/// The start, moved such that the update lies within the data.
LogicalResult npu::buildTfliteDynamicUpdateSlice(TfliteNode &node) {
  Value x = node.input(0), update = node.input(1), start = node.input(2);
  if (!update || !start)
    return failure();
  int64_t rank = rankOf(x);
  if (rankOf(update) != rank || shapeOf(start) != ArrayRef<int64_t>(rank))
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", an update of shape " + shapes::text(shapeOf(update)) +
                      " and starts of shape " + shapes::text(shapeOf(start)) +
                      ", expected one rank");
  int64_t named = 0; // dimensions before those that are replaced as a whole
  std::vector<int32_t> most;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t room = shapeOf(x)[i] - shapeOf(update)[i];
    if (room < 0)
      return node.error("updates " + shapes::text(shapeOf(x)) + " by " +
                        shapes::text(shapeOf(update)));
    most.push_back(static_cast<int32_t>(room));
    named = room > 0 ? i + 1 : named;
  }
  if (named == 0)
    return node.setResult(update);
  Value bounded = node.two(NPU_INSTR_min, node.cast(start, node.i32()),
                           node.vectorAlong(most, 0, 1));
  bounded = node.two(NPU_INSTR_max, bounded, node.number32(0));
  Ints places(shapeOf(update).take_front(named)), column(places);
  column.push_back(1);
  SmallVector<Value> columns;
  for (int64_t i = 0; i < named; ++i) {
    Value counts = node.two(NPU_INSTR_add,
                            node.countAlong(places[i], i, named, node.i32()),
                            node.at(bounded, 0, i));
    columns.push_back(node.reshape(node.broadcast(counts, places), column));
  }
  return node.setResult(scattered(node, x, node.concat(columns, named), update,
                                  ScatterReduction::None));
}

// --- Segments ----------------------------------------------------------------

/// What combines with a number to that number.
static double neutral(ScatterReduction reduction, Type element) {
  bool isFloat = isa<mlir::FloatType>(element);
  switch (reduction) {
  case ScatterReduction::Mul:
    return 1;
  case ScatterReduction::Max:
    return isFloat ? double(std::numeric_limits<float>::lowest()) : -0x1p63;
  case ScatterReduction::Min:
    return isFloat ? double(std::numeric_limits<float>::max()) : 0x1p63;
  default:
    return 0;
  }
}

/// Rows of the data, combined by the segment that each is of; those of a
/// negative one are dropped: they go to a row behind all others.
static LogicalResult setSegments(TfliteNode &node, int64_t count,
                                 ScatterReduction reduction) {
  Value x = node.input(0), ids = node.input(1);
  if (!ids)
    return failure();
  int64_t rows = tensorType(ids).getNumElements(), named = rankOf(ids);
  if (named > rankOf(x) || shapeOf(x).take_front(named) != shapeOf(ids))
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and segments of shape " + shapes::text(shapeOf(ids)));
  Ints updates{rows}, data{count + 1};
  updates.append(shapeOf(x).begin() + named, shapeOf(x).end());
  data.append(updates.begin() + 1, updates.end());
  ids = node.cast(node.reshape(ids, {rows, 1}), node.i32());
  Value isNone = node.two(NPU_INSTR_less, ids, node.number32(0));
  ids = node.eltwise(NPU_INSTR_select, {isNone, node.number32(count), ids});
  Value all = scattered(
      node, node.filled(neutral(reduction, elementOf(x)), data, elementOf(x)),
      ids, node.reshape(x, updates), reduction);
  data[0] = count;
  return node.setResult(
      node.slice(all, Ints(data.size(), 0), Ints(data.size(), 1), data));
}

/// As many segments as the last number says.
LogicalResult npu::buildTfliteSegmentSum(TfliteNode &node) {
  FailureOr<Ints> ids = node.numbers(1, "segments");
  if (failed(ids))
    return failure();
  for (auto [i, id] : llvm::enumerate(*ids))
    if (id < 0 || id > INT32_MAX || (i > 0 && id < (*ids)[i - 1]))
      return node.error("has the segment " + Twine(id) +
                        ", expected numbers from 0 on that do not fall");
  return setSegments(node, ids->empty() ? 0 : ids->back() + 1,
                     ScatterReduction::Add);
}

LogicalResult npu::buildTfliteUnsortedSegment(TfliteNode &node) {
  FailureOr<int64_t> count = node.number(2, "a number of segments");
  if (failed(count))
    return failure();
  if (*count < 0 || *count > INT32_MAX)
    return node.error("has " + Twine(*count) + " segments");
  return setSegments(node, *count,
                     static_cast<ScatterReduction>(node.row.word));
}

// --- Diagonals and sequences -------------------------------------------------

/// 1 on the diagonal of matrices.
static Value onDiagonal(TfliteNode &node, int64_t rows, int64_t columns) {
  return node.two(NPU_INSTR_equal, node.countAlong(rows, 0, 2, node.i32()),
                  node.countAlong(columns, 1, 2, node.i32()));
}

LogicalResult npu::buildTfliteMatrixDiag(TfliteNode &node) {
  Value x = node.input(0);
  if (rankOf(x) < 1)
    return node.error(
        "has no diagonal, expected data of one dimension or more");
  int64_t extent = shapeOf(x).back();
  Ints shape(shapeOf(x));
  shape.insert(shape.end() - 1, 1);
  // Of quantized numbers, too, the rest is stored as 0.
  double zero = isShiftedByte(*node.op.input(0)) ? -128 : 0;
  return node.setResult(
      node.eltwise(NPU_INSTR_select,
                   {onDiagonal(node, extent, extent), node.reshape(x, shape),
                    node.scalar(zero, elementOf(x))}));
}

LogicalResult npu::buildTfliteMatrixSetDiag(TfliteNode &node) {
  Value x = node.input(0), diagonal = node.input(1);
  if (!diagonal)
    return failure();
  int64_t rank = rankOf(x);
  if (rank < 2 || rankOf(diagonal) != rank - 1 ||
      shapeOf(diagonal).back() !=
          std::min(shapeOf(x)[rank - 2], shapeOf(x)[rank - 1]))
    return node.error("found matrices of shape " + shapes::text(shapeOf(x)) +
                      " and a diagonal of shape " +
                      shapes::text(shapeOf(diagonal)));
  int64_t rows = shapeOf(x)[rank - 2], columns = shapeOf(x)[rank - 1];
  Ints shape(shapeOf(diagonal)), pads(2 * rank, 0);
  // Along the longer side, so that it stands at each place of the diagonal.
  shape.insert(columns >= rows ? shape.end() : shape.end() - 1, 1);
  return node.setResult(
      node.eltwise(NPU_INSTR_select, {onDiagonal(node, rows, columns),
                                      node.reshape(diagonal, shape), x}));
}

/// The first elements of each sequence in reverse, as many as its length.
LogicalResult npu::buildTfliteReverseSequence(TfliteNode &node) {
  Value x = node.input(0), lengths = node.input(1);
  const auto *options = node.op.options<tflite::ReverseSequenceOptions>();
  if (!lengths)
    return failure();
  int64_t rank = rankOf(x);
  FailureOr<int64_t> time =
                         node.dimension(options ? options->seq_dim() : 0, rank),
                     batch = node.dimension(options ? options->batch_dim() : 0,
                                            rank);
  if (failed(time) || failed(batch))
    return failure();
  if (*time == *batch ||
      shapeOf(lengths) != ArrayRef<int64_t>(shapeOf(x)[*batch]))
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and lengths of shape " +
                      shapes::text(shapeOf(lengths)) +
                      ", expected one for each of dimension " + Twine(*batch) +
                      ", which is not that of time");
  Ints along(rank, 1);
  along[*batch] = shapeOf(x)[*batch];
  Value count = node.reshape(node.cast(lengths, node.i32()), along);
  return node.setResult(node.reverseFirst(x, count, *time));
}
