// SPDX-License-Identifier: Apache-2.0
//
// A few rows times a constant matrix: encoders of short texts and small images.
// Such a product waits for its weights, so these lie in the order in which they
// are read, a run for each thread, and the fused instructions take the results
// of some columns while they are in the nearest cache.

#include "kernels/memory.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <new>

namespace npu::kernels {

constexpr int64_t fewestRows = 4, mostRows = 40;
/// Rows whose sums are in registers, and vectors of columns of each.
constexpr int64_t rowsAtOnce = 6, vectorsAtOnce = 2;
constexpr int64_t columnsAtOnce = vectorsAtOnce * lanes;
/// Columns that go through the fused instructions together.
constexpr int64_t panelColumns = 4 * columnsAtOnce;
static_assert(panelColumns <= rowLength);
constexpr int64_t minProductsPerThread = 100000;
/// Operands, the product and what instructions give.
constexpr size_t mostValues = 12;

namespace {
/// Rows of data `step` apart, and the weights of some columns.
struct Factors {
  const float *data, *weights;
  int64_t step, length;
};

template <int64_t Rows>
NPU_INLINE void multiply(const Factors &f, float *sums) {
  Vector sum[Rows][vectorsAtOnce] = {};
  for (int64_t k = 0; k < f.length; ++k) {
    const float *weights = f.weights + k * columnsAtOnce;
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < vectorsAtOnce; ++v)
        sum[r][v] += f.data[r * f.step + k] * loadVector(weights + v * lanes);
  }
  for (int64_t r = 0; r < Rows; ++r)
    std::memcpy(sums + r * panelColumns, sum[r], sizeof(sum[r]));
}
} // namespace

/// `count` rows, at most rowsAtOnce.
static NPU_WIDE_CLONES void multiplyRows(const Factors &factors, int64_t count,
                                         float *sums) {
  switch (count) {
  case 1:
    return multiply<1>(factors, sums);
  case 2:
    return multiply<2>(factors, sums);
  case 3:
    return multiply<3>(factors, sums);
  case 4:
    return multiply<4>(factors, sums);
  case 5:
    return multiply<5>(factors, sums);
  default:
    return multiply<rowsAtOnce>(factors, sums);
  }
}

namespace {
/// How an operand of the fused instructions goes with the result.
enum class Fits { one, columns, whole, none };
} // namespace

static Fits fitOf(const npu_tensor_desc &operand, const npu_tensor_desc &y) {
  if (operand.dtype != NPU_F32 || operand.block_count)
    return Fits::none;
  if (elementCount(operand) == 1)
    return Fits::one;
  const int64_t columns = y.dims[y.rank - 1];
  if (elementCount(operand) == columns &&
      operand.dims[operand.rank - 1] == columns)
    return Fits::columns;
  return sameStorage(operand, y) ? Fits::whole : Fits::none;
}

namespace {
class MatmulRows : public Kernel {
public:
  explicit MatmulRows(const Problem &p)
      : chain(p.instrs), weightDesc(p.inputs[1]), inputs(p.inputs.size()),
        threads(p.threads) {
    const npu_tensor_desc &y = p.outputs[0];
    columns = y.dims[y.rank - 1];
    rows = elementCount(y) / columns;
    length = weightDesc.dims[weightDesc.rank - 2];
    blocks = (columns + columnsAtOnce - 1) / columnsAtOnce;
    for (size_t i = 2; i < inputs; ++i)
      fits.push_back(fitOf(p.inputs[i], y));
  }

  std::string implementation() const override { return "native:few_rows"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(threads * rows * panelColumns) * sizeof(float);
  }

  size_t pack(const void *const *operands) override {
    const int64_t count = blocks * length * columnsAtOnce;
    const auto bytes = static_cast<size_t>(count) * sizeof(float);
    packed = allocate(bytes);
    if (!packed)
      throw std::bad_alloc();
    const auto *from = static_cast<const float *>(operands[1]);
    auto *to = static_cast<float *>(packed.get());
    std::fill_n(to, count, 0.0f);
    Strides steps = stridesOf(weightDesc);
    const int64_t down = steps.outer[weightDesc.rank - 2],
                  across = steps.outer[weightDesc.rank - 1];
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t k = 0; k < length; ++k)
        to[(c / columnsAtOnce * length + k) * columnsAtOnce +
           c % columnsAtOnce] = from[k * down + c * across];
    return bytes;
  }

  bool isPacked(size_t input) const override { return input == 1 && packed; }

  int run(void *const *operands, void *scratch) const override {
    if (!packed)
      return 1;
    int team = teamFor(rows * columns * length, minProductsPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      float *room =
          static_cast<float *>(scratch) + thread * rows * panelColumns;
      Range range = shareOf(blocks, thread, count);
      constexpr int64_t most = panelColumns / columnsAtOnce;
      for (int64_t block = range.begin; block < range.end; block += most)
        onePanel(operands, {block, std::min(block + most, range.end)}, room);
    });
    return 0;
  }

