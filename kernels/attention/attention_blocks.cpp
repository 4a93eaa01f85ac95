// SPDX-License-Identifier: Apache-2.0
//
// Attention without a matrix of scores: some rows of queries at a time meet all
// keys of their head, and what softmax makes of that is in the nearest caches
// when the values are multiplied by it. Each thread packs the keys and values
// of the heads that it takes.

#include "kernels/attention/rows.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <utility>

namespace npu::kernels {

using namespace attention;

constexpr int64_t minProductsPerThread = 100000;
/// Packing a head is worth about as much as this many rows of products.
constexpr int64_t fewestRows = 8;

namespace {

/// Where the matrices of all heads lie.
struct Matrices {
  std::vector<int64_t> heads; // offset of each
  int64_t step = 0;           // between rows
  int64_t across = 1;         // between columns: 1, or of a mask 0
};

int64_t roundedUp(int64_t count) {
  return (count + columnsAtOnce - 1) / columnsAtOnce * columnsAtOnce;
}

} // namespace

/// `together` heads of queries share one of this tensor's. Aligned at the right
/// of the queries' dimensions; what is broadcast has a stride of 0.
static Matrices matricesOf(const npu_tensor_desc &tensor,
                           const npu_tensor_desc &query, int64_t together) {
  Strides strides = stridesOf(tensor);
  const int shift = query.rank - tensor.rank;
  auto strideOf = [&](int d) {
    return d < shift || tensor.dims[d - shift] == 1 ? 0
                                                    : strides.outer[d - shift];
  };
  Matrices matrices;
  matrices.step = strideOf(query.rank - 2);
  matrices.across = strideOf(query.rank - 1);
  int64_t count = 1;
  for (int d = 0; d < query.rank - 2; ++d)
    count *= query.dims[d];
  for (int64_t head = 0; head < count; ++head) {
    int64_t rest = head, offset = 0;
    for (int d = query.rank - 2; d-- > 0; rest /= query.dims[d]) {
      int64_t index = rest % query.dims[d];
      offset += (d == query.rank - 3 ? index / together : index) * strideOf(d);
    }
    matrices.heads.push_back(offset);
  }
  return matrices;
}

static int64_t sharedBy(const Problem &p) {
  const npu_tensor_desc &q = p.inputs[0], &k = p.inputs[1];
  return q.rank > 2 ? q.dims[q.rank - 3] / k.dims[q.rank - 3] : 1;
}

namespace {
class AttentionBlocks : public Kernel {
public:
  explicit AttentionBlocks(const Problem &p)
      : attrs(p.attrs.attention), together(sharedBy(p)), threads(p.threads),
        query(matricesOf(p.inputs[0], p.inputs[0], 1)),
        key(matricesOf(p.inputs[1], p.inputs[0], together)),
        value(matricesOf(p.inputs[2], p.inputs[0], together)),
        result(matricesOf(p.outputs[0], p.inputs[0], 1)) {
    const npu_tensor_desc &q = p.inputs[0], &v = p.inputs[2];
    rows = q.dims[q.rank - 2];
    size = q.dims[q.rank - 1];
    keys = v.dims[v.rank - 2];
    width = v.dims[v.rank - 1];
    blocks = (rows + rowsAtOnce - 1) / rowsAtOnce;
    if (attrs.has_mask) {
      mask = matricesOf(p.inputs[3], q, 1);
      isBoolean = p.inputs[3].dtype == NPU_BOOL;
    }
    operands = p.inputs.size();
  }

  std::string implementation() const override { return "native:attention"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(threads) * roomBytes();
  }

  int run(void *const *places, void *scratch) const override {
    const auto heads = static_cast<int64_t>(query.heads.size());
    int team = teamFor(heads * rows * keys * (size + width),
                       minProductsPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      char *room = static_cast<char *>(scratch) +
                   static_cast<size_t>(thread) * roomBytes();
      Range range = shareOf(heads * blocks, thread, count);
      someBlocks(places, range, reinterpret_cast<float *>(room));
    });
    return 0;
  }

private:
  int64_t packedKeys() const { return roundedUp(keys) * size; }
  int64_t packedValues() const { return keys * roundedUp(width); }
  int64_t scores() const { return rowsAtOnce * roundedUp(keys); }
  size_t roomBytes() const {
    return aligned(static_cast<size_t>(packedKeys() + packedValues() +
                                       scores() + rowsAtOnce * columnsAtOnce) *
                   sizeof(float));
  }

  /// Blocks of rows, those of one head after one another.
  void someBlocks(void *const *places, Range range, float *room) const {
    const auto *k = static_cast<const float *>(places[1]);
    const auto *v = static_cast<const float *>(places[2]);
    int64_t packed = -1;
    for (int64_t block = range.begin; block < range.end; ++block) {
      const int64_t head = block / blocks;
      if (const int64_t shared = head / together; shared != packed) {
        packKeys({k + key.heads[head], key.step, keys, size}, room);
        packValues({v + value.heads[head], value.step, keys, width},
                   room + packedKeys());
        packed = shared;
      }
      oneBlock(places, head, partOf(block % blocks), room);
    }
  }

