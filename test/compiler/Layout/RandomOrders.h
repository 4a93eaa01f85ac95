// SPDX-License-Identifier: Apache-2.0
//
// Random words for chips: names of orders, and how a chip cuts what it works on
// into blocks.
#ifndef NPU_TEST_COMPILER_LAYOUT_RANDOMORDERS_H
#define NPU_TEST_COMPILER_LAYOUT_RANDOMORDERS_H

#include "compiler/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <random>
#include <string>

namespace npu::test {

class RandomWords {
public:
  explicit RandomWords(unsigned seed) : random(seed) {}

  int64_t pick(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(count));
  }
  bool oneIn(int64_t count) { return pick(count) == 0; }
  template <size_t N>
  StringRef anyOf(const StringRef (&list)[N]) {
    return list[pick(N)];
  }

  std::string shuffled(std::string letters);
  /// Logical dimensions of a rank in any order, with blocks of these sizes of
  /// any of them.
  std::string order(size_t rank, ArrayRef<int64_t> blocks = {});
  /// One or two dimensions in two pieces, as in ababc.
  std::string pieces(size_t rank);

private:
  std::mt19937 random;
};

/// How a chip cuts matrices, images and weights, drawn once for a chip, so that
/// its ops meet one another's blocks: sticks, tiles, tiles of tiles, two blocks
/// of one dimension. Lists are as in a target file.
class RandomBlocks {
public:
  explicit RandomBlocks(RandomWords &words);

  /// Of a matrix in a batch, one name for each rank; `role` says which matrix
  /// of a product, where these are cut differently.
  std::string matrices(StringRef role);
  std::string images();
  std::string weights();

private:
  enum class Kind { Stick, Tile, TileOfTiles, Twice };
  /// Inner blocks, as in a layout's name.
  std::string blocks(char row, char column, int64_t rows, int64_t columns);
  std::string matrix(size_t rank, int64_t variant, StringRef inner);

  RandomWords &words;
  Kind kind;
  /// Rows of a, columns of a, columns of b.
  int64_t sizes[3];
  bool columnsFirst, rowOfSticks;
  char imageRow;
};

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_RANDOMORDERS_H
