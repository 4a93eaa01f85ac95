// SPDX-License-Identifier: Apache-2.0
//
// Attention of f32, 12 rows of queries at a time.

#include "kernels/attention/by_heads.h"
#include "kernels/attention/rows.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>

namespace npu::kernels {

using namespace attention;

static int64_t roundedUp(int64_t count) {
  return (count + columnsAtOnce - 1) / columnsAtOnce * columnsAtOnce;
}

namespace {
class AttentionBlocks : public AttentionByHeads {
public:
  explicit AttentionBlocks(const Problem &p)
      : AttentionByHeads(p, rowsAtOnce) {}

  std::string implementation() const override { return "native:attention"; }

protected:
  size_t roomBytes() const override {
    return aligned(static_cast<size_t>(packedKeys() + packedValues() +
                                       scores() + rowsAtOnce * columnsAtOnce) *
                   sizeof(float));
  }

  void packHead(void *const *places, int64_t head, char *room) const override {
    auto *to = reinterpret_cast<float *>(room);
    const auto at = static_cast<size_t>(head);
    const auto *k = static_cast<const float *>(places[1]) + key.heads[at],
               *v = static_cast<const float *>(places[2]) + value.heads[at];
    packKeys({k, key.step, keys, size}, to);
    packValues({v, value.step, keys, width}, to + packedKeys());
  }

  void oneBlock(void *const *places, int64_t head, Range some,
                char *room) const override {
    const auto *keysRoom = reinterpret_cast<const float *>(room),
               *valuesRoom = keysRoom + packedKeys();
    float *score =
        reinterpret_cast<float *>(room) + packedKeys() + packedValues();
    float *spare = score + scores();
    const int64_t count = some.end - some.begin, step = roundedUp(keys);
    const int64_t reach = keysOf(some.end - 1);
    const auto at = static_cast<size_t>(head);
    const auto *q = static_cast<const float *>(places[0]) + query.heads[at] +
                    some.begin * query.step;
    auto *y = static_cast<float *>(places[operands]) + result.heads[at] +
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

private:
  int64_t packedKeys() const { return roundedUp(keys) * size; }
  int64_t packedValues() const { return keys * roundedUp(width); }
  int64_t scores() const { return rowsAtOnce * roundedUp(keys); }
};
} // namespace

std::unique_ptr<Kernel> createAttentionBlocks(const Problem &problem,
                                              std::string &whyNot) {
  whyNot = refusalOf(problem, NPU_F32);
  return whyNot.empty() ? std::make_unique<AttentionBlocks>(problem) : nullptr;
}

} // namespace npu::kernels
