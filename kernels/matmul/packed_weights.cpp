// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/packed_weights.h"

#include "kernels/matmul/half_bytes.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/support/access.h"
#include "kernels/support/convert.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace npu::kernels {

namespace {

constexpr int vectors = panelColumns / lanes;

enum Kind { Signed8, Unsigned8, Bits4, Bits2, Half, Bfloat };

template <typename T>
using Lanes = T __attribute__((vector_size(lanes * sizeof(T))));

NPU_INLINE void read(const float *from, Vector &value) {
  std::memcpy(&value, from, sizeof(value));
}

/// Of a number in bits.
constexpr int64_t bitsOf(int kind) {
  return kind == Bits4 ? 4 : kind == Bits2 ? 2 : kind >= Half ? 16 : 8;
}

/// Rows of a panel that lie in one another: those whose numbers of a column
/// share four bytes, so that a shift gives a row of any of them.
constexpr int64_t unitRows(int kind) {
  return bitsOf(kind) < 8 ? 32 / bitsOf(kind) : 1;
}
constexpr int64_t unitBytes(int kind) {
  return unitRows(kind) * panelColumns * bitsOf(kind) / 8;
}

static_assert(unitRows(Bits4) == halfByteRows);

template <typename T>
NPU_INLINE void readFloats(const uint8_t *from, Vector &value) {
  Lanes<T> numbers;
  std::memcpy(&numbers, from, sizeof(numbers));
  value = __builtin_convertvector(numbers, Vector);
}

/// 16 numbers of row k of a block.
template <int K>
NPU_INLINE void numbersOf(const PackedBlock &block, int64_t k, int v,
                          Vector &value) {
  constexpr int64_t together = unitRows(K), width = unitBytes(K) / vectors;
  const int64_t row = block.first + k;
  const uint8_t *from = block.units + row / together * unitBytes(K) + v * width;
  if constexpr (K == Signed8) {
    readFloats<int8_t>(from, value);
  } else if constexpr (K == Unsigned8) {
    readFloats<uint8_t>(from, value);
  } else if constexpr (K == Bits4 || K == Bits2) {
    Lanes<int32_t> unit;
    std::memcpy(&unit, from, sizeof(unit));
    unit = unit >> static_cast<int32_t>(row % together * bitsOf(K)) &
           ((1 << bitsOf(K)) - 1);
    value = __builtin_convertvector(unit, Vector);
  } else if constexpr (K == Half) {
    readFloats<_Float16>(from, value);
  } else {
    Lanes<uint16_t> halves;
    std::memcpy(&halves, from, sizeof(halves));
    Lanes<uint32_t> wide = __builtin_convertvector(halves, Lanes<uint32_t>)
                           << 16;
    std::memcpy(&value, &wide, sizeof(value));
  }
}

template <int K>
NPU_INLINE void unpackOf(const PackedBlock &block, float *out) {
  Vector scales[vectors], zeros[vectors];
  for (int v = 0; v < vectors; ++v) {
    read(block.scales + v * lanes, scales[v]);
    read(block.zeros + v * lanes, zeros[v]);
  }
  for (int64_t k = 0; k < block.rows; ++k)
    for (int v = 0; v < vectors; ++v, out += lanes) {
      Vector real;
      numbersOf<K>(block, k, v, real);
      real = (real - zeros[v]) * scales[v];
      std::memcpy(out, &real, sizeof(real));
    }
}

NPU_WIDE_CLONES(void, unpackBlock,
                (int kind, const PackedBlock &block, float *out),
                (kind, block, out)) {
  switch (kind) {
  case Signed8:
    return unpackOf<Signed8>(block, out);
  case Unsigned8:
    return unpackOf<Unsigned8>(block, out);
  case Bits4:
    return unpackOf<Bits4>(block, out);
  case Bits2:
    return unpackOf<Bits2>(block, out);
  case Half:
    return unpackOf<Half>(block, out);
  default:
    return unpackOf<Bfloat>(block, out);
  }
}

/// Adds to the sums of `Rows` rows of data, from number `first` of each on;
/// `Wide` vectors of columns at once, so that all sums stay in registers.
template <int Wide, int K, int Rows>
NPU_INLINE void multiplyOf(const PackedBlock &block, const DataRows &data,
                           int64_t first, float *sums) {
  for (int c = 0; c < vectors; c += Wide) {
    Vector at[Rows][Wide], scales[Wide], zeros[Wide];
    for (int v = 0; v < Wide; ++v) {
      read(block.scales + (c + v) * lanes, scales[v]);
      read(block.zeros + (c + v) * lanes, zeros[v]);
      for (int i = 0; i < Rows; ++i)
        read(sums + i * panelColumns + (c + v) * lanes, at[i][v]);
    }
#pragma clang loop unroll(disable)
    for (int64_t k = 0; k < block.rows; ++k)
      for (int v = 0; v < Wide; ++v) {
        Vector real;
        numbersOf<K>(block, k, c + v, real);
        real = (real - zeros[v]) * scales[v];
        for (int i = 0; i < Rows; ++i)
          at[i][v] += real * data.rows[i][(first + k) * data.step];
      }
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Wide; ++v)
        std::memcpy(sums + i * panelColumns + (c + v) * lanes, &at[i][v],
                    sizeof(Vector));
  }
}

