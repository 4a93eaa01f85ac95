// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/RandomOrders.h"

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;
using test::RandomBlocks;
using test::RandomWords;

std::string RandomWords::shuffled(std::string letters) {
  for (size_t i = letters.size(); i > 1; --i)
    std::swap(letters[i - 1], letters[pick(static_cast<int64_t>(i))]);
  return letters;
}

/// The order with upper-case letters where there are blocks, then these.
static std::string withBlocks(std::string order, StringRef blocks) {
  for (char &letter : order)
    if (blocks.contains(llvm::toLower(letter)))
      letter = llvm::toUpper(letter);
  return order + blocks.str();
}

static std::string block(int64_t size, char dim) {
  return std::to_string(size) + dim;
}

std::string RandomWords::order(size_t rank, ArrayRef<int64_t> blocks) {
  std::string letters = shuffled(StringRef("abcdef").take_front(rank).str());
  std::string inner;
  if (rank > 0)
    for (int64_t size : blocks)
      inner += block(size, letters[pick(static_cast<int64_t>(rank))]);
  return withBlocks(letters, inner);
}

std::string RandomWords::pieces(size_t rank) {
  const std::string dims = StringRef("abcdef").take_front(rank).str();
  return shuffled(dims +
                  shuffled(dims).substr(0, static_cast<size_t>(1 + pick(2))));
}

RandomBlocks::RandomBlocks(RandomWords &words) : words(words) {
  static const Kind kinds[] = {Kind::Stick, Kind::Tile, Kind::Tile,
                               Kind::TileOfTiles, Kind::Twice};
  kind = kinds[words.pick(std::size(kinds))];
  static const int64_t powers[] = {2, 4, 8};
  bool square = words.pick(2) != 0;
  for (int64_t &size : sizes)
    size = square && &size != sizes ? sizes[0] : powers[words.pick(3)];
  columnsFirst = words.oneIn(3);
  rowOfSticks = words.oneIn(3);
  static const char rows[] = {'n', 'w', 'w'};
  imageRow = rows[words.pick(3)];
}

std::string RandomBlocks::blocks(char row, char column, int64_t rows,
                                 int64_t columns) {
  if (columnsFirst) {
    std::swap(row, column);
    std::swap(rows, columns);
  }
  std::string tile = block(rows, row) + block(columns, column);
  switch (kind) {
  case Kind::Stick:
    return rowOfSticks ? block(rows, row) : block(columns, column);
  case Kind::Tile:
    return tile;
  case Kind::TileOfTiles:
    return block(2, row) + block(2, column) + tile;
  case Kind::Twice: // as OIHW8i32o4i
    return block(2, row) + block(columns, column) + block(rows, row);
  }
  return tile;
}

/// Blocks behind one another, their columns behind one another, or rows of
/// blocks with another dimension between.
std::string RandomBlocks::matrix(size_t rank, int64_t variant,
                                 StringRef inner) {
  std::string order = StringRef("abcdef").take_front(rank).str();
  if (variant == 1)
    std::swap(order[rank - 1], order[rank - 2]);
  if (variant == 2 && rank > 2)
    std::swap(order[rank - 2], order[rank - 3]);
  return withBlocks(order, inner);
}

std::string RandomBlocks::matrices(StringRef role) {
  int64_t rows = role == "b" ? sizes[1] : sizes[0];
  int64_t columns = role == "b" || role == "result" ? sizes[2] : sizes[1];
  int64_t variant = words.pick(3);
  bool both = words.oneIn(2), turned = words.oneIn(4);
  SmallVector<std::string> names;
  auto add = [&](std::string name) {
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
  };
  for (size_t rank = 2; rank <= 5; ++rank) {
    auto row = static_cast<char>('a' + rank - 2);
    auto column = static_cast<char>('a' + rank - 1);
    std::string inner = blocks(row, column, rows, columns);
    add(matrix(rank, variant, inner));
    if (both)
      add(matrix(rank, (variant + 1) % 3, inner));
    if (turned) // by columns
      add(matrix(rank, 1, blocks(column, row, columns, rows)));
  }
  return llvm::join(names, ", ");
}

std::string RandomBlocks::images() {
  std::string inner = blocks(imageRow, 'c', sizes[0], sizes[1]);
  int64_t variant = words.pick(4);
  SmallVector<std::string> names;
  for (StringRef spatial : {"W", "HW", "DHW"}) {
    std::string orders[] = {"NC" + spatial.str(), "NC" + spatial.str(),
                            "N" + spatial.str() + "C",
                            "C" + spatial.str() + "N"};
    names.push_back(orders[variant] + inner);
  }
  return llvm::join(names, ", ");
}

std::string RandomBlocks::weights() {
  std::string inner = words.oneIn(2) ? blocks('o', 'i', sizes[0], sizes[1])
                                     : blocks('i', 'o', sizes[1], sizes[0]);
  int64_t variant = words.pick(4);
  SmallVector<std::string> names;
  for (StringRef spatial : {"W", "HW", "DHW"}) {
    std::string orders[] = {"OI" + spatial.str(), "IO" + spatial.str(),
                            spatial.str() + "IO", "I" + spatial.str() + "O"};
    names.push_back(orders[variant] + inner);
  }
  return llvm::join(names, ", ");
}
