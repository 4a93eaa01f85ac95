// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteSparse.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/NodeBudget.h"

#include "llvm/ADT/BitVector.h"

#include <cstring>

using namespace npu;

namespace {
/// A dimension, or the part of one that lies within blocks. All indices are
/// there, or for each place of the levels above those of its segment.
struct Level {
  int64_t extent = 1;
  int64_t stride = 1; // of one more index, in elements of the dense tensor
  bool isDense = true;
  Ints segments, indices;
};

class Expansion {
public:
  Expansion(Emitter &emitter, const tflite::Tensor &tensor, StringRef stored,
            size_t width)
      : emitter(emitter), tensor(tensor), sparsity(*tensor.sparsity()),
        stored(stored), width(width),
        shape(tensor.shape()->begin(), tensor.shape()->end()) {}

  FailureOr<std::vector<char>> expand();

private:
  LogicalResult error(const Twine &what) {
    return emitter.error("reads " + tfliteTensorText(tensor) +
                         ", which is sparse and has " + what);
  }
  LogicalResult readOrder();
  LogicalResult readBlocks();
  LogicalResult readLevel(size_t index);
  LogicalResult readIndices(const tflite::DimensionMetadata &source,
                            int64_t places, Level &level);
  /// False where there are fewer elements than the indices ask for.
  bool fill(size_t level, int64_t place, int64_t offset);

  Emitter &emitter;
  const tflite::Tensor &tensor;
  const tflite::SparsityParameters &sparsity;
  StringRef stored;
  size_t width;
  Ints shape, order, blockDims, blockSizes;
  std::vector<Level> levels;
  std::vector<char> dense;
  size_t next = 0; // of the stored elements
};
} // namespace

template <typename Vector>
static Ints intsOf(const Vector *vector) {
  return vector ? Ints(vector->begin(), vector->end()) : Ints();
}

/// Numbers of one of three widths.
static Ints numbersOf(tflite::SparseIndexVector kind, const void *table) {
  auto of = [&](auto *typed) {
    return typed ? intsOf(typed->values()) : Ints();
  };
  switch (kind) {
  case tflite::SparseIndexVector::Int32Vector:
    return of(static_cast<const tflite::Int32Vector *>(table));
  case tflite::SparseIndexVector::Uint16Vector:
    return of(static_cast<const tflite::Uint16Vector *>(table));
  case tflite::SparseIndexVector::Uint8Vector:
    return of(static_cast<const tflite::Uint8Vector *>(table));
  default:
    return {};
  }
}

/// Which dimension each level is of: all dimensions, then the blocks.
LogicalResult Expansion::readOrder() {
  order = intsOf(sparsity.traversal_order());
  blockDims = intsOf(sparsity.block_map());
  size_t rank = shape.size(), count = rank + blockDims.size();
  if (order.size() != count || !sparsity.dim_metadata() ||
      sparsity.dim_metadata()->size() != count)
    return error(Twine(order.size()) + " levels, expected " + Twine(count));
  auto isOrder = [](ArrayRef<int64_t> part, int64_t first) {
    Ints sorted(part);
    llvm::sort(sorted);
    return sorted == countFrom(first, first + int64_t(part.size()));
  };
  if (!isOrder(ArrayRef(order).take_front(rank), 0) ||
      !isOrder(ArrayRef(order).drop_front(rank), int64_t(rank)))
    return error("the order " + shapes::text(order) +
                 ", expected all dimensions, then all blocks");
  return success();
}

LogicalResult Expansion::readBlocks() {
  auto rank = static_cast<int64_t>(shape.size());
  blockSizes.assign(blockDims.size(), 1);
  llvm::BitVector seen(rank);
  for (size_t level = rank; level < order.size(); ++level) {
    int64_t block = order[level] - rank, dim = blockDims[block];
    int64_t size = sparsity.dim_metadata()->Get(level)->dense_size();
    if (dim < 0 || dim >= rank || seen[dim] || size < 1 ||
        shape[dim] % size != 0)
      return error("a block of " + Twine(size) + " in dimension " + Twine(dim) +
                   " of " + shapes::text(shape));
    seen.set(dim);
    blockSizes[block] = size;
  }
  return success();
}