  /// Some rows of queries, at most rowsAtOnce.
  void oneBlock(void *const *places, int64_t head, Range some,
                float *room) const {
    const float *keysRoom = room, *valuesRoom = room + packedKeys();
    float *score = room + packedKeys() + packedValues();
    float *spare = score + scores();
    const int64_t count = some.end - some.begin, step = roundedUp(keys);
    const int64_t reach = keysOf(some.end - 1);
    const auto *q = static_cast<const float *>(places[0]) + query.heads[head] +
                    some.begin * query.step;
    auto *y = static_cast<float *>(places[operands]) + result.heads[head] +
              some.begin * result.step;
    for (int64_t column = 0; column < reach; column += columnsAtOnce)
      multiplyRows({q, keysRoom + column * size, query.step, size,
                    std::min(columnsAtOnce, reach - column)},
                   count, score + column, step);
    float factors[rowsAtOnce];
    for (int64_t row = 0; row < count; ++row)
      factors[row] =
          weigh(places, head, some.begin + row, reach, score + row * step);
    for (int64_t column = 0; column < width; column += columnsAtOnce) {
      const int64_t columns = std::min(columnsAtOnce, width - column);
      multiplyRows({score, valuesRoom + column * keys, step, reach, columns},
                   count, spare, columnsAtOnce);
      for (int64_t row = 0; row < count; ++row)
        scaleRow(spare + row * columnsAtOnce, factors[row],
                 y + row * result.step + column, columns);
    }
  }

  Range partOf(int64_t block) const {
    return shareOf(rows, static_cast<int>(block), static_cast<int>(blocks));
  }

  /// How many keys count for this row.
  int64_t keysOf(int64_t row) const {
    return attrs.causal ? std::clamp<int64_t>(row + keys - rows + 1, 1, keys)
                        : keys;
  }

  /// Makes weights of scores; returns by what their sum must be multiplied.
  float weigh(void *const *places, int64_t head, int64_t row, int64_t reach,
              float *score) const {
    Mask with;
    with.fill = static_cast<float>(attrs.fill);
    if (attrs.has_mask) {
      const int64_t at = mask.heads[head] + row * mask.step;
      with.across = mask.across;
      if (isBoolean)
        with.isOpen = static_cast<const uint8_t *>(places[3]) + at;
      else
        with.added = static_cast<const float *>(places[3]) + at;
    }
    return weighRow(score, keysOf(row), reach, static_cast<float>(attrs.scale),
                    with);
  }

  npu_attention_attrs attrs;
  int64_t together;
  int threads;
  Matrices query, key, value, result, mask;
  bool isBoolean = false;
  int64_t rows, size, keys, width, blocks;
  size_t operands;
};
} // namespace

static bool isF32(const npu_tensor_desc &tensor) {
  return tensor.dtype == NPU_F32 && elementCount(tensor) > 0;
}

/// Whether rows of the last dimension lie in one piece.
static bool hasWholeRows(const npu_tensor_desc &tensor) {
  return tensor.block_count == 0 &&
         (tensor.dims[tensor.rank - 1] == 1 ||
          stridesOf(tensor).outer[tensor.rank - 1] == 1);
}

std::unique_ptr<Kernel> createAttentionBlocks(const Problem &problem,
                                              std::string &whyNot) {
  const npu_tensor_desc &q = problem.inputs[0], &k = problem.inputs[1],
                        &v = problem.inputs[2], &y = problem.outputs[0];
  const npu_attention_attrs &a = problem.attrs.attention;
  const int64_t rows = q.dims[q.rank - 2], keys = k.dims[k.rank - 2];
  const bool hasMask = a.has_mask != 0;
  if (!isF32(q) || !isF32(k) || !isF32(v) || !isF32(y) ||
      (hasMask && problem.inputs[3].dtype != NPU_F32 &&
       problem.inputs[3].dtype != NPU_BOOL))
    whyNot = "not f32, or nothing to compute";
  else if (!hasWholeRows(q) || !hasWholeRows(k) || !hasWholeRows(v) ||
           !hasWholeRows(y) ||
           (hasMask && problem.inputs[3].rank > 0 &&
            !hasWholeRows(problem.inputs[3])))
    whyNot = "rows that do not lie in one piece";
  else if (a.causal && keys < rows)
    whyNot = "queries without keys";
  else if (rows * sharedBy(problem) < fewestRows)
    whyNot = "fewer queries than keys and values are worth packing for";
  else if (!problem.instrs.empty())
    whyNot = "a fused chain";
  return whyNot.empty() ? std::make_unique<AttentionBlocks>(problem) : nullptr;
}

} // namespace npu::kernels
