// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats times a constant matrix: matrix products, and convolutions
// whose windows lie in one piece. The matrix lies in panels of columns, in the
// order in which they are read; a few rows at a time meet a whole panel while
// their sums are in registers, where biases, residuals and bounds are put on.
// Other fused instructions take the sums of a few rows while they are warm.
// Panels of a packed matrix become floats in scratch when rows meet them.

#include "kernels/matmul/packed_weights.h"
#include "kernels/matmul/panel_epilogue.h"
#include "kernels/matmul/tile_chain.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <xmmintrin.h>

namespace npu::kernels {

constexpr int64_t minProductsPerThread = 100000;
/// Rows of data that stay in the second-level cache while panels go by.
constexpr int64_t bytesOfRows = 384 * 1024;
/// Of narrow weights each thread makes the panels that it meets real, so it
/// takes all its rows at once, and others' too, up to so much data: then each
/// panel is made once.
constexpr int64_t bytesOfAllRows = 1536 * 1024;
/// Weights of which every thread may have a copy in its caches.
constexpr int64_t fewWeightBytes = 768 * 1024;

namespace {

/// Panels with a range of rows, and who has which: all panels some rows, or
/// some panels all rows, but for the first and the last.
struct Share {
  int64_t firstPanel, firstRow; // inclusive
  int64_t lastPanel, lastRow;   // the last row exclusive
  bool isBlock;                 // the same rows of all panels
  int64_t rows;

  Range rowsOf(int64_t panel) const {
    return {isBlock || panel == firstPanel ? firstRow : 0,
            isBlock || panel == lastPanel ? lastRow : rows};
  }
};

} // namespace

/// Whether any is smaller than the smallest normal number, but no zero.
static bool anyIsDenormal(const float *numbers, int64_t count) {
  bool any = false;
  for (int64_t i = 0; i < count; ++i) {
    float size = std::fabs(numbers[i]);
    any |= size > 0 && size < std::numeric_limits<float>::min();
  }
  return any;
}

/// The product where denormal numbers count as zeros: some processors take 150
/// cycles for each operation that meets or makes one, and channels that
/// training left dead are full of them. The error is below 1e-38 of the data;
/// where infinities meet them, they count as what they are.
static void multiplyWithoutDenormals(const PanelTile &tile) {
  constexpr unsigned zeros = 0x8040; // of operands and results
  bool metInfinity = false;
  {
    FloatStateScope during(plainFloatState | zeros);
    multiplyTile(tile);
    metInfinity = (_mm_getcsr() & _MM_EXCEPT_INVALID) != 0;
  }
  if (metInfinity)
    multiplyTile(tile);
}

static Problem withInstrs(Problem problem, std::vector<npu_instr> instrs) {
  problem.instrs = std::move(instrs);
  return problem;
}

namespace {
class ProductPanels : public Kernel {
public:
  ProductPanels(Product p, Epilogue e)
      : product(std::move(p)), epilogue(std::move(e)),
        chain(withInstrs(product.problem, epilogue.rest), product.columns),
        result(withInstrs(product.problem, epilogue.rest)),
        rows(static_cast<int64_t>(product.data.at.size())),
        panels((product.columns + panelColumns - 1) / panelColumns) {
    if (product.isPacked)
      stored = std::make_unique<PackedWeights>(product.problem);
  }

  bool prepare(std::string &whyNot) {
    mapRows(product.problem.outputs[0], product.problem.outputs[0], places);
    return result.prepare(whyNot);
  }

  std::string implementation() const override { return "native:panels"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(product.problem.threads) * threadBytes();
  }

  size_t pack(const void *const *operands) override {
    if (stored)
      return stored->pack(product.problem, operands);
    int64_t floats = 0;
    for (int64_t panel = 0; panel < panels; ++panel)
      floats += widthOf(panel) * product.depth;
    const auto *from = static_cast<const float *>(operands[1]);
    const std::string order = "panels, op " +
                              std::to_string(product.problem.op) + ", " +
                              describe(product.problem.inputs[1]);
    size_t made = 0;
    packed = packOnce(
        from, order, static_cast<size_t>(floats + lanes) * sizeof(float),
        [&](void *to) {
          auto *numbers = static_cast<float *>(to);
          numbers[floats] = packPanels(from, numbers) ? 1 : 0;
          return true;
        },
        made);
    // A result in place of a summand cannot be computed twice.
    meetsDenormals = packed && product.problem.inPlaceInput < 0 &&
                     static_cast<const float *>(packed.get())[floats] != 0;
    return made;
  }

