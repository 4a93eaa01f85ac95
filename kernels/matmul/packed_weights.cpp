// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/packed_weights.h"

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

template <typename T>
NPU_INLINE Lanes<T> loadLanes(const uint8_t *from) {
  Lanes<T> value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <typename T>
NPU_INLINE Vector toFloats(Lanes<T> numbers) {
  return __builtin_convertvector(numbers, Vector);
}

/// 16 numbers of a row of a panel. Numbers of few bits that share a byte are
/// whole vectors apart, so that a shift brings them in order.
template <int K>
NPU_INLINE Vector numbersOf(const uint8_t *row, int v) {
  if constexpr (K == Signed8) {
    return toFloats<int8_t>(loadLanes<int8_t>(row + v * lanes));
  } else if constexpr (K == Unsigned8) {
    return toFloats<uint8_t>(loadLanes<uint8_t>(row + v * lanes));
  } else if constexpr (K == Bits4) {
    Lanes<uint8_t> bytes = loadLanes<uint8_t>(row + v % 2 * lanes);
    return toFloats<uint8_t>(v < 2 ? bytes & 15 : bytes >> 4);
  } else if constexpr (K == Bits2) {
    Lanes<uint8_t> bytes = loadLanes<uint8_t>(row);
    return toFloats<uint8_t>(bytes >> static_cast<uint8_t>(2 * v) & 3);
  } else if constexpr (K == Half) {
    return toFloats<_Float16>(loadLanes<_Float16>(row + v * lanes * 2));
  } else {
    Lanes<uint32_t> wide =
        __builtin_convertvector(loadLanes<uint16_t>(row + v * lanes * 2),
                                Lanes<uint32_t>)
        << 16;
    Vector value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
}

/// Numbers of one row of scales.
struct Block {
  const uint8_t *numbers;
  int64_t rows, rowBytes;
  const float *scales, *zeros;
  bool hasZeros; ///< some are not 0
};

template <int K, bool HasZeros>
NPU_INLINE void unpackOf(const Block &block, float *out) {
  Vector scales[vectors], zeros[vectors];
  for (int v = 0; v < vectors; ++v) {
    scales[v] = loadVector(block.scales + v * lanes);
    zeros[v] = loadVector(block.zeros + v * lanes);
  }
  const uint8_t *row = block.numbers;
  for (int64_t k = 0; k < block.rows; ++k, row += block.rowBytes)
    for (int v = 0; v < vectors; ++v, out += lanes) {
      Vector real = numbersOf<K>(row, v);
      if constexpr (HasZeros)
        real -= zeros[v];
      real *= scales[v];
      std::memcpy(out, &real, sizeof(real));
    }
}

template <int K>
NPU_INLINE void unpackAs(const Block &block, float *out) {
  if (block.hasZeros)
    unpackOf<K, true>(block, out);
  else
    unpackOf<K, false>(block, out);
}

NPU_WIDE_CLONES void unpackBlock(int kind, const Block &block, float *out) {
  switch (kind) {
  case Signed8:
    return unpackAs<Signed8>(block, out);
  case Unsigned8:
    return unpackAs<Unsigned8>(block, out);
  case Bits4:
    return unpackAs<Bits4>(block, out);
  case Bits2:
    return unpackAs<Bits2>(block, out);
  case Half:
    return unpackAs<Half>(block, out);
  default:
    return unpackAs<Bfloat>(block, out);
  }
}

/// Adds to the sums of `Rows` rows of data, from number `first` of each on.
template <int K, int Rows>
NPU_INLINE void multiplyOf(const Block &block, const DataRows &data,
                           int64_t first, float *sums) {
  Vector at[Rows][vectors], scales[vectors], zeros[vectors];
  for (int v = 0; v < vectors; ++v) {
    scales[v] = loadVector(block.scales + v * lanes);
    zeros[v] = loadVector(block.zeros + v * lanes);
    for (int i = 0; i < Rows; ++i)
      at[i][v] = loadVector(sums + i * panelColumns + v * lanes);
  }
  const uint8_t *row = block.numbers;
  for (int64_t k = 0; k < block.rows; ++k, row += block.rowBytes)
    for (int v = 0; v < vectors; ++v) {
      Vector real = (numbersOf<K>(row, v) - zeros[v]) * scales[v];
      for (int i = 0; i < Rows; ++i)
        at[i][v] += real * data.rows[i][(first + k) * data.step];
    }
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < vectors; ++v)
      std::memcpy(sums + i * panelColumns + v * lanes, &at[i][v],
                  sizeof(Vector));
}

template <int K>
NPU_INLINE void multiplyRows(const Block &block, const DataRows &data,
                             int64_t first, float *sums) {
  switch (data.count) {
  case 1:
    return multiplyOf<K, 1>(block, data, first, sums);
  case 2:
    return multiplyOf<K, 2>(block, data, first, sums);
  case 3:
    return multiplyOf<K, 3>(block, data, first, sums);
  default:
    return multiplyOf<K, 4>(block, data, first, sums);
  }
}

NPU_WIDE_CLONES void multiplyBlock(int kind, const Block &block,
                                   const DataRows &data, int64_t first,
                                   float *sums) {
  switch (kind) {
  case Signed8:
    return multiplyRows<Signed8>(block, data, first, sums);
  case Unsigned8:
    return multiplyRows<Unsigned8>(block, data, first, sums);
  case Bits4:
    return multiplyRows<Bits4>(block, data, first, sums);
  case Bits2:
    return multiplyRows<Bits2>(block, data, first, sums);
  case Half:
    return multiplyRows<Half>(block, data, first, sums);
  default:
    return multiplyRows<Bfloat>(block, data, first, sums);
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
        at[i][v] = isFirst
                       ? Vector{}
                       : loadVector(sums + i * panelColumns + c + v * lanes);
    const float *row = panel + c;
    for (int64_t k = 0; k < count; ++k, row += panelColumns) {
      Vector numbers[Wide];
      for (int v = 0; v < Wide; ++v)
        numbers[v] = loadVector(row + v * lanes);
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
    return panelOf<3, Wide>(panel, count, data, isFirst, sums);
  default:
    return panelOf<4, Wide>(panel, count, data, isFirst, sums);
  }
}

NPU_WIDE_CLONES void panelProduct(bool hasManyRegisters, const float *panel,
                                  int64_t count, const DataRows &data,
                                  bool isFirst, float *sums) {
  if (hasManyRegisters)
    panelOfRows<vectors>(panel, count, data, isFirst, sums);
  else
    panelOfRows<1>(panel, count, data, isFirst, sums);
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

int64_t bitsOf(int kind) {
  return kind == Bits4 ? 4 : kind == Bits2 ? 2 : kind >= Half ? 16 : 8;
}

} // namespace

std::string whyNotAsFloats(const Problem &problem) {
  return problem.attrs.matmul.quantize ? "data that is quantized"
                                       : whyNotInPanels(problem);
}

void multiplyPanel(const float *panel, int64_t count, const DataRows &data,
                   bool isFirst, float *sums) {
  static const bool hasManyRegisters = __builtin_cpu_supports("avx512f") != 0;
  panelProduct(hasManyRegisters, panel, count, data, isFirst, sums);
}

PackedWeights::PackedWeights(const Problem &problem)
    : kind(kindOf(problem.inputs[1].dtype, problem.attrs.matmul.bits)),
      rows(problem.inputs[0].dims[problem.inputs[0].rank - 1]),
      columns(problem.inputs[1].dims[1]),
      block(problem.attrs.matmul.block ? problem.attrs.matmul.block : rows),
      rowBytes(panelColumns * bitsOf(kind) / 8), scales(1),
      zeros(static_cast<float>(problem.attrs.matmul.zero_point)) {}

PackedWeights::PackedWeights(const Narrow &narrow, int64_t rows,
                             int64_t columns)
    : kind(kindOf(narrow.numbers.dtype, 0)), rows(rows), columns(columns),
      block(rows), rowBytes(panelColumns * bitsOf(kind) / 8), scales(1) {}

int64_t PackedWeights::panels() const {
  return (columns + panelColumns - 1) / panelColumns;
}

const uint8_t *PackedWeights::row(int64_t panel, int64_t k) const {
  return static_cast<const uint8_t *>(numbers.get()) +
         (panel * rows + k) * rowBytes;
}

/// Numbers of row k, one for each column, to their row of a panel.
static void packRow(int kind, const uint8_t *line, int64_t k, uint8_t *row) {
  const int64_t bits = bitsOf(kind), apart = panelColumns * bits / 8;
  if (bits >= 8) {
    std::memcpy(row, line, static_cast<size_t>(apart));
    return;
  }
  const int64_t shift = k % (8 / bits) * bits;
  for (int64_t first = 0; first < panelColumns; first += apart)
    for (int64_t n = 0; n < apart; ++n)
      row[n] |=
          static_cast<uint8_t>((line[first + n] >> shift & ((1 << bits) - 1))
                               << first / apart * bits);
}

size_t PackedWeights::pack(const Problem &problem,
                           const void *const *operands) {
  const npu_tensor_desc &b = problem.inputs[1];
  const auto bytes = static_cast<size_t>(panels() * rows * rowBytes);
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

size_t PackedWeights::packColumns(const Narrow &narrow) {
  const int64_t count = narrow.isUniform() ? 1 : columns, dims[] = {1, count};
  const npu_tensor_desc each = makeTensor(NPU_F32, dims, 2);
  const float zero = kind == Bits4 ? middle : 0;
  size_t made = 0;
  if (narrow.scales) {
    areSmall =
        std::any_of(narrow.scales, narrow.scales + columns, [&](float scale) {
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
    std::memset(to, 0, static_cast<size_t>(rows * rowBytes));
  if (kind == Bits4) {
    forNumbers<int8_t>(
        narrow.data, down, across, mine, [&](int64_t k, int64_t n, int8_t x) {
          const int64_t shift = n < rowBytes ? 0 : 4;
          to[k * rowBytes + n % rowBytes] |=
              static_cast<uint8_t>((x + static_cast<int>(middle)) << shift);
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
  rowBytes = panelColumns * bitsOf(kind) / 8;
  const auto bytes = static_cast<size_t>(panels() * rows * rowBytes);
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
                      static_cast<uint8_t *>(to) + panel * rows * rowBytes);
          }
        });
        return true;
      },
      made);
  return made + packColumns(narrow);
}

void PackedWeights::packNumbers(const npu_tensor_desc &b, const void *operand,
                                int threads, uint8_t *to) const {
  const int64_t together = bitsOf(kind) < 8 ? 8 / bitsOf(kind) : 1;
  const DimMap down = dimMap(b, 0, b.dims[0]), along = dimMap(b, 1, columns);
  const auto *from = static_cast<const uint8_t *>(operand);
  const int64_t size = dtypeBytes(b.dtype);
  const bool isRun = along.isLinear() && along.stride == 1;
  parallelFor(threads, [&](int thread, int team) {
    Range range = shareOf(panels(), thread, team);
    for (int64_t panel = range.begin; panel < range.end; ++panel) {
      const int64_t first = panel * panelColumns;
      const int64_t count = std::min(panelColumns, columns - first);
      uint8_t line[2 * panelColumns] = {};
      for (int64_t k = 0; k < rows; ++k) {
        const uint8_t *at = from + down.at(k / together) * size;
        for (int64_t n = 0; n < (isRun ? 1 : count); ++n)
          std::memcpy(line + n * size, at + along.at(first + n) * size,
                      static_cast<size_t>(isRun ? count * size : size));
        packRow(kind, line, k, to + (panel * rows + k) * rowBytes);
      }
    }
  });
}

template <typename Body>
void PackedWeights::inBlocks(int64_t panel, int64_t first, int64_t last,
                             Body body) const {
  float scale[panelColumns], zero[panelColumns];
  const bool hasZeros = zeros.isPacked() || zeros.everywhere() != 0;
  for (int64_t k = first; k < last;) {
    const int64_t end = std::min(last, (k / block + 1) * block);
    scales.load(panel, k / block, scale);
    if (k == first || zeros.isPacked())
      zeros.load(panel, k / block, zero);
    body(k, Block{row(panel, k), end - k, rowBytes, scale, zero, hasZeros});
    k = end;
  }
}

Kernel::Bytes PackedWeights::bytesOf(int64_t panel, int64_t first,
                                     int64_t last) const {
  return {reinterpret_cast<const char *>(row(panel, first)),
          static_cast<size_t>((last - first) * rowBytes)};
}

void PackedWeights::unpack(int64_t panel, int64_t first, int64_t last,
                           float *out) const {
  inBlocks(panel, first, last, [&](int64_t k, const Block &part) {
    unpackBlock(kind, part, out + (k - first) * panelColumns);
  });
}

void PackedWeights::multiply(int64_t panel, const DataRows &data,
                             float *sums) const {
  std::fill(sums, sums + data.count * panelColumns, 0.0f);
  inBlocks(panel, 0, rows, [&](int64_t k, const Block &part) {
    multiplyBlock(kind, part, data, k, sums);
  });
}

} // namespace npu::kernels
