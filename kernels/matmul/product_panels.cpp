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
#include <optional>
#include <xmmintrin.h>

namespace npu::kernels {

constexpr int64_t minProductsPerThread = 100000;
/// Rows of data that stay in the second-level cache while panels go by.
constexpr int64_t bytesOfRows = 384 * 1024;
/// Narrow weights are made real for so many rows at least, which takes some
/// hundredths of the time that these take to meet them.
constexpr int64_t fewestUnpackedRows = 192;
/// Weights of a window that are made real at once, and the rows whose sums wait
/// for the rest of them.
constexpr int64_t bytesAtOnce = 400 * 1024;
constexpr int64_t rowsWithSums = 512;
/// Weights of which every thread may have a copy in its caches; rows of each
/// thread for which it may fetch any number of them.
constexpr int64_t fewWeightBytes = 768 * 1024;
constexpr int64_t manyRows = 24;

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

/// Where rows begin. Mostly they are equally far from each other, and no list
/// of them has to be in a cache.
class RowPlaces {
public:
  RowPlaces() = default;
  explicit RowPlaces(std::vector<int64_t> places)
      : first(places.empty() ? 0 : places[0]),
        step(places.size() < 2 ? 0 : places[1] - places[0]) {
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i] != at(static_cast<int64_t>(i))) {
        listed = std::move(places);
        break;
      }
  }
  /// The step between rows, if there is one.
  std::optional<int64_t> oneStep() const {
    return listed.empty() ? std::optional(step) : std::nullopt;
  }
  int64_t at(int64_t row) const {
    return listed.empty() ? first + row * step
                          : listed[static_cast<size_t>(row)];
  }

private:
  int64_t first = 0, step = 0;
  std::vector<int64_t> listed;
};

/// The last tiles of a panel bring what is next into the second-level cache,
/// each a part of it: else the first tile there would wait for every line.
class Fetch {
public:
  /// `tile`: its depth is that of all.
  Fetch(Kernel::Bytes soon, const PanelTile &tile, int64_t tiles)
      : part(tile.runCount * tile.depth * line),
        count(static_cast<int64_t>(soon.count)), first(soon.first),
        at((std::min((count + part - 1) / part, tiles) - tiles) * part) {}

  /// Tiles before the first that brings anything.
  int64_t quiet() const { return at < 0 ? -at / part : 0; }
  void skip(int64_t tiles) { at += tiles * part; }

  /// What the next of the tiles brings.
  void take(PanelTile &tile) {
    const bool isSoon = at >= 0 && at < count;
    tile.next =
        isSoon ? reinterpret_cast<const float *>(first + at) : tile.weights;
    tile.nextStep = isSoon ? lanes : 0;
    at += part;
  }

private:
  static constexpr int64_t line = lanes * static_cast<int64_t>(sizeof(float));
  int64_t part, count;
  const char *first;
  int64_t at; ///< below 0: it is not its turn
};

} // namespace

namespace {
/// What some weights are, one bit for each.
enum Unusual : unsigned {
  Denormal = 1,  ///< smaller than the smallest normal number, but no zero
  NotFinite = 2, ///< or no number
};
} // namespace

static unsigned unusualOf(const float *numbers, int64_t count) {
  using Limits = std::numeric_limits<float>;
  bool isSmall = false, isFinite = true;
  for (int64_t i = 0; i < count; ++i) {
    const float size = std::fabs(numbers[i]);
    isSmall |= size > 0 && size < Limits::min();
    isFinite &= size <= Limits::max();
  }
  return (isSmall ? Denormal : 0U) | (isFinite ? 0U : NotFinite);
}