  bool isPacked(size_t input) const override {
    const int end = stored ? properInputs(product.problem) : 2;
    return isReady() && input >= 1 && static_cast<int>(input) < end;
  }

  Bytes readsFirst(int thread) const override {
    const int threads = team();
    if (!packed || thread >= threads)
      return {};
    return bytesOf(share(thread, threads).firstPanel);
  }

  void announce(const Kernel &next) override {
    for (int thread = 0; thread < product.problem.threads; ++thread)
      behind.push_back(next.readsFirst(thread));
  }

  int run(void *const *operands, void *scratch) const override {
    if (!isReady())
      return 1;
    parallelFor(team(), [&](int thread, int threads) {
      const auto number = static_cast<size_t>(thread);
      runShare(operands, static_cast<char *>(scratch) + number * threadBytes(),
               share(thread, threads),
               behind.empty() ? Bytes() : behind[number]);
    });
    return 0;
  }

private:
  bool isReady() const {
    return stored ? stored->isPacked() : packed != nullptr;
  }
  int team() const {
    return teamFor(rows * product.columns * product.depth, minProductsPerThread,
                   product.problem.threads);
  }
  const float *weightsOf(int64_t panel) const {
    return static_cast<const float *>(packed.get()) +
           panel * panelColumns * product.depth;
  }
  Bytes bytesOf(int64_t panel) const {
    if (panel >= panels || stored)
      return {};
    return {reinterpret_cast<const char *>(weightsOf(panel)),
            static_cast<size_t>(widthOf(panel) * product.depth) *
                sizeof(float)};
  }

  size_t valueBytes() const {
    if (epilogue.rest.empty())
      return 0;
    return aligned(chain.isOne() ? chain.valueBytes() : result.valueBytes());
  }
  /// Behind the values, a panel of a packed matrix.
  size_t threadBytes() const {
    const auto floats =
        static_cast<size_t>(stored ? panelColumns * product.depth : 0);
    return valueBytes() + aligned(floats * sizeof(float));
  }
  int64_t columnsOf(int64_t panel) const {
    return std::min(panelColumns, product.columns - panel * panelColumns);
  }
  Range rangeOf(int64_t panel) const {
    const int64_t first = panel * panelColumns;
    return {first, first + columnsOf(panel)};
  }
  int64_t widthOf(int64_t panel) const { return panelWidth(columnsOf(panel)); }

  /// A panel of a packed matrix, its rows as wide as a tile reads them.
  void unpack(int64_t panel, float *to) const {
    const int64_t width = widthOf(panel);
    stored->unpack(panel, 0, product.depth, to);
    for (int64_t k = 1; width < panelColumns && k < product.depth; ++k)
      std::copy_n(to + k * panelColumns, width, to + k * width);
  }

  /// Returns whether any number is denormal.
  bool packPanels(const float *from, float *to) const {
    std::atomic<bool> any{false};
    parallelFor(product.problem.threads, [&](int thread, int threads) {
      Range range = shareOf(panels, thread, threads);
      for (int64_t panel = range.begin; panel < range.end; ++panel) {
        float *packing = to + panel * panelColumns * product.depth;
        packPanel(from, panel, packing);
        if (anyIsDenormal(packing, widthOf(panel) * product.depth))
          any = true;
      }
    });
    return any;
  }

  void packPanel(const float *from, int64_t panel, float *to) const {
    const int64_t count = columnsOf(panel), width = widthOf(panel);
    if (count < width)
      std::fill_n(to, product.depth * width, 0.0f);
    from += panel * panelColumns * product.across;
    // Some rows at once: a weight by columns has those of one next to each
    // other.
    constexpr int64_t together = 16;
    for (int64_t first = 0; first < product.depth; first += together)
      for (int64_t c = 0; c < count; ++c)
        for (int64_t k = first; k < std::min(first + together, product.depth);
             ++k)
          to[k * width + c] =
              from[product.down[static_cast<size_t>(k)] + c * product.across];
  }

