// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/copy.h"

#include "kernels/parallel.h"
#include "kernels/support/sort.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

/// Copies smaller than this are done before a team would have woken.
constexpr int64_t minBytesPerThread = 32 * 1024;
/// Lines of the source that one unit transposes.
constexpr int64_t tileLines = 64;
/// Elements of each such line that one unit transposes.
constexpr int64_t tileLength = 512;
/// Elements of runs that one unit copies.
constexpr int64_t runChunk = 8192;

/// Length of the block that a table seems to have: where its step changes.
static int64_t blockIn(const DimMap &map, int64_t extent) {
  if (map.isLinear() || extent < 2)
    return extent;
  int64_t step = map.table[1] - map.table[0];
  for (int64_t i = 2; i < extent; ++i) {
    auto k = static_cast<size_t>(i);
    if (map.table[k] - map.table[k - 1] != step)
      return i;
  }
  return extent;
}

/// The two strides of a map over blocks of `block`, if it has them.
static bool blockStrides(const DimMap &map, int64_t extent, int64_t block,
                         int64_t &outer, int64_t &inner) {
  int64_t first = map.at(0);
  inner = block > 1 ? map.at(1) - first : 0;
  outer = extent > block ? map.at(block) - first : 0;
  for (int64_t i = 0; i < extent; ++i)
    if (map.at(i) != first + i / block * outer + i % block * inner)
      return false;
  return true;
}

/// Whether the map is one stride over [first, extent).
static bool isLinearFrom(const DimMap &map, int64_t first, int64_t extent) {
  for (int64_t i = first + 2; i < extent; ++i)
    if (map.at(i) - map.at(i - 1) != map.at(first + 1) - map.at(first))
      return false;
  return true;
}

/// `piece` with loop `d` replaced by blocks [0, count / block) x [0, block),
/// starting at element `first`.
static Piece withBlocks(const Piece &piece, size_t d, int64_t first,
                        int64_t count, int64_t block) {
  Piece split = piece;
  split.extents[d] = count / block;
  split.extents.insert(split.extents.begin() + static_cast<long>(d) + 1, block);
  auto replace = [&](std::vector<DimMap> &maps, int64_t &base) {
    const DimMap map = maps[d];
    int64_t start = map.at(first);
    base += start;
    maps[d] = DimMap();
    maps[d].stride = count > block ? map.at(first + block) - start : 0;
    DimMap inner;
    inner.stride = block > 1 ? map.at(first + 1) - start : 0;
    maps.insert(maps.begin() + static_cast<long>(d) + 1, inner);
  };
  replace(split.to, split.toBase);
  if (piece.input >= 0)
    replace(split.from, split.fromBase);
  return split;
}

std::vector<Piece> splitBlocks(const Piece &piece) {
  for (size_t d = 0; d < piece.extents.size(); ++d) {
    bool isFill = piece.input < 0;
    DimMap none;
    const DimMap &to = piece.to[d], &from = isFill ? none : piece.from[d];
    int64_t extent = piece.extents[d];
    if (extent == 0)
      return {};
    if (to.isLinear() && from.isLinear())
      continue;
    int64_t block = std::min(blockIn(to, extent), blockIn(from, extent));
    int64_t full = extent / block * block, outer, inner;
    if (!blockStrides(to, full, block, outer, inner) ||
        !blockStrides(from, full, block, outer, inner) ||
        !isLinearFrom(to, full, extent) || !isLinearFrom(from, full, extent))
      continue;
    std::vector<Piece> pieces =
        splitBlocks(withBlocks(piece, d, 0, full, block));
    if (full < extent) {
      Piece tail = withBlocks(piece, d, full, extent - full, extent - full);
      for (Piece &more : splitBlocks(tail))
        pieces.push_back(std::move(more));
    }
    return pieces;
  }
  return {piece};
}

CopyPlan::CopyPlan(const Piece &piece, int64_t bytes)
    : source(piece.input), elementBytes(bytes), fromBase(piece.fromBase),
      toBase(piece.toBase), value(piece.value) {
  for (size_t d = 0; d < piece.extents.size(); ++d) {
    elements *= piece.extents[d];
    if (piece.extents[d] == 1) {
      toBase += piece.to[d].at(0);
      fromBase += source < 0 ? 0 : piece.from[d].at(0);
      continue;
    }
    loops.push_back(
        {piece.extents[d], source < 0 ? DimMap() : piece.from[d], piece.to[d]});
  }
  if (elements == 0)
    return;
  orderLoops();
  mergeLoops();
  chooseKind();
}

/// The step of a map, as far as one number tells it.
static int64_t stepOf(const DimMap &map) {
  return std::llabs(map.isLinear() ? map.stride : map.at(1) - map.at(0));
}