template <int Wide, int K>
NPU_INLINE void multiplyRows(const PackedBlock &block, const DataRows &data,
                             int64_t first, float *sums) {
  switch (data.count) {
  case 1:
    return multiplyOf<Wide, K, 1>(block, data, first, sums);
  case 2:
    return multiplyOf<Wide, K, 2>(block, data, first, sums);
  case 3:
    multiplyOf<Wide, K, 2>(block, data, first, sums);
    return multiplyOf<Wide, K, 1>(block, rowsFrom(data, 2), first,
                                  sums + 2 * panelColumns);
  default:
    return multiplyOf<Wide, K, 4>(block, data, first, sums);
  }
}

template <int Wide>
NPU_INLINE void multiplyKind(int kind, const PackedBlock &block,
                             const DataRows &data, int64_t first, float *sums) {
  switch (kind) {
  case Signed8:
    return multiplyRows<Wide, Signed8>(block, data, first, sums);
  case Unsigned8:
    return multiplyRows<Wide, Unsigned8>(block, data, first, sums);
  case Bits4: // wide registers have a way of their own
    return multiplyRows<1, Bits4>(block, data, first, sums);
  case Half:
    return multiplyRows<Wide, Half>(block, data, first, sums);
  default:
    return multiplyRows<Wide, Bfloat>(block, data, first, sums);
  }
}

/// `Wide` vectors of columns at once: all sums stay in registers.
template <int Rows, int Wide>
NPU_INLINE void panelOf(const float *panel, int64_t count, const DataRows &data,
                        bool isFirst, float *sums) {
  for (int c = 0; c < panelColumns; c += Wide * lanes) {
    Vector at[Rows][Wide];
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Wide; ++v)
        if (isFirst)
          at[i][v] = Vector{};
        else
          read(sums + i * panelColumns + c + v * lanes, at[i][v]);
    const float *row = panel + c;
#pragma clang loop unroll(disable)
    for (int64_t k = 0; k < count; ++k, row += panelColumns) {
      Vector numbers[Wide];
      for (int v = 0; v < Wide; ++v)
        read(row + v * lanes, numbers[v]);
      for (int i = 0; i < Rows; ++i)
        for (int v = 0; v < Wide; ++v)
          at[i][v] += numbers[v] * data.rows[i][k * data.step];
    }
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Wide; ++v)
        std::memcpy(sums + i * panelColumns + c + v * lanes, &at[i][v],
                    sizeof(Vector));
  }
}