  /// Where the part of a thread begins, in rows of one panel after the other: a
  /// narrow last panel is less work.
  int64_t placeOf(int thread, int threads) const {
    const int64_t whole = rows * panelColumns, before = panels - 1,
                  all = before * whole + rows * widthOf(before),
                  work = all * thread / threads,
                  panel = std::min(work / whole, before);
    return panel * rows + (work - panel * whole) / widthOf(panel);
  }

  /// Threads share rows where each can have all weights in its caches, or there
  /// is more data than weights; else panels.
  Share share(int thread, int threads) const {
    const int64_t row = product.depth * static_cast<int64_t>(sizeof(float)),
                  data = rows * row;
    const bool isByRows =
        rows >= threads * mostTileRows &&
        (stored ? data > bytesOfAllRows
                : product.columns * row <= std::max(data, fewWeightBytes));
    if (isByRows) {
      Range range = shareOf(rows, thread, threads);
      return {0, range.begin, panels - 1, range.end, true, rows};
    }
    const Range range = {placeOf(thread, threads),
                         placeOf(thread + 1, threads)};
    const int64_t last = range.end > range.begin ? range.end - 1 : range.begin;
    return {range.begin / rows,
            range.begin % rows,
            last / rows,
            range.end - last / rows * rows,
            false,
            rows};
  }

  /// `after`: what this thread reads when the kernel is done.
  void runShare(void *const *operands, char *values, const Share &mine,
                Bytes after) const {
    const int64_t row = product.depth * static_cast<int64_t>(sizeof(float));
    const int64_t together =
        stored ? rows : std::max<int64_t>(bytesOfRows / row, 6 * mostTileRows);
    for (int64_t first = 0; first < rows; first += together)
      for (int64_t panel = mine.firstPanel; panel <= mine.lastPanel; ++panel) {
        Range range = mine.rowsOf(panel);
        if (mine.isBlock) {
          range.begin += first;
          range.end = std::min(range.end, range.begin + together);
        } else {
          range = {std::max(range.begin, first),
                   std::min(range.end, first + together)};
        }
        if (range.begin >= range.end)
          continue;
        const bool isLast = panel == mine.lastPanel && first + together >= rows;
        runPanel(operands, values, panel, range,
                 isLast ? after : bytesOf(panel + 1));
      }
  }

  /// The numbers of a panel's columns; `otherwise` without the operand.
  void loadShared(void *const *operands, int operand, int64_t panel,
                  float otherwise, float *to) const {
    if (operand < 0)
      std::fill_n(to, columnsOf(panel), otherwise);
    else
      loadColumns(product.problem.inputs[static_cast<size_t>(operand)],
                  operands[operand], rangeOf(panel), to);
  }

  /// `next`: what is read when this panel is done.
  void runPanel(void *const *operands, char *values, int64_t panel, Range range,
                Bytes next) const {
    PanelTile tile = {};
    tile.width = widthOf(panel);
    tile.columns = columnsOf(panel);
    tile.depth = product.depth;
    auto *unpacked = reinterpret_cast<float *>(values + valueBytes());
    if (stored)
      unpack(panel, unpacked);
    tile.weights = stored ? unpacked : weightsOf(panel);
    tile.least = epilogue.least;
    tile.most = epilogue.most;
    tile.activation = epilogue.activation;
    tile.alpha = epilogue.alpha;
    tile.beta = epilogue.beta;
    float bias[panelColumns] = {}, factors[panelColumns] = {},
          summands[panelColumns] = {};
    loadShared(operands, epilogue.bias, panel, 0, bias);
    tile.bias = bias;
    if (epilogue.factors >= 0 || epilogue.summands >= 0) {
      loadShared(operands, epilogue.factors, panel, 1, factors);
      loadShared(operands, epilogue.summands, panel, 0, summands);
      tile.factors = factors;
      tile.summands = summands;
    }
    if (!chain.isOne())
      result.begin(operands, values, panel);
    else
      chain.begin(operands, values, rangeOf(panel));
    const int64_t most = chain.isOne() ? tileRows(tile.width) : strip,
                  count = range.end - range.begin,
                  tiles = (count + most - 1) / most;
    for (int64_t t = 0; t < tiles; ++t) {
      fetchNext(next, t, tiles, tile);
      runTile(operands, values, panel,
              {range.begin + count * t / tiles,
               range.begin + count * (t + 1) / tiles},
              tile);
    }
  }