/// The product where denormal numbers count as zeros: some processors take 150
/// cycles for each operation that meets or makes one, and channels that
/// training left dead are full of them. The error is below 1e-38 of the data;
/// where infinities meet them, they count as what they are.
static void multiplyWithoutDenormals(PanelTile tile) {
  constexpr unsigned zeros = 0x8040; // of operands and results
  bool metInfinity = false;
  float begun[mostTileRows * panelColumns]; // is overwritten, perhaps
  if (tile.begun) {
    std::copy_n(tile.begun, tile.count * tile.width, begun);
    tile.begun = begun;
  }
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
  ProductPanels(Product p, PanelEpilogue e)
      : product(std::move(p)), epilogue(std::move(e)),
        chain(withInstrs(product.problem, epilogue.rest), product.columns),
        result(withInstrs(product.problem, epilogue.rest)),
        rows(product.rows()),
        panels((product.columns + panelColumns - 1) / panelColumns) {
    if (product.isPacked)
      stored = std::make_unique<PackedWeights>(product.problem);
    else if (product.isNarrow)
      stored = std::make_unique<PackedWeights>(*product.problem.narrow,
                                               product.depth, product.columns);
    planRuns();
  }

  bool prepare(std::string &whyNot) {
    const npu_tensor_desc &y = product.problem.outputs[0];
    RowMap places;
    if (!mapRows(y, y, places) || (places.step != 1 && product.columns != 1)) {
      whyNot = "results whose rows have no one step";
      return false;
    }
    if (!chain.isOne() && !result.prepare(whyNot))
      return false;
    if (product.windows.rows() > 0) {
      const std::vector<int64_t> order = product.windows.takeOrder();
      result.reorder(order);
      reorder(places, order);
      reorder(epilogue.addedRows, order);
    }
    dataRows = RowPlaces(std::move(product.data.at));
    resultRows = RowPlaces(std::move(places.at));
    addedRows = RowPlaces(std::move(epilogue.addedRows.at));
    return true;
  }

  std::string implementation() const override { return "native:panels"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(product.problem.threads) * threadBytes();
  }

  bool readsNarrow() const override { return product.isNarrow; }

  size_t pack(const void *const *operands) override {
    if (product.isNarrow)
      return packNarrow();
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
          numbers[floats] = static_cast<float>(packPanels(from, numbers));
          return true;
        },
        made);
    if (packed)
      meet(static_cast<unsigned>(
          static_cast<const float *>(packed.get())[floats]));
    return made;
  }

  bool isPacked(size_t input) const override {
    const int end = product.isPacked ? properInputs(product.problem) : 2;
    return isReady() && input >= 1 && static_cast<int>(input) < end;
  }

  Bytes readsFirst(int thread) const override {
    const int threads = team();
    if (!isReady() || thread >= threads)
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
  /// What is read of a panel, the first runs of it.
  Bytes bytesOf(int64_t panel) const {
    if (panel >= panels)
      return {};
    if (stored)
      return stored->bytesOf(panel, 0, runsAtOnce * runDepth);
    return {reinterpret_cast<const char *>(weightsOf(panel)),
            static_cast<size_t>(widthOf(panel) * product.depth) *
                sizeof(float)};
  }

  /// Of Problem::narrow; returns the bytes.
  size_t packNarrow() {
    const Problem &p = product.problem;
    const size_t made = stored->pack(*p.narrow, product.order(), product.down,
                                     product.across, p.threads);
    const bool isFinite = product.windows.rows() == 0 || areFinite(*p.narrow);
    meet((stored->hasDenormals() ? Denormal : 0U) |
         (isFinite ? 0U : NotFinite));
    return made;
  }

  void meet(unsigned unusual) {
    // A result in place of a summand cannot be computed twice.
    meetsDenormals =
        product.problem.inPlaceInput < 0 && (unusual & Denormal) != 0;
    // Zeros stand for padding where rows of a tile differ in it.
    meetsAlone = product.windows.rows() > 0 && (unusual & NotFinite) != 0;
  }

  /// How many runs of a window have their weights unpacked at once.
  void planRuns() {
    runs = std::max<int64_t>(product.windows.count(), 1);
    runDepth = product.depth / runs;
    const int64_t bytes =
        runDepth * panelColumns * static_cast<int64_t>(sizeof(float));
    const int64_t most =
        stored ? std::clamp<int64_t>(bytesAtOnce / bytes, 1, runs) : runs;
    const int64_t parts = (runs + most - 1) / most;
    runsAtOnce = (runs + parts - 1) / parts;
  }
  int64_t rowsAtOnce() const {
    if (runsAtOnce < runs)
      return rowsWithSums;
    const int64_t row =
        product.windows.rows() > 0
            ? std::max<int64_t>(storedBytes(product.problem.inputs[0]) / rows,
                                1)
            : product.depth * static_cast<int64_t>(sizeof(float));
    return std::max<int64_t>(bytesOfRows / row,
                             stored ? fewestUnpackedRows : 6 * mostTileRows);
  }

  size_t valueBytes() const {
    if (epilogue.rest.empty())
      return 0;
    return aligned(chain.isOne() ? chain.valueBytes() : result.valueBytes());
  }
  size_t unpackedBytes() const {
    const auto floats =
        static_cast<size_t>(stored ? panelColumns * runsAtOnce * runDepth : 0);
    return aligned(floats * sizeof(float));
  }
  size_t sumBytes() const {
    const auto floats = static_cast<size_t>(
        runsAtOnce < runs ? panelColumns * std::min(rowsWithSums, rows) : 0);
    return aligned(floats * sizeof(float));
  }
  size_t locatedBytes() const {
    return aligned(static_cast<size_t>(runsAtOnce) * sizeof(RunOfRows));
  }
  /// The values, some of a panel of packed numbers, sums that are not finished,
  /// where the runs of some rows lie.
  size_t threadBytes() const {
    return valueBytes() + unpackedBytes() + sumBytes() + locatedBytes();
  }
  int64_t columnsOf(int64_t panel) const {
    return std::min(panelColumns, product.columns - panel * panelColumns);
  }
  Range rangeOf(int64_t panel) const {
    const int64_t first = panel * panelColumns;
    return {first, first + columnsOf(panel)};
  }
  int64_t widthOf(int64_t panel) const { return panelWidth(columnsOf(panel)); }

  /// Some rows of a panel of a packed matrix, as wide as a tile reads them.
  void unpack(int64_t panel, Range depth, float *to) const {
    const int64_t width = widthOf(panel), count = depth.end - depth.begin;
    stored->unpack(panel, depth.begin, depth.end, to);
    for (int64_t k = 1; width < panelColumns && k < count; ++k)
      std::copy_n(to + k * panelColumns, width, to + k * width);
  }

  /// Returns what is Unusual.
  unsigned packPanels(const float *from, float *to) const {
    std::atomic<unsigned> any{0};
    parallelFor(product.problem.threads, [&](int thread, int threads) {
      Range range = shareOf(panels, thread, threads);
      for (int64_t panel = range.begin; panel < range.end; ++panel) {
        float *packing = to + panel * panelColumns * product.depth;
        packPanel(from, panel, packing);
        any |= unusualOf(packing, widthOf(panel) * product.depth);
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
    return panel * rows + rowAt((work - panel * whole) / widthOf(panel));
  }

  /// What is some of all rows, by the time that they take.
  int64_t rowAt(int64_t part) const {
    return product.windows.rows() > 0 ? product.windows.windowAt(part) : part;
  }

  /// Threads share rows where each can have all weights in its caches, there is
  /// more data than weights, or weights meet so many rows that fetching them
  /// takes no time; else panels. Rows stay with the core that made them.
  Share share(int thread, int threads) const {
    const int64_t row = product.depth * static_cast<int64_t>(sizeof(float)),
                  data = product.windows.rows() > 0
                             ? storedBytes(product.problem.inputs[0])
                             : rows * row;
    const bool isByRows =
        rows >= threads * (stored ? fewestUnpackedRows : mostTileRows) &&
        ((!stored && rows >= threads * manyRows) ||
         product.columns * row <= std::max(data, fewWeightBytes));
    if (isByRows) {
      Range range = shareOf(rows, thread, threads);
      range = {rowAt(range.begin), rowAt(range.end)};
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
    const int64_t some = mine.isBlock ? mine.lastRow - mine.firstRow : rows,
                  parts = (some + rowsAtOnce() - 1) / rowsAtOnce();
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t first = some * part / parts,
                    last = some * (part + 1) / parts;
      for (int64_t panel = mine.firstPanel; panel <= mine.lastPanel; ++panel) {
        Range range = mine.rowsOf(panel);
        if (mine.isBlock) {
          range.end = range.begin + last;
          range.begin += first;
        } else {
          range = {std::max(range.begin, first), std::min(range.end, last)};
        }
        if (range.begin >= range.end)
          continue;
        const bool isLast = panel == mine.lastPanel && part == parts - 1;
        runPanel(operands, values, panel, range,
                 isLast ? after : bytesOf(panel + 1));
      }
    }
  }

  /// `next`: what is read when this panel is done.
  void runPanel(void *const *operands, char *values, int64_t panel, Range range,
                Bytes next) const {
    PanelTile tile = {};
    tile.width = widthOf(panel);
    tile.columns = columnsOf(panel);
    tile.depth = runDepth;
    float numbers[3 * panelColumns];
    static_cast<TileEnd &>(tile) =
        endOf(product, epilogue, operands, rangeOf(panel), tile.width, numbers);
    if (!chain.isOne())
      result.begin(operands, values, panel);
    else
      chain.begin(operands, values, rangeOf(panel));
    for (int64_t run = 0; run < runs; run += runsAtOnce) {
      const Range which = {run, std::min(run + runsAtOnce, runs)},
                  behind = {which.end, std::min(which.end + runsAtOnce, runs)};
      runTiles(operands, values, panel, range, which,
               which.end < runs
                   ? stored->bytesOf(panel, behind.begin * runDepth,
                                     behind.end * runDepth)
                   : next,
               tile);
    }
  }

  /// Some runs of all rows, whose weights are made real first.
  void runTiles(void *const *operands, char *values, int64_t panel, Range range,
                Range which, Bytes next, PanelTile &tile) const {
    auto *unpacked = reinterpret_cast<float *>(values + valueBytes());
    auto *sums = unpacked + unpackedBytes() / sizeof(float);
    tile.weights = stored ? unpacked : weightsOf(panel);
    tile.runCount = which.end - which.begin;
    if (stored)
      unpack(panel, {which.begin * runDepth, which.end * runDepth}, unpacked);
    const int64_t most = meetsAlone      ? 1
                         : chain.isOne() ? tileRows(tile.width)
                                         : strip,
                  count = range.end - range.begin,
                  tiles = (count + most - 1) / most;
    // Divided once: a division takes as long as a short tile.
    const int64_t rowsEach = count / tiles, longer = count % tiles;
    Fetch fetch(next, tile, tiles);
    RunOfRows one;
    const int64_t whole = rowsEach == most       ? tiles
                          : rowsEach + 1 == most ? longer
                                                 : 0,
                  quick = hasSteps() && isForRows(tile)
                              ? std::min(fetch.quiet(), whole)
                              : 0;
    fetch.skip(quick);
    if (quick > 0)
      runWholeTiles(operands, panel, range.begin, quick, tile);
    int64_t row = range.begin + quick * most;
    for (int64_t t = quick; t < tiles; ++t) {
      const Range mine = {row, row + rowsEach + (t < longer ? 1 : 0)};
      float *own = sums + (row - range.begin) * tile.width;
      tile.begun = which.begin > 0 ? own : nullptr;
      tile.unfinished = which.end < runs ? own : nullptr;
      fetch.take(tile);
      if (product.windows.rows() > 0)
        locateRuns(operands, values, mine, which, tile);
      else
        locateRows(operands, mine, one, tile);
      runTile(operands, values, panel, mine, tile);
      row = mine.end;
    }
  }

  /// Whether many tiles may be one call: for short rows that of each takes as
  /// long as its products.
  bool hasSteps() const {
    return runs == 1 && product.windows.rows() == 0 && epilogue.rest.empty() &&
           !meetsDenormals && dataRows.oneStep() && resultRows.oneStep() &&
           (epilogue.added < 0 || addedRows.oneStep());
  }

  /// Before there is anything to fetch.
  void runWholeTiles(void *const *operands, int64_t panel, int64_t row,
                     int64_t tiles, PanelTile &tile) const {
    const int64_t first = panel * panelColumns;
    PanelRows all = {};
    all.data = static_cast<const float *>(operands[0]) + dataRows.at(row);
    all.dataStep = *dataRows.oneStep();
    all.results =
        static_cast<float *>(operands[product.problem.inputs.size()]) +
        resultRows.at(row) + first;
    all.resultStep = *resultRows.oneStep();
    if (epilogue.added >= 0) {
      all.added = static_cast<const float *>(operands[epilogue.added]) +
                  addedRows.at(row) + first;
      all.addedStep = *addedRows.oneStep();
    }
    all.tiles = tiles;
    multiplyRows(tile, all);
  }

  /// Where the data of a tile lies.
  void locateRuns(void *const *operands, char *values, Range range, Range which,
                  PanelTile &tile) const {
    auto *located = reinterpret_cast<RunOfRows *>(values + valueBytes() +
                                                  unpackedBytes() + sumBytes());
    product.windows.locate(static_cast<const float *>(operands[0]), range,
                           which, located);
    tile.runs = located;
  }
  void locateRows(void *const *operands, Range range, RunOfRows &one,
                  PanelTile &tile) const {
    const auto *data = static_cast<const float *>(operands[0]);
    for (int64_t row = range.begin; row < range.end; ++row)
      one[row - range.begin] = data + dataRows.at(row);
    tile.runs = &one;
  }

  void runTile(void *const *operands, char *values, int64_t panel, Range range,
               PanelTile &tile) const {
    const int64_t first = panel * panelColumns;
    auto *y = static_cast<float *>(operands[product.problem.inputs.size()]);
    float *to[mostTileRows];
    tile.count = range.end - range.begin;
    for (int64_t i = 0; i < tile.count; ++i) {
      const int64_t row = range.begin + i;
      if (epilogue.added >= 0)
        tile.added[i] = static_cast<const float *>(operands[epilogue.added]) +
                        addedRows.at(row) + first;
      to[i] = y + resultRows.at(row) + first;
      tile.results[i] = epilogue.rest.empty() ? to[i]
                        : chain.isOne()
                            ? chain.sumsIn(values, i, tile.columns)
                            : result.sumsIn(values) + i * panelColumns;
    }
    if (meetsDenormals)
      multiplyWithoutDenormals(tile);
    else
      multiplyTile(tile);
    if (tile.unfinished)
      return;
    if (!chain.isOne())
      result.store(operands, values, panel, range.begin, tile.count);
    else if (!epilogue.rest.empty())
      chain.run(values, tile.columns, tile.count, to);
  }

  Product product;
  PanelEpilogue epilogue;
  TileChain chain;    // the rest, if it is one
  PanelResult result; // else
  RowPlaces dataRows, resultRows, addedRows;
  int64_t rows, panels;
  int64_t runs, runDepth, runsAtOnce; ///< one run, if rows lie in one piece
  /// [panel][depth][width of the panel], then what is Unusual; or
  std::shared_ptr<void> packed;
  std::unique_ptr<PackedWeights> stored;
  bool meetsDenormals = false, meetsAlone = false; ///< each row of the data
  std::vector<Bytes> behind; // by thread: what the next kernel reads first
};
} // namespace

std::unique_ptr<Kernel> createProductPanels(const Problem &problem,
                                            std::string &whyNot) {
  Product product;
  if (!hasWideRegisters()) // elsewhere oneDNN's kernels are as fast
    whyNot = "a processor without registers of 512 bits";
  else if (asProduct(problem, product, whyNot) && product.hasFewRows())
    whyNot = "few rows";
  if (!whyNot.empty())
    return nullptr;
  PanelEpilogue epilogue = epilogueOf(product);
  auto made =
      std::make_unique<ProductPanels>(std::move(product), std::move(epilogue));
  return made->prepare(whyNot) ? std::move(made) : nullptr;
}

} // namespace npu::kernels