template <int Wide>
NPU_INLINE void panelOfRows(const float *panel, int64_t count,
                            const DataRows &data, bool isFirst, float *sums) {
  switch (data.count) {
  case 1:
    return panelOf<1, Wide>(panel, count, data, isFirst, sums);
  case 2:
    return panelOf<2, Wide>(panel, count, data, isFirst, sums);
  case 3:
    panelOf<2, Wide>(panel, count, data, isFirst, sums);
    return panelOf<1, Wide>(panel, count, rowsFrom(data, 2), isFirst,
                            sums + 2 * panelColumns);
  default:
    return panelOf<4, Wide>(panel, count, data, isFirst, sums);
  }
}

// Sums of four rows of a whole panel fill 16 registers of 512 bits; others have
// as many registers, of half or a quarter as many numbers.
NPU_WIDE_ONLY void multiplyWide(int kind, const PackedBlock &block,
                                const DataRows &data, int64_t first,
                                float *sums) {
  multiplyKind<vectors>(kind, block, data, first, sums);
}
__attribute__((target("arch=x86-64-v3"))) void
multiplyNarrow(int kind, const PackedBlock &block, const DataRows &data,
               int64_t first, float *sums) {
  multiplyKind<1>(kind, block, data, first, sums);
}

NPU_WIDE_ONLY void panelWide(const float *panel, int64_t count,
                             const DataRows &data, bool isFirst, float *sums) {
  panelOfRows<vectors>(panel, count, data, isFirst, sums);
}
NPU_WIDE_CLONES(void, panelNarrow,
                (const float *panel, int64_t count, const DataRows &data,
                 bool isFirst, float *sums),
                (panel, count, data, isFirst, sums)) {
  panelOfRows<1>(panel, count, data, isFirst, sums);
}

/// By way of floats: what is too rare for code of its own.
void multiplyUnpacked(int kind, PackedBlock block, DataRows data, int64_t first,
                      float *sums) {
  constexpr int64_t together = 64;
  float real[together * panelColumns];
  for (int64_t rows = block.rows; rows > 0; rows -= together) {
    block.rows = std::min(rows, together);
    unpackBlock(kind, block, real);
    DataRows part = data;
    for (int64_t i = 0; i < data.count; ++i)
      part.rows[i] += first * data.step;
    multiplyPanel(real, block.rows, part, false, sums);
    block.units += together / unitRows(kind) * unitBytes(kind);
    first += block.rows;
  }
}

void multiplyBlock(int kind, const PackedBlock &block, const DataRows &data,
                   int64_t first, float *sums) {
  const bool hasAvx2 = processor().generation != Generation::Any;
  const bool isWide = hasWideRegisters();
  if (kind == Bits4 && isWide && multiplyHalfBytes(block, data, first, sums))
    return;
  if (kind == Bits2 || !hasAvx2 || (kind == Bits4 && isWide))
    multiplyUnpacked(kind, block, data, first, sums);
  else if (isWide)
    multiplyWide(kind, block, data, first, sums);
  else
    multiplyNarrow(kind, block, data, first, sums);
}

/// Of numbers of a type, in how many bits each: 0, those of the type.
int kindOf(int32_t dtype, int64_t bits) {
  switch (dtype) {
  case NPU_I8:
    return Signed8;
  case NPU_F16:
    return Half;
  case NPU_BF16:
    return Bfloat;
  default:
    return bits == 4 ? Bits4 : bits == 2 ? Bits2 : Unsigned8;
  }
}

} // namespace

std::string whyNotAsFloats(const Problem &problem) {
  return problem.attrs.matmul.quantize ? "data that is quantized"
                                       : whyNotInPanels(problem);
}

void multiplyPanel(const float *panel, int64_t count, const DataRows &data,
                   bool isFirst, float *sums) {
  (hasWideRegisters() ? panelWide : panelNarrow)(panel, count, data, isFirst,
                                                 sums);
}