private:
  void onePanel(void *const *operands, Range range, float *sums) const {
    const auto *data = static_cast<const float *>(operands[0]);
    const auto *weights = static_cast<const float *>(packed.get());
    for (int64_t block = range.begin; block < range.end; ++block)
      for (int64_t row = 0; row < rows; row += rowsAtOnce)
        multiplyRows({data + row * length,
                      weights + block * length * columnsAtOnce, length, length},
                     std::min(rowsAtOnce, rows - row),
                     sums + row * panelColumns +
                         (block - range.begin) * columnsAtOnce);
    const int64_t first = range.begin * columnsAtOnce,
                  end = std::min(range.end * columnsAtOnce, columns);
    auto *y = static_cast<float *>(operands[inputs]) + first;
    if (chain.empty())
      for (int64_t row = 0; row < rows; ++row)
        std::copy_n(sums + row * panelColumns, end - first, y + row * columns);
    else
      runChain(operands, {first, end}, sums, y);
  }

  /// The fused instructions on some columns of all rows.
  void runChain(void *const *operands, Range some, const float *sums,
                float *y) const {
    Row values[mostValues];
    const int64_t n = some.end - some.begin;
    auto operand = [&](size_t i) {
      return static_cast<const float *>(operands[i]);
    };
    for (size_t i = 2; i < inputs; ++i)
      if (fits[i - 2] == Fits::one)
        std::fill_n(values[i].f, n, operand(i)[0]);
      else if (fits[i - 2] == Fits::columns)
        std::copy_n(operand(i) + some.begin, n, values[i].f);
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 2; i < inputs; ++i)
        if (fits[i - 2] == Fits::whole)
          std::copy_n(operand(i) + row * columns + some.begin, n, values[i].f);
      std::copy_n(sums + row * panelColumns, n, values[inputs].f);
      size_t made = inputs;
      for (const npu_instr &instr : chain)
        interpret(instr, NPU_F32, &values[instr.a], valueOf(values, instr.b),
                  valueOf(values, instr.c), &values[++made],
                  static_cast<int>(n));
      std::copy_n(values[made].f, n, y + row * columns);
    }
  }

  static const Row *valueOf(const Row *values, int64_t index) {
    return index < 0 ? nullptr : values + index;
  }

  std::vector<npu_instr> chain;
  std::vector<Fits> fits; // of the inputs behind the second
  npu_tensor_desc weightDesc;
  size_t inputs;
  int threads;
  int64_t rows, columns, length, blocks;
  std::shared_ptr<void> packed; // by blocks of columns, rows, columns
};
} // namespace

static bool isPlainF32(const npu_tensor_desc &tensor) {
  return tensor.dtype == NPU_F32 &&
         sameStorage(tensor, makeTensor(NPU_F32, tensor.dims, tensor.rank));
}

static bool isOneMatrix(const npu_tensor_desc &tensor) {
  return tensor.rank >= 2 &&
         elementCount(tensor) ==
             tensor.dims[tensor.rank - 2] * tensor.dims[tensor.rank - 1];
}

static bool takesChain(const Problem &problem) {
  const auto &inputs = problem.inputs;
  bool isAll = inputs.size() + 1 + problem.instrs.size() <= mostValues;
  for (size_t i = 2; i < inputs.size(); ++i)
    isAll &= fitOf(inputs[i], problem.outputs[0]) != Fits::none;
  for (const npu_instr &instr : problem.instrs)
    for (int64_t value : {instr.a, instr.b, instr.c})
      isAll &= instr.dtype == NPU_F32 && (value < 0 || value >= 2);
  return isAll;
}

std::unique_ptr<Kernel> createMatmulRows(const Problem &problem,
                                         std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const int64_t count = elementCount(y),
                columns = y.rank ? y.dims[y.rank - 1] : 0;
  if (!isPlainF32(x) || !isPlainF32(y) || w.dtype != NPU_F32)
    whyNot = "not f32 in row-major order";
  else if (count == 0 || elementCount(x) == 0 || x.rank < 2 || y.rank < 2)
    whyNot = "nothing to compute";
  else if (count / columns < fewestRows || count / columns > mostRows)
    whyNot = "more than a few rows, or fewer";
  else if (w.block_count || !isOneMatrix(w) || !problem.isConstant(1))
    whyNot = "a second factor that cannot be packed";
  else if (problem.inPlaceInput == 0)
    whyNot = "a result in place of the data";
  else if (!takesChain(problem))
    whyNot = "a fused chain of other operands";
  return whyNot.empty() ? std::make_unique<MatmulRows>(problem) : nullptr;
}

} // namespace npu::kernels