/// Segments do not fall and end with the last index, so that each index is
/// visited once.
LogicalResult Expansion::readIndices(const tflite::DimensionMetadata &source,
                                     int64_t places, Level &level) {
  level.segments =
      numbersOf(source.array_segments_type(), source.array_segments());
  level.indices =
      numbersOf(source.array_indices_type(), source.array_indices());
  const Ints &segments = level.segments;
  if (static_cast<int64_t>(segments.size()) != places + 1 ||
      segments.front() != 0 || !llvm::is_sorted(segments) ||
      segments.back() != static_cast<int64_t>(level.indices.size()))
    return error(Twine(segments.size()) + " segments for " +
                 Twine(level.indices.size()) + " indices, expected " +
                 Twine(places + 1) + " numbers that lead from 0 to the last");
  for (int64_t index : level.indices)
    if (index < 0 || index >= level.extent)
      return error("the index " + Twine(index) + " in a dimension of " +
                   Twine(level.extent));
  return success();
}

/// Level `index`, behind those before it.
LogicalResult Expansion::readLevel(size_t index) {
  auto rank = static_cast<int64_t>(shape.size());
  const tflite::DimensionMetadata &source =
      *sparsity.dim_metadata()->Get(index);
  Level level;
  bool isBlock = order[index] >= rank;
  int64_t dim = isBlock ? blockDims[order[index] - rank] : order[index];
  level.extent = isBlock ? blockSizes[order[index] - rank] : shape[dim];
  for (int64_t extent : ArrayRef(shape).drop_front(dim + 1))
    level.stride *= extent;
  for (auto [block, blocked] : llvm::enumerate(blockDims))
    if (!isBlock && blocked == dim) {
      level.extent /= blockSizes[block];
      level.stride *= blockSizes[block];
    }
  int64_t places = 1; // of the levels before
  for (const Level &before : levels)
    places = before.isDense ? places * before.extent
                            : static_cast<int64_t>(before.indices.size());
  level.isDense = source.format() == tflite::DimensionType::DENSE;
  if (level.isDense && source.dense_size() != level.extent)
    return error("the size " + Twine(source.dense_size()) + " at level " +
                 Twine(index) + ", expected " + Twine(level.extent));
  if (!level.isDense && isBlock)
    return error("a block that is sparse");
  if (!level.isDense && failed(readIndices(source, places, level)))
    return failure();
  levels.push_back(std::move(level));
  return success();
}

bool Expansion::fill(size_t index, int64_t place, int64_t offset) {
  if (index == levels.size()) {
    if ((next + 1) * width > stored.size())
      return false;
    memcpy(&dense[offset * width], stored.data() + next++ * width, width);
    return true;
  }
  const Level &level = levels[index];
  if (level.isDense) {
    for (int64_t i = 0; i < level.extent; ++i)
      if (!fill(index + 1, place * level.extent + i, offset + i * level.stride))
        return false;
    return true;
  }
  for (int64_t i = level.segments[place]; i < level.segments[place + 1]; ++i)
    if (!fill(index + 1, i, offset + level.indices[i] * level.stride))
      return false;
  return true;
}

FailureOr<std::vector<char>> Expansion::expand() {
  std::string reason;
  FailureOr<int64_t> count = shapes::elements(shape, reason);
  if (failed(count))
    return error(reason);
  auto bytes = *count * static_cast<int64_t>(width);
  if (failed(take(emitter, Budget::Constants, bytes)) || failed(readOrder()) ||
      failed(readBlocks()))
    return failure();
  for (size_t i = 0; i < order.size(); ++i)
    if (failed(readLevel(i)))
      return failure();
  dense.assign(bytes, 0);
  if (!fill(0, 0, 0) || next * width != stored.size())
    return error(Twine(stored.size()) + " bytes, expected one of " +
                 Twine(width) + " for each index");
  return std::move(dense);
}

FailureOr<std::vector<char>> npu::denseBytes(Emitter &emitter,
                                             const tflite::Tensor &tensor,
                                             StringRef stored, size_t width) {
  return Expansion(emitter, tensor, stored, width).expand();
}