PackedWeights::PackedWeights(const Problem &problem)
    : kind(kindOf(problem.inputs[1].dtype, problem.attrs.matmul.bits)),
      rows(problem.inputs[0].dims[problem.inputs[0].rank - 1]),
      columns(problem.inputs[1].dims[1]),
      block(problem.attrs.matmul.block ? problem.attrs.matmul.block : rows),
      scales(1), zeros(static_cast<float>(problem.attrs.matmul.zero_point)) {}

PackedWeights::PackedWeights(const Narrow &narrow, int64_t rows,
                             int64_t columns)
    : kind(kindOf(narrow.numbers.dtype, 0)), rows(rows), columns(columns),
      block(rows), scales(1) {}

int64_t PackedWeights::panels() const {
  return (columns + panelColumns - 1) / panelColumns;
}

int64_t PackedWeights::panelBytes() const {
  return (rows + unitRows(kind) - 1) / unitRows(kind) * unitBytes(kind);
}

const uint8_t *PackedWeights::unitOf(int64_t panel, int64_t k) const {
  return static_cast<const uint8_t *>(numbers.get()) + panel * panelBytes() +
         k / unitRows(kind) * unitBytes(kind);
}

/// Four rows of bytes, which become four bytes of each column.
static void packRows(const uint8_t (&lines)[4][2 * panelColumns],
                     uint8_t *unit) {
  for (int64_t n = 0; n < panelColumns; ++n) {
    const uint32_t column = lines[0][n] | lines[1][n] << 8 | lines[2][n] << 16 |
                            static_cast<uint32_t>(lines[3][n]) << 24;
    std::memcpy(unit + n * 4, &column, sizeof(column));
  }
}

size_t PackedWeights::pack(const Problem &problem,
                           const void *const *operands) {
  const npu_tensor_desc &b = problem.inputs[1];
  const auto bytes = static_cast<size_t>(panels() * panelBytes());
  const std::string order = "packed weights, " + std::to_string(kind) + ", " +
                            std::to_string(rows) + " rows, " + describe(b);
  size_t made = 0;
  numbers = packOnce(
      operands[1], order, bytes,
      [&](void *to) {
        std::memset(to, 0, bytes);
        packNumbers(b, operands[1], problem.threads,
                    static_cast<uint8_t *>(to));
        return true;
      },
      made);
  return made + packParameters(problem, operands, scales, zeros);
}

/// Scales below this make some numbers denormal, and so does f16's smallest.
static bool isSmall(float scale, int32_t dtype) {
  constexpr float least = 0x1p-24f;
  return scale != 0 && std::fabs(scale) * (dtype == NPU_I8 ? 1 : least) <
                           std::numeric_limits<float>::min();
}

/// Four bits hold a number and this.
constexpr float middle = 8;

/// Whether they do for all, and offsets do not round.
static bool fitsHalfBytes(const Narrow &narrow) {
  const auto *first = static_cast<const int8_t *>(narrow.data);
  const auto isWhole = [](float offset) {
    return std::fabs(offset) <= 128 && offset == std::trunc(offset);
  };
  return narrow.numbers.dtype == NPU_I8 &&
         std::all_of(first, first + elementCount(narrow.numbers),
                     [](int8_t n) { return n >= -8 && n < 8; }) &&
         (!narrow.offsets ||
          std::all_of(narrow.offsets,
                      narrow.offsets + narrow.numbers.dims[narrow.dim],
                      isWhole));
}

/// Whether none has all bits of its exponent set.
static bool haveFiniteBits(const uint16_t *numbers, int64_t count,
                           unsigned exponent) {
  bool are = true;
  for (int64_t i = 0; i < count; ++i)
    are &= (numbers[i] & exponent) != exponent;
  return are;
}