void CopyPlan::orderLoops() {
  sortFew(loops, [](const Loop &a, const Loop &b) {
    return stepOf(a.to) > stepOf(b.to);
  });
}

void CopyPlan::mergeLoops() {
  for (size_t d = loops.size(); d-- > 1;) {
    Loop &outer = loops[d - 1], &inner = loops[d];
    auto merges = [&](const DimMap &o, const DimMap &i) {
      return o.isLinear() && i.isLinear() &&
             o.stride == i.stride * inner.extent;
    };
    if (!merges(outer.to, inner.to) || !merges(outer.from, inner.from))
      continue;
    outer.extent *= inner.extent;
    outer.from.stride = inner.from.stride;
    outer.to.stride = inner.to.stride;
    loops.erase(loops.begin() + static_cast<long>(d));
  }
  while (loops.size() < 2)
    loops.insert(loops.begin(), {1, DimMap(), DimMap()});
}

/// Makes the loop over lines the last but one, if the innermost loop and one
/// over neighbours in the source are a transposition of at least `least` lines.
bool CopyPlan::findTiles(int64_t least) {
  for (size_t d = 0; d + 1 < loops.size(); ++d) {
    const Loop &line = loops[d];
    if (!line.from.isLinear() || line.from.stride != 1 || !line.to.isLinear() ||
        line.extent < least)
      continue;
    Loop moved = line;
    loops.erase(loops.begin() + static_cast<long>(d));
    loops.insert(loops.end() - 1, std::move(moved));
    return true;
  }
  return false;
}

void CopyPlan::chooseKind() {
  Loop inner = loops.back();
  bool isDense = inner.to.isLinear() && inner.to.stride == 1;
  bool fromLinear = inner.from.isLinear();
  bool isRepeated = fromLinear && inner.from.stride == 0;
  // Each element a few times over, as in an enlarged image.
  bool isShort = source >= 0 && inner.extent <= 4;
  if (source < 0 || (isDense && isRepeated && !isShort))
    kind = isDense ? Kind::Fill : Kind::Elements;
  else if (isDense && fromLinear && inner.from.stride == 1)
    kind = Kind::Runs;
  else if (isDense && fromLinear && findTiles(isRepeated ? 8 : 3))
    kind = Kind::Tiles;
  else if (isDense && isRepeated)
    kind = Kind::Fill;
  for (size_t d = 0; d + 2 < loops.size(); ++d)
    outerCount *= loops[d].extent;
  int64_t lines = loops[loops.size() - 2].extent, count = loops.back().extent;
  bool isTile = kind == Kind::Tiles && count > 4;
  linePart = isTile
                 ? tileLines
                 : std::max<int64_t>(1, runChunk / std::max<int64_t>(count, 1));
  innerPart = kind == Kind::Tiles ? tileLength : runChunk;
  lineParts = (lines + linePart - 1) / linePart;
  innerParts = (count + innerPart - 1) / innerPart;
  unitCount = outerCount * lineParts * innerParts;
}

