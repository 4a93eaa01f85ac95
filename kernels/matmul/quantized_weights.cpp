// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/quantized_weights.h"

#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <cmath>
#include <immintrin.h>

namespace npu::kernels {

namespace {

/// Vectors of columns whose sums are in registers.
constexpr int wide = 2;

#define NPU_VNNI __attribute__((target("avx512f,avx512vnni")))

/// Four bytes of each row of data, by so many columns of a group.
template <int Rows>
NPU_INLINE NPU_VNNI void addBytes(const QuantizedFactors &f, int64_t group,
                                  const __m512i (&numbers)[wide],
                                  __m512i (&sums)[Rows][wide]) {
  for (int i = 0; i < Rows; ++i) {
    int32_t together;
    std::memcpy(&together, f.bytes + i * f.rowBytes + group * bytesTogether,
                sizeof(together));
    const __m512i data = _mm512_set1_epi32(together);
    for (int v = 0; v < wide; ++v)
      sums[i][v] = _mm512_dpbusd_epi32(sums[i][v], numbers[v], data);
  }
}

/// Groups [begin, end) of a panel of bytes, or of half bytes (`IsHalf`): then
/// `begin` is even, and data behind the last is zero.
template <int Rows, bool IsHalf>
NPU_INLINE NPU_VNNI void addGroups(const QuantizedFactors &f, int64_t begin,
                                   int64_t end, int64_t first,
                                   __m512i (&sums)[Rows][wide]) {
  constexpr int64_t together = IsHalf ? 2 : 1;
  const __m512i low = _mm512_set1_epi8(15);
  for (int64_t g = begin; g < end; g += together) {
    const uint8_t *at =
        f.panel + g / together * groupBytes + first * bytesTogether;
    __m512i numbers[wide], others[wide];
    for (int v = 0; v < wide; ++v) {
      numbers[v] = _mm512_loadu_si512(at + v * lanes * bytesTogether);
      if (!IsHalf)
        continue;
      others[v] = _mm512_and_si512(_mm512_srli_epi32(numbers[v], 4), low);
      numbers[v] = _mm512_and_si512(numbers[v], low);
    }
    addBytes<Rows>(f, g, numbers, sums);
    if (IsHalf)
      addBytes<Rows>(f, g + 1, others, sums);
  }
}

/// sums[i][column], at the processor's rate for bytes. All of a few columns
/// stays in registers.
template <int Rows, WeightScales P, bool IsHalf>
NPU_VNNI void multiplyColumns(const QuantizedFactors &f, int64_t first,
                              float *sums) {
  __m512 total[Rows][wide];
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < wide; ++v)
      total[i][v] = _mm512_setzero_ps();
  for (int64_t part = 0; part < f.parts; ++part) {
    __m512i whole[Rows][wide];
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < wide; ++v)
        whole[i][v] = P == WeightScales::Zeros
                          ? _mm512_setzero_si512()
                          : _mm512_set1_epi32(f.sums[i * f.parts + part]);
    addGroups<Rows, IsHalf>(f, part * f.groupsOfPart, f.endOf(part), first,
                            whole);
    const int64_t block = part / f.partsOfBlock * panelColumns + first;
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < wide; ++v) {
        __m512 real = _mm512_cvtepi32_ps(whole[i][v]);
        if (P == WeightScales::Zeros)
          real = _mm512_fnmadd_ps(
              _mm512_loadu_ps(f.zeros + block + v * lanes),
              _mm512_set1_ps(static_cast<float>(f.sums[i * f.parts + part])),
              real);
        if (P != WeightScales::Columns)
          real = _mm512_mul_ps(real,
                               _mm512_loadu_ps(f.scales + block + v * lanes));
        total[i][v] = _mm512_fmadd_ps(
            real, _mm512_set1_ps(f.rowScales[i * f.parts + part]), total[i][v]);
      }
  }
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < wide; ++v) {
      const int64_t at = first + v * lanes;
      if (P == WeightScales::Columns)
        total[i][v] =
            _mm512_mul_ps(total[i][v], _mm512_loadu_ps(f.scales + at));
      _mm512_storeu_ps(sums + i * panelColumns + at, total[i][v]);
    }
}