bool areFinite(const Narrow &narrow) {
  const npu_tensor_desc &numbers = narrow.numbers;
  const int64_t count = narrow.isUniform() ? 1 : numbers.dims[narrow.dim];
  const auto areAll = [count](const float *each) {
    return !each || std::all_of(each, each + count, [](float number) {
      return std::isfinite(number);
    });
  };
  return areAll(narrow.scales) && areAll(narrow.offsets) &&
         (numbers.dtype == NPU_I8 ||
          haveFiniteBits(static_cast<const uint16_t *>(narrow.data),
                         elementCount(numbers),
                         numbers.dtype == NPU_F16 ? 0x7c00 : 0x7f80));
}

size_t PackedWeights::packColumns(const Narrow &narrow) {
  const int64_t count = narrow.isUniform() ? 1 : columns, dims[] = {1, count};
  const npu_tensor_desc each = makeTensor(NPU_F32, dims, 2);
  const float zero = kind == Bits4 ? middle : 0;
  size_t made = 0;
  if (narrow.scales) {
    areSmall =
        std::any_of(narrow.scales, narrow.scales + count, [&](float scale) {
          return isSmall(scale, narrow.numbers.dtype);
        });
    made += scales.pack(each, narrow.scales);
  }
  zeros = PanelParameter(zero);
  if (narrow.offsets) {
    std::vector<float> places(static_cast<size_t>(count));
    std::transform(narrow.offsets, narrow.offsets + count, places.begin(),
                   [&](float offset) { return zero - offset; });
    made += zeros.pack(each, places.data());
  }
  return made;
}

/// Hands body(row, column, number) those of some columns of a matrix that lie
/// anywhere: some rows at once, for those of one column are next to each other,
/// perhaps.
template <typename T, typename Body>
static void forNumbers(const void *data, const std::vector<int64_t> &down,
                       int64_t across, Range columns, Body body) {
  constexpr int64_t together = 64;
  const auto *from = static_cast<const T *>(data);
  const auto rows = static_cast<int64_t>(down.size());
  for (int64_t first = 0; first < rows; first += together)
    for (int64_t n = columns.begin; n < columns.end; ++n)
      for (int64_t k = first; k < std::min(first + together, rows); ++k)
        body(k, n - columns.begin,
             from[down[static_cast<size_t>(k)] + n * across]);
}

void PackedWeights::packPanel(const Narrow &narrow,
                              const std::vector<int64_t> &down, int64_t across,
                              Range mine, uint8_t *to) const {
  if (kind == Bits4 || mine.end - mine.begin < panelColumns)
    std::memset(to, 0, static_cast<size_t>(panelBytes()));
  if (kind == Bits4) {
    forNumbers<int8_t>(
        narrow.data, down, across, mine, [&](int64_t k, int64_t n, int8_t x) {
          const auto number =
              static_cast<unsigned>(x + static_cast<int>(middle));
          const int64_t unit = k / halfByteRows, inUnit = k % halfByteRows;
          to[(unit * panelColumns + n) * 4 + inUnit / 2] |=
              static_cast<uint8_t>(number << k % 2 * 4);
        });
  } else if (kind == Signed8) {
    forNumbers<uint8_t>(
        narrow.data, down, across, mine,
        [&](int64_t k, int64_t n, uint8_t x) { to[k * panelColumns + n] = x; });
  } else {
    auto *out = reinterpret_cast<uint16_t *>(to);
    forNumbers<uint16_t>(narrow.data, down, across, mine,
                         [&](int64_t k, int64_t n, uint16_t x) {
                           out[k * panelColumns + n] = x;
                         });
  }
}