  /// The last tiles of a panel bring what is next into the second-level cache,
  /// each a part of it: else the first tile there would wait for every line.
  void fetchNext(Bytes next, int64_t number, int64_t tiles,
                 PanelTile &tile) const {
    constexpr int64_t line = lanes * static_cast<int64_t>(sizeof(float));
    const auto count = static_cast<int64_t>(next.count);
    const int64_t part = product.depth * line,
                  parts = std::min((count + part - 1) / part, tiles),
                  at = (number - (tiles - parts)) * part;
    const bool isSoon = at >= 0 && at < count;
    tile.next = isSoon ? reinterpret_cast<const float *>(next.first + at)
                       : tile.weights;
    tile.nextStep = isSoon ? lanes : 0;
  }

  void runTile(void *const *operands, char *values, int64_t panel, Range range,
               PanelTile &tile) const {
    const auto *data = static_cast<const float *>(operands[0]);
    const int64_t first = panel * panelColumns;
    auto *y = static_cast<float *>(operands[product.problem.inputs.size()]);
    float *to[mostTileRows];
    tile.count = range.end - range.begin;
    for (int64_t i = 0; i < tile.count; ++i) {
      const auto row = static_cast<size_t>(range.begin + i);
      tile.rows[i] = data + product.data.at[row];
      if (epilogue.added >= 0)
        tile.added[i] = static_cast<const float *>(operands[epilogue.added]) +
                        epilogue.addedRows.at[row] + first;
      to[i] = y + places.at[row] + first;
      tile.results[i] = epilogue.rest.empty() ? to[i]
                        : chain.isOne()
                            ? chain.sumsIn(values, i, tile.columns)
                            : result.sumsIn(values) + i * panelColumns;
    }
    if (meetsDenormals)
      multiplyWithoutDenormals(tile);
    else
      multiplyTile(tile);
    if (!chain.isOne())
      result.store(operands, values, panel, range.begin, tile.count);
    else if (!epilogue.rest.empty())
      chain.run(values, tile.columns, tile.count, to);
  }

  Product product;
  Epilogue epilogue;
  TileChain chain;    // the rest, if it is one
  PanelResult result; // else
  RowMap places;      // of the result
  int64_t rows, panels;
  /// [panel][depth][width of the panel], then 1 if any is denormal; or
  std::shared_ptr<void> packed;
  std::unique_ptr<PackedWeights> stored;
  bool meetsDenormals = false;
  std::vector<Bytes> behind; // by thread: what the next kernel reads first
};
} // namespace

/// Elsewhere oneDNN's kernels are as fast.
static bool hasWideRegisters() {
  static const bool has = __builtin_cpu_supports("x86-64-v4") != 0;
  return has;
}

std::unique_ptr<Kernel> createProductPanels(const Problem &problem,
                                            std::string &whyNot) {
  Product product;
  const int inPlace = problem.inPlaceInput;
  if (!hasWideRegisters())
    whyNot = "a processor without registers of 512 bits";
  else if (inPlace >= 0 &&
           (inPlace < properInputs(problem) ||
            !sameStorage(problem.inputs[static_cast<size_t>(inPlace)],
                         problem.outputs[0])))
    whyNot = "a result in place of a factor";
  else if (problem.outputs[0].dtype != NPU_F32 && problem.instrs.empty())
    whyNot = "a result that is not f32";
  else
    asProduct(problem, product, whyNot);
  if (!whyNot.empty())
    return nullptr;
  Epilogue epilogue = epilogueOf(product);
  auto made =
      std::make_unique<ProductPanels>(std::move(product), std::move(epilogue));
  return made->prepare(whyNot) ? std::move(made) : nullptr;
}

} // namespace npu::kernels
