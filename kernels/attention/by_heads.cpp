// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/by_heads.h"

#include "kernels/attention/rows.h"
#include "kernels/tensor.h"

#include <algorithm>

namespace npu::kernels::attention {

constexpr int64_t minProductsPerThread = 100000;
/// Packing a head is worth about as much as this many rows of products.
constexpr int64_t fewestRows = 8;

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

AttentionByHeads::AttentionByHeads(const Problem &p, int64_t rowsAtOnce)
    : attrs(p.attrs.attention), together(sharedBy(p)),
      query(matricesOf(p.inputs[0], p.inputs[0], 1)),
      key(matricesOf(p.inputs[1], p.inputs[0], together)),
      value(matricesOf(p.inputs[2], p.inputs[0], together)),
      result(matricesOf(p.outputs[0], p.inputs[0], 1)),
      operands(p.inputs.size()), threads(p.threads) {
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
}

size_t AttentionByHeads::scratchBytes() const {
  return static_cast<size_t>(threads) * roomBytes();
}

int AttentionByHeads::run(void *const *places, void *scratch) const {
  const auto heads = static_cast<int64_t>(query.heads.size());
  int team = teamFor(heads * rows * keys * (size + width), minProductsPerThread,
                     threads);
  parallelFor(team, [&](int thread, int count) {
    char *room = static_cast<char *>(scratch) +
                 static_cast<size_t>(thread) * roomBytes();
    someBlocks(places, shareOf(heads * blocks, thread, count), room);
  });
  return 0;
}

void AttentionByHeads::someBlocks(void *const *places, Range range,
                                  char *room) const {
  int64_t packed = -1;
  for (int64_t block = range.begin; block < range.end; ++block) {
    const int64_t head = block / blocks;
    if (const int64_t shared = head / together; shared != packed) {
      packHead(places, head, room);
      packed = shared;
    }
    const Range some = shareOf(rows, static_cast<int>(block % blocks),
                               static_cast<int>(blocks));
    oneBlock(places, head, some, room);
  }
}

int64_t AttentionByHeads::keysOf(int64_t row) const {
  return attrs.causal ? std::clamp<int64_t>(row + keys - rows + 1, 1, keys)
                      : keys;
}

float AttentionByHeads::weigh(void *const *places, int64_t head, int64_t row,
                              int64_t reach, float *score) const {
  Mask with;
  with.fill = static_cast<float>(attrs.fill);
  if (attrs.has_mask) {
    const int64_t at = mask.heads[static_cast<size_t>(head)] + row * mask.step;
    with.across = mask.across;
    if (isBoolean)
      with.isOpen = static_cast<const uint8_t *>(places[3]) + at;
    else
      with.added = static_cast<const float *>(places[3]) + at;
  }
  return weighRow(score, keysOf(row), reach, static_cast<float>(attrs.scale),
                  with);
}

/// Whether rows of the last dimension lie in one piece.
static bool hasWholeRows(const npu_tensor_desc &tensor) {
  return tensor.rank == 0 || (tensor.block_count == 0 &&
                              (tensor.dims[tensor.rank - 1] == 1 ||
                               stridesOf(tensor).outer[tensor.rank - 1] == 1));
}

/// Of this type all but the mask, which is f32 or boolean.
static bool hasType(const Problem &problem, int32_t dtype) {
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const int32_t own = problem.inputs[i].dtype;
    if (i < 3 ? own != dtype : own != NPU_F32 && own != NPU_BOOL)
      return false;
  }
  return problem.outputs[0].dtype == dtype;
}

std::string refusalOf(const Problem &problem, int32_t dtype) {
  const npu_tensor_desc &q = problem.inputs[0], &k = problem.inputs[1];
  const int64_t rows = q.dims[q.rank - 2], keys = k.dims[k.rank - 2];
  const npu_attention_attrs &a = problem.attrs.attention;
  bool isEmpty = elementCount(problem.outputs[0]) == 0, isWhole = true;
  for (const npu_tensor_desc &input : problem.inputs) {
    isEmpty |= elementCount(input) == 0;
    isWhole &= hasWholeRows(input);
  }
  if (!problem.instrs.empty())
    return "a fused chain";
  if (!hasType(problem, dtype))
    return "not " + std::string(dtypeName(dtype)) +
           " with a mask of f32 or booleans";
  if (isEmpty)
    return "nothing to compute";
  if (!isWhole || !hasWholeRows(problem.outputs[0]))
    return "rows that do not lie in one piece";
  if (a.causal && keys < rows)
    return "queries without keys";
  if (rows * sharedBy(problem) < fewestRows)
    return "fewer queries than keys and values are worth packing for";
  return "";
}

} // namespace npu::kernels::attention