size_t PackedWeights::pack(const Narrow &narrow, const std::string &rowOrder,
                           const std::vector<int64_t> &down, int64_t across,
                           int threads) {
  if (fitsHalfBytes(narrow))
    kind = Bits4;
  const auto bytes = static_cast<size_t>(panels() * panelBytes());
  const std::string order =
      "narrow weights, " + rowOrder + ", " + describe(narrow.numbers);
  size_t made = 0;
  numbers = packOnce(
      narrow.data, order, bytes,
      [&](void *to) {
        parallelFor(threads, [&](int thread, int team) {
          Range range = shareOf(panels(), thread, team);
          for (int64_t panel = range.begin; panel < range.end; ++panel) {
            const int64_t first = panel * panelColumns;
            packPanel(narrow, down, across,
                      {first, std::min(first + panelColumns, columns)},
                      static_cast<uint8_t *>(to) + panel * panelBytes());
          }
        });
        return true;
      },
      made);
  return made + packColumns(narrow);
}

void PackedWeights::packNumbers(const npu_tensor_desc &b, const void *operand,
                                int threads, uint8_t *to) const {
  // Bytes with two or four rows of a column, four of which make a unit.
  const int64_t storedRows = b.dims[0],
                linesOfUnit = unitRows(kind) > 1 ? 4 : 1;
  const DimMap down = dimMap(b, 0, storedRows), along = dimMap(b, 1, columns);
  const auto *from = static_cast<const uint8_t *>(operand);
  const int64_t size = dtypeBytes(b.dtype);
  const bool isRun = along.isLinear() && along.stride == 1;
  parallelFor(threads, [&](int thread, int team) {
    Range range = shareOf(panels(), thread, team);
    for (int64_t panel = range.begin; panel < range.end; ++panel) {
      const int64_t first = panel * panelColumns;
      const int64_t count = std::min(panelColumns, columns - first);
      const auto load = [&](int64_t row, uint8_t *line) {
        const uint8_t *at = from + down.at(row) * size;
        for (int64_t n = 0; n < (isRun ? 1 : count); ++n)
          std::memcpy(line + n * size, at + along.at(first + n) * size,
                      static_cast<size_t>(isRun ? count * size : size));
      };
      uint8_t lines[4][2 * panelColumns] = {};
      uint8_t *unit = to + panel * panelBytes();
      for (int64_t row = 0; row < storedRows; unit += unitBytes(kind)) {
        const int64_t some = std::min(linesOfUnit, storedRows - row);
        for (int64_t i = 0; i < some; ++i)
          load(row++, lines[i]);
        if (linesOfUnit > 1)
          packRows(lines, unit);
        else
          std::memcpy(unit, lines[0], static_cast<size_t>(unitBytes(kind)));
      }
    }
  });
}

template <typename Body>
void PackedWeights::inBlocks(int64_t panel, int64_t first, int64_t last,
                             Body body) const {
  float scale[panelColumns], zero[panelColumns];
  for (int64_t k = first; k < last;) {
    const int64_t end = std::min(last, (k / block + 1) * block);
    scales.load(panel, k / block, scale);
    if (k == first || zeros.isPacked())
      zeros.load(panel, k / block, zero);
    body(k, PackedBlock{unitOf(panel, k), k % unitRows(kind), end - k, scale,
                        zero, !zeros.isPacked()});
    k = end;
  }
}

Kernel::Bytes PackedWeights::bytesOf(int64_t panel, int64_t first,
                                     int64_t last) const {
  const uint8_t *begin = unitOf(panel, first),
                *end = unitOf(panel, last + unitRows(kind) - 1);
  return {reinterpret_cast<const char *>(begin),
          static_cast<size_t>(end - begin)};
}

void PackedWeights::unpack(int64_t panel, int64_t first, int64_t last,
                           float *out) const {
  inBlocks(panel, first, last, [&](int64_t k, const PackedBlock &part) {
    unpackBlock(kind, part, out + (k - first) * panelColumns);
  });
}

void PackedWeights::multiply(int64_t panel, const DataRows &data,
                             float *sums) const {
  std::fill(sums, sums + data.count * panelColumns, 0.0f);
  inBlocks(panel, 0, rows, [&](int64_t k, const PackedBlock &part) {
    multiplyBlock(kind, part, data, k, sums);
  });
}

} // namespace npu::kernels