template <WeightScales P, bool IsHalf>
void multiplyRows(const QuantizedFactors &factors, int64_t count, float *sums) {
  for (int64_t first = 0; first < panelColumns; first += wide * lanes)
    switch (count) {
    case 1:
      multiplyColumns<1, P, IsHalf>(factors, first, sums);
      break;
    case 2:
      multiplyColumns<2, P, IsHalf>(factors, first, sums);
      break;
    case 3:
      multiplyColumns<2, P, IsHalf>(factors, first, sums);
      multiplyColumns<1, P, IsHalf>(factors.from(2), first,
                                    sums + 2 * panelColumns);
      break;
    default:
      multiplyColumns<4, P, IsHalf>(factors, first, sums);
      break;
    }
}

NPU_INLINE void multiplyRowPlainly(const QuantizedFactors &f, float *sums) {
  std::fill(sums, sums + panelColumns, 0.0f);
  for (int64_t part = 0; part < f.parts; ++part) {
    int32_t whole[panelColumns];
    std::fill(whole, whole + panelColumns, f.zeros ? 0 : f.sums[part]);
    const int64_t end = f.endOf(part), begin = part * f.groupsOfPart;
    const int8_t *data = f.bytes + begin * bytesTogether;
    const uint8_t *numbers = f.panel + begin * groupBytes;
    for (int64_t g = begin; g < end; ++g, data += bytesTogether)
      for (int64_t n = 0; n < panelColumns; ++n, numbers += bytesTogether)
        whole[n] += numbers[0] * data[0] + numbers[1] * data[1] +
                    numbers[2] * data[2] + numbers[3] * data[3];
    const int64_t block = part / f.partsOfBlock * panelColumns;
    const auto sum = static_cast<float>(f.sums[part]);
    for (int64_t n = 0; n < panelColumns; ++n) {
      auto real = static_cast<float>(whole[n]);
      if (f.zeros)
        real -= f.zeros[block + n] * sum;
      sums[n] += real * f.scales[block + n] * f.rowScales[part];
    }
  }
}

/// The same on any processor.
NPU_WIDE_CLONES(void, multiplyPlainly,
                (const QuantizedFactors &f, int64_t count, float *sums),
                (f, count, sums)) {
  for (int64_t i = 0; i < count; ++i, sums += panelColumns)
    multiplyRowPlainly(f.from(i), sums);
}

template <WeightScales P>
void multiplyAs(const QuantizedFactors &factors, int64_t count, float *sums) {
  if constexpr (P != WeightScales::Columns)
    if (factors.isHalf)
      return multiplyRows<P, true>(factors, count, sums);
  multiplyRows<P, false>(factors, count, sums);
}

/// Four rows of a panel as they are stored, and where a number is in a byte.
struct Lines {
  uint8_t bytes[bytesTogether][panelColumns];
  int32_t right[bytesTogether], left; // shifts: there, and where it goes
  uint8_t mask, flip;
};

/// Puts a group's numbers into the bytes that it shares with others.
NPU_WIDE_CLONES(void, addGroup, (const Lines &lines, uint8_t *unit),
                (lines, unit)) {
  for (int64_t n = 0; n < panelColumns; ++n) {
    uint32_t together = 0, there;
    for (int64_t i = 0; i < bytesTogether; ++i) {
      const uint32_t number =
          (lines.bytes[i][n] >> lines.right[i] & lines.mask) ^ lines.flip;
      together |= number << 8 * i;
    }
    std::memcpy(&there, unit + n * bytesTogether, sizeof(there));
    there |= together << lines.left;
    std::memcpy(unit + n * bytesTogether, &there, sizeof(there));
  }
}

/// Numbers of few bits as bytes, a byte of each of the units' groups. Shifts
/// that are not known when this is compiled would take whole words.
template <int Bits>
NPU_INLINE void spreadOf(const uint8_t *from, int64_t units, uint8_t *to) {
  for (int64_t u = 0; u < units; ++u, from += groupBytes)
#pragma clang loop unroll(full)
    for (int shift = 0; shift < 8; shift += Bits, to += groupBytes)
      for (int64_t i = 0; i < groupBytes; ++i)
        to[i] = static_cast<uint8_t>(from[i] >> shift & ((1 << Bits) - 1));
}