/// 4x4 transposition in vector registers.
static void tile4(const uint32_t *from, int64_t fromStride, uint32_t *to,
                  int64_t toStride) {
  using Vector __attribute__((vector_size(16), aligned(4))) = uint32_t;
  auto read = [&](int64_t i) {
    return *reinterpret_cast<const Vector *>(from + i * fromStride);
  };
  auto write = [&](int64_t i, Vector v) {
    *reinterpret_cast<Vector *>(to + i * toStride) = v;
  };
  Vector a = read(0), b = read(1), c = read(2), d = read(3);
  Vector ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  Vector ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  Vector cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  Vector cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  write(0, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
  write(1, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
  write(2, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
  write(3, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
}

/// Few long rows to one row of groups: vectorised as one interleaved store.
template <int Count, typename T>
static void interleave(const T *__restrict from, int64_t fromStride,
                       T *__restrict to, int64_t lines) {
#pragma clang loop vectorize(assume_safety)
  for (int64_t line = 0; line < lines; ++line)
    for (int k = 0; k < Count; ++k)
      to[line * Count + k] = from[line + k * fromStride];
}

/// The way back.
template <int Count, typename T>
static void separate(const T *__restrict from, T *__restrict to,
                     int64_t toStride, int64_t count) {
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = 0; i < count; ++i)
    for (int line = 0; line < Count; ++line)
      to[line * toStride + i] = from[line + i * Count];
}

/// to[line * toStride + i] = from[line + i * fromStride], a few cache lines of
/// the result at a time: strides are often powers of two, which share cache
/// sets, and rows far apart lie on pages of their own. Measured: one where
/// reading jumps farther, four where writing does.
template <typename T>
static void transpose(const T *from, int64_t fromStride, T *to,
                      int64_t toStride, int64_t lines, int64_t count) {
  const int64_t tile = (toStride > fromStride ? 256 : 64) / sizeof(T);
  if (count == 2 && toStride == 2)
    return interleave<2>(from, fromStride, to, lines);
  if (count == 3 && toStride == 3) // a picture's colours
    return interleave<3>(from, fromStride, to, lines);
  if (lines == 3 && fromStride == 3)
    return separate<3>(from, to, toStride, count);
  for (int64_t i = 0; i < count; i += tile) {
    int64_t end = std::min(i + tile, count), line = 0;
    if constexpr (sizeof(T) == 4) {
      for (; line + 4 <= lines; line += 4) {
        int64_t k = i;
        for (; k + 4 <= end; k += 4)
          tile4(from + line + k * fromStride, fromStride,
                to + line * toStride + k, toStride);
        for (; k < end; ++k)
          for (int64_t l = line; l < line + 4; ++l)
            to[l * toStride + k] = from[l + k * fromStride];
      }
    }
    for (; line < lines; ++line)
      for (int64_t k = i; k < end; ++k)
        to[line * toStride + k] = from[line + k * fromStride];
  }
}

/// Copies are mostly of a few pixels; a call of memcpy costs more than those.
template <typename T>
static void copyRun(const T *from, T *to, int64_t count) {
  if (count * static_cast<int64_t>(sizeof(T)) > 256)
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i];
}

template <typename T>
void CopyPlan::unit(const T *from, T *to, int64_t part) const {
  const Loop &line = loops[loops.size() - 2], &inner = loops.back();
  int64_t firstLine = part / innerParts * linePart;
  int64_t lastLine = std::min(firstLine + linePart, line.extent);
  int64_t first = part % innerParts * innerPart;
  int64_t last = std::min(first + innerPart, inner.extent);
  if (kind == Kind::Tiles) {
    transpose(from + firstLine + first * inner.from.stride, inner.from.stride,
              to + firstLine * line.to.stride + first, line.to.stride,
              lastLine - firstLine, last - first);
    return;
  }
  T constant;
  std::memcpy(&constant, &value, sizeof constant);
  for (int64_t l = firstLine; l < lastLine; ++l) {
    T *target = to + line.to.at(l);
    const T *origin = source < 0 ? &constant : from + line.from.at(l);
    if (kind == Kind::Runs)
      copyRun(origin + first, target + first, last - first);
    else if (kind == Kind::Fill)
      std::fill(target + first, target + last, *origin);
    else if (inner.from.isLinear() && inner.to.isLinear())
      for (int64_t i = first; i < last; ++i)
        target[i * inner.to.stride] = origin[i * inner.from.stride];
    else
      for (int64_t i = first; i < last; ++i)
        target[inner.to.at(i)] = origin[inner.from.at(i)];
  }
}

template <typename T>
void CopyPlan::runAs(const T *from, T *to, int64_t begin, int64_t end) const {
  for (int64_t u = begin; u < end; ++u) {
    int64_t rest = u / (lineParts * innerParts), fromOffset = fromBase,
            toOffset = toBase;
    for (size_t d = loops.size() - 2; d-- > 0;) {
      int64_t index = rest % loops[d].extent;
      rest /= loops[d].extent;
      toOffset += loops[d].to.at(index);
      fromOffset += loops[d].from.at(index);
    }
    unit(source < 0 ? nullptr : from + fromOffset, to + toOffset,
         u % (lineParts * innerParts));
  }
}

void CopyPlan::run(const void *from, void *to, int64_t begin,
                   int64_t end) const {
  auto runTyped = [&](auto type) {
    using T = decltype(type);
    runAs(static_cast<const T *>(from), static_cast<T *>(to), begin, end);
  };
  switch (elementBytes) {
  case 1:
    return runTyped(uint8_t{});
  case 2:
    return runTyped(uint16_t{});
  case 4:
    return runTyped(uint32_t{});
  default:
    return runTyped(uint64_t{});
  }
}

std::vector<CopyPlan> makePlans(const std::vector<Piece> &pieces,
                                int64_t elementBytes) {
  std::vector<CopyPlan> plans;
  for (const Piece &piece : pieces)
    for (const Piece &part : splitBlocks(piece)) {
      plans.emplace_back(part, elementBytes);
      if (plans.back().units() == 0)
        plans.pop_back();
    }
  return plans;
}

void runPlans(const std::vector<CopyPlan> &plans, const void *const *inputs,
              void *to, int threads) {
  int64_t bytes = 0;
  for (const CopyPlan &plan : plans)
    bytes += plan.bytes();
  int team = teamFor(bytes, minBytesPerThread, threads);
  parallelFor(team, [&](int thread, int count) {
    for (const CopyPlan &plan : plans) {
      Range range = shareOf(plan.units(), thread, count);
      plan.run(plan.input() < 0 ? nullptr : inputs[plan.input()], to,
               range.begin, range.end);
    }
  });
}

} // namespace npu::kernels
