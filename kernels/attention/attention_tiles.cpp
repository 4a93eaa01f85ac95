// SPDX-License-Identifier: Apache-2.0
//
// Attention of bf16 where the processor multiplies tiles: 32 rows of queries at
// a time. Scores and sums are f32, weights are rounded between.

#include "kernels/attention/by_heads.h"
#include "kernels/attention/tiles.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/support/tile_scope.h"

#include <algorithm>

namespace npu::kernels {

using namespace attention;

namespace {
class AttentionTiles : public AttentionByHeads {
public:
  explicit AttentionTiles(const Problem &p) : AttentionByHeads(p, tileBlock) {
    size_t end = 0;
    auto place = [&end](int64_t bytes) {
      const size_t at = end;
      end = at + aligned(static_cast<size_t>(bytes));
      return at;
    };
    constexpr int64_t narrow = sizeof(uint16_t), wide = sizeof(float);
    keysAt = place(inTiles(keys) * inTiles(size) * narrow);
    valuesAt = place(inTiles(keys) * inTiles(width) * narrow);
    rowsAt = place(tileBlock * inTiles(size) * narrow);
    scoresAt = place(tileBlock * inTiles(keys) * wide);
    weightsAt = place(tileBlock * inTiles(keys) * narrow);
    sumsAt = place(tileBlock * tileBlock * wide);
    bytes = end;
  }

  std::string implementation() const override {
    return "native:attention_tiles";
  }

protected:
  size_t roomBytes() const override { return bytes; }

  void someBlocks(void *const *places, Range range, char *room) const override {
    TileScope tiles;
    AttentionByHeads::someBlocks(places, range, room);
  }

  void packHead(void *const *places, int64_t head, char *room) const override {
    const auto at = static_cast<size_t>(head);
    const auto *k = static_cast<const uint16_t *>(places[1]) + key.heads[at],
               *v = static_cast<const uint16_t *>(places[2]) + value.heads[at];
    packKeyTiles({k, key.step, keys, size},
                 reinterpret_cast<uint16_t *>(room + keysAt));
    packValueTiles({v, value.step, keys, width},
                   reinterpret_cast<uint16_t *>(room + valuesAt));
  }

  void oneBlock(void *const *places, int64_t head, Range some,
                char *room) const override {
    const int64_t count = some.end - some.begin, step = inTiles(keys);
    const int64_t reach = inTiles(keysOf(some.end - 1));
    float factors[tileBlock];
    auto *score = reinterpret_cast<float *>(room + scoresAt);
    auto *weight = reinterpret_cast<uint16_t *>(room + weightsAt);
    multiplyKeys(places, head, some, reach, room);
    for (int64_t row = 0; row < count; ++row) {
      factors[row] =
          weigh(places, head, some.begin + row, reach, score + row * step);
      roundWeights(score + row * step, weight + row * step, reach);
    }
    std::fill(weight + count * step, weight + inTiles(count) * step,
              static_cast<uint16_t>(0));
    multiplyValues(places, head, some, reach, factors, room);
  }

private:
  static bool isLow(Range some) {
    return some.end - some.begin <= tileBlock / 2;
  }

  void multiplyKeys(void *const *places, int64_t head, Range some,
                    int64_t reach, char *room) const {
    auto *queries = reinterpret_cast<uint16_t *>(room + rowsAt);
    const auto *panel = reinterpret_cast<const uint16_t *>(room + keysAt);
    auto *score = reinterpret_cast<float *>(room + scoresAt);
    const auto *q = static_cast<const uint16_t *>(places[0]) +
                    query.heads[static_cast<size_t>(head)] +
                    some.begin * query.step;
    copyRows({q, query.step, some.end - some.begin, size}, queries);
    const int64_t deep = inTiles(size);
    for (int64_t column = 0; column < reach; column += tileBlock)
      multiplyTiles(queries, deep, isLow(some), panel + column * deep,
                    deep / tileDepth, score + column, inTiles(keys));
  }

  void multiplyValues(void *const *places, int64_t head, Range some,
                      int64_t reach, const float *factors, char *room) const {
    const auto *weight = reinterpret_cast<const uint16_t *>(room + weightsAt),
               *panel = reinterpret_cast<const uint16_t *>(room + valuesAt);
    auto *sums = reinterpret_cast<float *>(room + sumsAt);
    auto *y = static_cast<uint16_t *>(places[operands]) +
              result.heads[static_cast<size_t>(head)] +
              some.begin * result.step;
    const int64_t deep = inTiles(keys);
    for (int64_t column = 0; column < width; column += tileBlock) {
      multiplyTiles(weight, deep, isLow(some), panel + column * deep,
                    reach / tileDepth, sums, tileBlock);
      for (int64_t row = 0; row < some.end - some.begin; ++row)
        scaleRounded(sums + row * tileBlock, factors[row],
                     y + row * result.step + column,
                     std::min(tileBlock, width - column));
    }
  }

  // Where the parts of a thread's scratch begin, in bytes.
  size_t keysAt, valuesAt, rowsAt, scoresAt, weightsAt, sumsAt, bytes;
};
} // namespace

std::unique_ptr<Kernel> createAttentionTiles(const Problem &problem,
                                             std::string &whyNot) {
  whyNot =
      hasTiles() ? refusalOf(problem, NPU_BF16) : "the processor has no tiles";
  return whyNot.empty() ? std::make_unique<AttentionTiles>(problem) : nullptr;
}

} // namespace npu::kernels