NPU_WIDE_CLONES(void, spread,
                (const uint8_t *from, int64_t units, int64_t bits, uint8_t *to),
                (from, units, bits, to)) {
  if (bits == 4)
    spreadOf<4>(from, units, to);
  else
    spreadOf<2>(from, units, to);
}

} // namespace

/// What takes the sign from a byte.
static int32_t flipOf(const Problem &problem) {
  return problem.inputs[1].dtype == NPU_I8 ? 128 : 0;
}

static RowCut cutFor(const Problem &problem) {
  const npu_matmul_attrs &attrs = problem.attrs.matmul;
  const int64_t depth = problem.inputs[0].dims[problem.inputs[0].rank - 1];
  const int64_t group = std::min(attrs.quantize, depth);
  // One zero point is subtracted from all numbers at once.
  const auto zero = static_cast<int32_t>(attrs.zero_point) + flipOf(problem);
  return {depth, group, attrs.block ? std::min(attrs.block, group) : group,
          attrs.has_zero_points ? 1 : -zero};
}

/// Groups of the depth that a tile takes; 0: parts are not whole tiles, or so
/// short that vectors are as fast.
static int64_t groupsOfTileFor(const RowCut &cut) {
  constexpr int64_t most = 64, least = 32; // bytes
  const int64_t bytes = std::min(cut.part, most);
  const bool isWhole = bytes >= least && bytes % bytesTogether == 0 &&
                       cut.part % bytes == 0 && cut.depth % bytes == 0;
  return isWhole && hasTiles() ? bytes / bytesTogether : 0;
}

QuantizedWeights::QuantizedWeights(const Problem &problem)
    : cut(cutFor(problem)),
      bits(problem.attrs.matmul.bits ? problem.attrs.matmul.bits : 8),
      flip(flipOf(problem)), rows(cut.depth),
      columns(problem.inputs[1].dims[1]),
      block(problem.attrs.matmul.block
                ? std::min(problem.attrs.matmul.block, rows)
                : rows),
      blocks((rows + block - 1) / block),
      groups((rows + bytesTogether - 1) / bytesTogether),
      units((groups + 8 / bits - 1) / (8 / bits)),
      groupsOfTile(groupsOfTileFor(cut)), scales(1) {}

int64_t QuantizedWeights::panels() const {
  return (columns + panelColumns - 1) / panelColumns;
}

void QuantizedWeights::packPanel(const uint8_t *from, const DimMap &down,
                                 const DimMap &along, int64_t panel,
                                 uint8_t *to) const {
  const int64_t perByte = 8 / bits;
  const int64_t first = panel * panelColumns;
  const int64_t count = std::min(panelColumns, columns - first);
  const bool isRun = along.isLinear() && along.stride == 1;
  for (int64_t group = 0; group < groups; ++group) {
    Lines lines = {};
    std::memset(lines.bytes, flip, sizeof(lines.bytes)); // what becomes 0
    lines.mask = static_cast<uint8_t>((1 << bits) - 1);
    lines.flip = static_cast<uint8_t>(flip);
    lines.left = static_cast<int32_t>(group % perByte * bits);
    for (int64_t i = 0; i < bytesTogether; ++i) {
      const int64_t k = group * bytesTogether + i;
      if (k >= rows)
        break;
      lines.right[i] = static_cast<int32_t>(k % perByte * bits);
      const uint8_t *line = from + down.at(k / perByte);
      if (isRun)
        std::memcpy(lines.bytes[i], line + first, static_cast<size_t>(count));
      for (int64_t n = 0; !isRun && n < count; ++n)
        lines.bytes[i][n] = line[along.at(first + n)];
    }
    addGroup(lines, to + group / perByte * groupBytes);
  }
}

