// SPDX-License-Identifier: Apache-2.0
//
// Products of floats with packed weights: a panel of columns becomes floats in
// scratch, some of its depth at a time, all rows are multiplied by it, and the
// fused instructions run on the sums of a few rows while they are warm. Few
// rows are multiplied by numbers that never leave the registers.

#include "kernels/matmul/as_product.h"
#include "kernels/matmul/packed_weights.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

/// Depth that is unpacked at once: with the sums within the second-level cache.
constexpr int64_t depthAtOnce = 512;
/// Rows whose sums wait for the rest of the depth.
constexpr int64_t rowsAtOnce = 256;
/// Multiply-adds that are worth waking another thread for.
constexpr int64_t minWorkPerThread = 32 * 1024;

namespace {

class MatmulPacked : public Kernel {
public:
  /// `product`: with packed numbers, or narrow ones.
  explicit MatmulPacked(Product p)
      : product(std::move(p)), problem(product.problem), data(product.data),
        weights(weightsOf(product)), result(problem) {}

  /// False with a reason where an operand cannot be read row by row.
  bool prepare(std::string &whyNot) { return result.prepare(whyNot); }

  std::string implementation() const override { return "native:packed"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(problem.threads) * threadBytes();
  }

  bool readsNarrow() const override { return product.isNarrow; }
  size_t pack(const void *const *operands) override {
    if (product.isNarrow)
      return weights.pack(*problem.narrow, product.order(), product.down,
                          product.across, problem.threads);
    return weights.pack(problem, operands);
  }
  bool isPacked(size_t input) const override {
    const int end = product.isPacked ? properInputs(problem) : 2;
    return input >= 1 && static_cast<int>(input) < end;
  }

  int run(void *const *operands, void *scratch) const override {
    const auto rows = static_cast<int64_t>(data.at.size());
    const int64_t columns =
        problem.outputs[0].dims[problem.outputs[0].rank - 1];
    const int team = teamFor(rows * weights.depth() * columns, minWorkPerThread,
                             problem.threads);
    // Panels are unpacked once if they go round, else by each thread.
    const bool isDivided =
        weights.panels() < 2 * team && weights.panels() % team != 0;
    const int64_t parts = isDivided && rows > strip ? team : 1;
    parallelFor(team, [&](int thread, int threads) {
      char *own = static_cast<char *>(scratch) +
                  static_cast<size_t>(thread) * threadBytes();
      Range range = shareOf(weights.panels() * parts, thread, threads);
      for (int64_t i = range.begin; i < range.end; ++i) {
        Range share =
            shareOf(rows, static_cast<int>(i % parts), static_cast<int>(parts));
        for (int64_t row = share.begin; row < share.end; row += rowsAtOnce)
          runPanel(operands, own, i / parts,
                   {row, std::min(row + rowsAtOnce, share.end)});
      }
    });
    return 0;
  }

private:
  static PackedWeights weightsOf(const Product &product) {
    if (product.isNarrow)
      return {*product.problem.narrow, product.depth, product.columns};
    return PackedWeights(product.problem);
  }
  size_t unpackedBytes() const {
    return sizeof(float) * static_cast<size_t>(panelColumns) *
           static_cast<size_t>(std::min(depthAtOnce, weights.depth()));
  }
  size_t sumBytes() const {
    auto rows = static_cast<int64_t>(data.at.size());
    return sizeof(float) * static_cast<size_t>(panelColumns) *
           static_cast<size_t>(std::min(rowsAtOnce, rows + strip));
  }
  size_t threadBytes() const {
    return result.valueBytes() + unpackedBytes() + sumBytes();
  }

  DataRows rowsFrom(void *const *operands, int64_t row, int64_t end,
                    int64_t depth) const {
    DataRows from = {};
    from.step = data.step;
    from.count = std::min(strip, end - row);
    for (int64_t i = 0; i < from.count; ++i)
      from.rows[i] = static_cast<const float *>(operands[0]) +
                     data.at[static_cast<size_t>(row + i)] + depth * data.step;
    return from;
  }

  void runPanel(void *const *operands, char *own, int64_t panel,
                Range range) const {
    auto *unpacked = reinterpret_cast<float *>(own + result.valueBytes());
    float *sums = unpacked + unpackedBytes() / sizeof(float);
    result.begin(operands, own, panel);
    if (range.end - range.begin <= strip) {
      DataRows from = rowsFrom(operands, range.begin, range.end, 0);
      weights.multiply(panel, from, result.sumsIn(own));
      addBias(operands, panel, from.count, result.sumsIn(own));
      result.store(operands, own, panel, range.begin, from.count);
      return;
    }
    const int64_t depth = weights.depth();
    for (int64_t first = 0; first < depth; first += depthAtOnce) {
      const int64_t last = std::min(first + depthAtOnce, depth);
      weights.unpack(panel, first, last, unpacked);
      for (int64_t row = range.begin; row < range.end; row += strip) {
        DataRows from = rowsFrom(operands, row, range.end, first);
        float *to = sums + (row - range.begin) * panelColumns;
        multiplyPanel(unpacked, last - first, from, first == 0, to);
        if (last < depth)
          continue;
        std::copy(to, to + from.count * panelColumns, result.sumsIn(own));
        addBias(operands, panel, from.count, result.sumsIn(own));
        result.store(operands, own, panel, row, from.count);
      }
    }
  }

  /// Of a convolution; a product has it among its instructions.
  void addBias(void *const *operands, int64_t panel, int64_t count,
               float *sums) const {
    if (product.bias < 0)
      return;
    const int64_t first = panel * panelColumns,
                  last = std::min(first + panelColumns, product.columns);
    float bias[panelColumns];
    loadColumns(problem.inputs[static_cast<size_t>(product.bias)],
                operands[product.bias], {first, last}, bias);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t n = 0; n < last - first; ++n)
        sums[i * panelColumns + n] += bias[n];
  }

  Product product;
  const Problem &problem;
  const RowMap &data;
  PackedWeights weights;
  PanelResult result;
};

} // namespace

std::unique_ptr<Kernel> createMatmulPacked(const Problem &problem,
                                           std::string &whyNot) {
  Product product;
  if (hasPackedWeights(problem))
    packedAsProduct(problem, product, whyNot);
  else if (!problem.narrow)
    whyNot = "weights that are not packed";
  else if (asProduct(problem, product, whyNot) &&
           !(product.isNarrow && product.hasFewRows()))
    whyNot = "many rows, or weights that stay in floats";
  if (!whyNot.empty())
    return nullptr;
  auto made = std::make_unique<MatmulPacked>(std::move(product));
  return made->prepare(whyNot) ? std::move(made) : nullptr;
}

} // namespace npu::kernels
