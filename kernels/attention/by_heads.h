// SPDX-License-Identifier: Apache-2.0
//
// Attention without a matrix of scores: some rows of queries at a time meet all
// keys of their head, and what softmax makes of that is in the nearest caches
// when the values are multiplied by it. Each thread packs the keys and values
// of the heads that it takes.
#ifndef NPU_KERNELS_ATTENTION_BYHEADS_H
#define NPU_KERNELS_ATTENTION_BYHEADS_H

#include "kernels/kernel.h"
#include "kernels/parallel.h"

#include <vector>

namespace npu::kernels::attention {

/// Where the matrices of all heads lie, in elements.
struct Matrices {
  std::vector<int64_t> heads; // offset of each
  int64_t step = 0;           // between rows
  int64_t across = 1;         // between columns: 1, or of a mask 0
};

/// Which threads take which rows, and softmax of one row. How many rows go
/// together and how they are multiplied is said by those that derive from it.
class AttentionByHeads : public Kernel {
public:
  AttentionByHeads(const Problem &p, int64_t rowsAtOnce);

  size_t scratchBytes() const override;
  int run(void *const *places, void *scratch) const override;

protected:
  /// Scratch of one thread.
  virtual size_t roomBytes() const = 0;
  /// A head of keys and values, before any of its rows.
  virtual void packHead(void *const *places, int64_t head,
                        char *room) const = 0;
  /// Some rows of a head's queries, at most rowsAtOnce.
  virtual void oneBlock(void *const *places, int64_t head, Range some,
                        char *room) const = 0;

  /// Blocks of rows, those of one head after one another.
  virtual void someBlocks(void *const *places, Range range, char *room) const;

  /// How many keys count for this row.
  int64_t keysOf(int64_t row) const;

  /// Makes weights of a row of scores, zeros of those up to `reach` that do not
  /// count; returns by what the sum must be multiplied.
  float weigh(void *const *places, int64_t head, int64_t row, int64_t reach,
              float *score) const;

  npu_attention_attrs attrs;
  int64_t together; // heads of queries that share one of keys and values
  Matrices query, key, value, result;
  int64_t rows, size, keys, width;
  size_t operands;

private:
  int threads;
  Matrices mask;
  bool isBoolean = false;
  int64_t blocks;
};

/// Why operands of this type cannot be taken as they lie, with a mask of f32 or
/// booleans; empty where they can.
std::string refusalOf(const Problem &problem, int32_t dtype);

} // namespace npu::kernels::attention

#endif // NPU_KERNELS_ATTENTION_BYHEADS_H