size_t QuantizedWeights::pack(const Problem &problem,
                              const void *const *operands) {
  const npu_tensor_desc &b = problem.inputs[1];
  const int64_t panelBytes = units * groupBytes;
  const auto bytes = static_cast<size_t>(panels() * panelBytes);
  const std::string order = "quantized weights of " + std::to_string(bits) +
                            " bits, flipped by " + std::to_string(flip) + ", " +
                            std::to_string(rows) + " rows, " + describe(b);
  const DimMap down = dimMap(b, 0, b.dims[0]), along = dimMap(b, 1, columns);
  const auto *from = static_cast<const uint8_t *>(operands[1]);
  size_t made = 0;
  numbers = packOnce(
      from, order, bytes,
      [&](void *block) {
        std::memset(block, 0, bytes);
        auto *to = static_cast<uint8_t *>(block);
        parallelFor(problem.threads, [&](int thread, int threads) {
          Range range = shareOf(panels(), thread, threads);
          for (int64_t panel = range.begin; panel < range.end; ++panel)
            packPanel(from, down, along, panel, to + panel * panelBytes);
        });
        return true;
      },
      made);
  return made + packParameters(problem, operands, scales, zeros);
}

size_t QuantizedWeights::panelBytes() const {
  const int64_t unpacked = bits < 8 ? units * (8 / bits) * groupBytes : 0;
  return static_cast<size_t>(unpacked) +
         2 * sizeof(float) * static_cast<size_t>(blocks * panelColumns);
}

QuantizedWeights::Panel QuantizedWeights::prepare(int64_t panel, bool isOnce,
                                                  void *scratch) const {
  const int64_t count = blocks * panelColumns;
  auto *scale = static_cast<float *>(scratch);
  float *rest = scale + count;
  for (int64_t b = 0; b < blocks; ++b) {
    scales.load(panel, b, scale + b * panelColumns);
    if (zeros.isPacked())
      zeros.load(panel, b, rest + b * panelColumns);
  }
  for (int64_t i = 0; zeros.isPacked() && i < count; ++i)
    rest[i] += static_cast<float>(flip);
  const uint8_t *bytes =
      static_cast<const uint8_t *>(numbers.get()) + panel * units * groupBytes;
  // Of four bits with one scale for a column there are too few for more code.
  const bool isHalf = isOnce && bits == 4 && blocks > 1 &&
                      processor().hasVnni &&
                      cut.part % (2 * bytesTogether) == 0;
  if (bits < 8 && !isHalf) {
    auto *unpacked = reinterpret_cast<uint8_t *>(rest + count);
    spread(bytes, units, bits, unpacked);
    bytes = unpacked;
  }
  return {bytes, scale, zeros.isPacked() ? rest : nullptr, isHalf};
}

QuantizedFactors QuantizedWeights::factorsOf(const Panel &panel,
                                             const QuantizedRows &data,
                                             int64_t first) const {
  const int64_t parts = cut.parts();
  const WeightScales kind = panel.zeros  ? WeightScales::Zeros
                            : blocks > 1 ? WeightScales::Blocks
                                         : WeightScales::Columns;
  return {panel.bytes,
          panel.scales,
          panel.zeros,
          data.bytes + first * cut.rowBytes(),
          data.sums + first * parts,
          data.scales + first * parts,
          parts,
          groups,
          cut.rowBytes(),
          (cut.part + bytesTogether - 1) / bytesTogether,
          (block + cut.part - 1) / cut.part,
          panel.isHalf,
          kind};
}

void QuantizedWeights::multiply(const Panel &panel, const QuantizedRows &data,
                                int64_t first, int64_t count,
                                float *sums) const {
  const QuantizedFactors factors = factorsOf(panel, data, first);
  if (!processor().hasVnni)
    return multiplyPlainly(factors, count, sums);
  switch (factors.kind) {
  case WeightScales::Columns:
    return multiplyAs<WeightScales::Columns>(factors, count, sums);
  case WeightScales::Blocks:
    return multiplyAs<WeightScales::Blocks>(factors, count, sums);
  case WeightScales::Zeros:
    return multiplyAs<WeightScales::Zeros>(factors, count, sums);
  }
}

void QuantizedWeights::multiplyByTiles(const Panel &panel,
                                       const QuantizedRows &data, int64_t first,
                                       float *sums) const {
  multiplyInTiles(factorsOf(panel, data, first), groupsOfTile, sums);
}

} // namespace npu::kernels
