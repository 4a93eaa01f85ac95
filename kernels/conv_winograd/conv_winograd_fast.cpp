// SPDX-License-Identifier: Apache-2.0
//
// Winograd's convolution of channels-last f32. Tiles of the result are taken in
// blocks: their data goes to the points, one product of matrices per point (our
// own, or oneDNN's), the products go back to results. A block is so small that
// what it holds at the points stays in a core's cache between the three steps.

#include "kernels/conv_winograd/epilogue.h"
#include "kernels/conv_winograd/point_products.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/reference.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace npu::kernels {

namespace {

constexpr int64_t maxPoints = 36;
/// Bytes of a block at the points, about what a core's own cache holds:
/// measured flat from 384 to 1536 KiB.
constexpr int64_t blockBytes = int64_t{1} << 20;
/// Rows of a product below which its weights are read more than they are used:
/// measured, 16 lose up to 30 % where channels are many.
constexpr int64_t minBlockTiles = 32;
/// Where many narrow weights go to the points for each block, these are few.
constexpr int64_t largeBlockBytes = 4 * blockBytes;
constexpr int64_t minLargeBlockTiles = 96;

/// How the tiles are divided.
struct Blocks {
  int64_t tiles, each, count;
  /// All threads in one block: for so few tiles that one block per thread would
  /// read all weights once per thread for little work.
  bool isShared;
};

Blocks divide(const Problem &p, bool areLarge) {
  const npu_tensor_desc &y = p.outputs[0];
  int64_t m = p.attrs.winograd.tile, points = (m + 2) * (m + 2);
  Blocks blocks;
  blocks.tiles =
      y.dims[0] * ((y.dims[2] + m - 1) / m) * ((y.dims[3] + m - 1) / m);
  int64_t perTile = points * (p.inputs[0].dims[1] + y.dims[1]) *
                    static_cast<int64_t>(sizeof(float));
  perTile = std::max<int64_t>(perTile, 1);
  int64_t most = areLarge
                     ? std::max(largeBlockBytes / perTile, minLargeBlockTiles)
                     : std::max(blockBytes / perTile, minBlockTiles);
  blocks.isShared =
      areLarge || (p.threads > 1 && blocks.tiles < minBlockTiles * p.threads);
  int64_t team = blocks.isShared ? 1 : p.threads;
  if (blocks.isShared && !areLarge)
    most *= p.threads;
  // Equal blocks, as many for each thread.
  int64_t rounds = (blocks.tiles + most * team - 1) / (most * team);
  blocks.count = std::min(blocks.tiles, rounds * team);
  // A product with one row is a bad case of oneDNN 3.2: it may fail.
  blocks.each =
      std::max<int64_t>(2, (blocks.tiles + blocks.count - 1) / blocks.count);
  blocks.count = (blocks.tiles + blocks.each - 1) / blocks.each;
  return blocks;
}

/// The products of one block: [points, tiles, C] by [points, C, O].
bool makeProduct(const Problem &p, const Blocks &blocks, Problem &product,
                 std::string &whyNot) {
  const npu_tensor_desc &w = p.inputs[1];
  int64_t points = w.dims[2] * w.dims[3];
  const int64_t a[3] = {points, blocks.each, w.dims[1]},
                b[3] = {points, w.dims[1], w.dims[0]},
                y[3] = {points, blocks.each, w.dims[0]};
  product.op = NPU_OP_MATMUL;
  product.threads = blocks.isShared ? p.threads : 1;
  product.inputs = {makeTensor(NPU_F32, a, 3), makeTensor(NPU_F32, b, 3)};
  product.outputs = {makeTensor(NPU_F32, y, 3)};
  product.inputs[1].weights_offset = w.weights_offset;
  // The points as one dimension: dimension 3 must follow 2 in memory.
  const int8_t dimOf[4] = {2, 1, 0, -1};
  int places = 0;
  for (int place = 0; place < 4; ++place) {
    bool isSecond = w.order[place] == 3;
    if (w.block_count || (isSecond && (!place || w.order[place - 1] != 2))) {
      whyNot = "weight is stored as " + layoutString(w);
      return false;
    }
    if (!isSecond)
      product.inputs[1].order[places++] = dimOf[w.order[place]];
  }
  return true;
}

/// What multiplies tiles at the points by the weights: one of them.
struct Products {
  std::unique_ptr<Kernel> matmul;
  std::unique_ptr<PointProducts> own;
};

class ConvWinograd : public PreparedKernel {
public:
  ConvWinograd(const Problem &p, const Blocks &divided, Products products,
               WinogradEpilogue end)
      : problem(p), attrs(problem.attrs.winograd), x(problem.inputs[0]),
        y(problem.outputs[0]), blocks(divided),
        matmul(std::move(products.matmul)), own(std::move(products.own)),
        epilogue(std::move(end)), points((attrs.tile + 2) * (attrs.tile + 2)),
        zeros(static_cast<size_t>(std::max(x.dims[1], y.dims[1]))) {
    auto floats = [&](int64_t channels) {
      return aligned(static_cast<size_t>(points * blocks.each * channels) *
                     sizeof(float));
    };
    step = own ? productStep(y.dims[1]) : y.dims[1];
    dataBytes = floats(x.dims[1]);
    productBytes = floats(step);
    spareBytes = aligned(static_cast<size_t>(y.dims[1]) * sizeof(float));
    slotBytes = dataBytes + productBytes +
                (matmul ? aligned(matmul->scratchBytes()) : 0);
    weightBytes = own ? own->scratchBytes(problem.threads) : 0;
  }

  std::string implementation() const override {
    std::string tile = std::to_string(attrs.tile);
    return "winograd" + tile + "x" + tile + "+" +
           (matmul ? matmul->implementation() : "native:panels");
  }
  size_t scratchBytes() const override {
    size_t team = static_cast<size_t>(problem.threads);
    return weightBytes + team * spareBytes +
           (blocks.isShared ? 1 : team) * slotBytes;
  }
  bool readsNarrow() const override { return own && own->readsNarrow(); }
  size_t pack(const void *const *operands) override {
    if (own)
      return own->pack(problem, operands);
    const void *const inner[3] = {nullptr, operands[1], nullptr};
    return matmul->pack(inner);
  }
  bool isPacked(size_t input) const override {
    return input == 1 && (own || matmul->isPacked(1));
  }
  Bytes readsFirst(int thread) const override {
    if (!own || thread >= problem.threads)
      return {};
    return own->readsFirst(shareOfBlock(thread, problem.threads));
  }
  void announce(const Kernel &next) override {
    for (int thread = 0; thread < problem.threads; ++thread)
      behind.push_back(next.readsFirst(thread));
  }
  bool losesNan() const override { return true; }
  std::string prepare() override {
    auto *prepared = dynamic_cast<PreparedKernel *>(matmul.get());
    return prepared ? prepared->prepare() : "";
  }

  int run(void *const *operands, void *scratch) const override {
    std::atomic<bool> beyond{false};
    int status = runBlocks(operands, scratch, beyond);
    if (beyond)
      noteInvalid();
    return status;
  }

private:
  int runBlocks(void *const *operands, void *scratch,
                std::atomic<bool> &beyond) const {
    char *weights = static_cast<char *>(scratch);
    char *spares = weights + weightBytes;
    if (own && own->hasBegin())
      parallelFor(problem.threads, [&](int thread, int threads) {
        own->begin({thread, threads}, weights);
      });
    char *slots = spares + static_cast<size_t>(problem.threads) * spareBytes;
    if (blocks.isShared)
      return runShared(operands, weights, slots, beyond);
    std::vector<int> statuses(static_cast<size_t>(problem.threads));
    parallelFor(problem.threads, [&](int thread, int threads) {
      auto at = static_cast<size_t>(thread);
      Range range = shareOf(blocks.count, thread, threads);
      for (int64_t block = range.begin; block < range.end; ++block) {
        Range tiles = tilesOf(block);
        char *slot = slots + at * slotBytes;
        toPoints(operands, slot, tiles.begin, tiles);
        if (own)
          multiplyOwn(slot, tiles, thread, threads, weights);
        else
          statuses[at] |= multiply(operands, slot, tiles);
        if (toResults(operands, slot, spares + at * spareBytes, tiles.begin,
                      tiles))
          beyond = true;
      }
    });
    return *std::max_element(statuses.begin(), statuses.end());
  }

  Range tilesOf(int64_t block) const {
    int64_t begin = block * blocks.each;
    return {begin, std::min(begin + blocks.each, blocks.tiles)};
  }

  int runShared(void *const *operands, char *weights, char *slot,
                std::atomic<bool> &beyond) const {
    char *spares = weights + weightBytes;
    for (int64_t block = 0; block < blocks.count; ++block) {
      Range tiles = tilesOf(block);
      auto inTeam = [&](auto step) {
        parallelFor(problem.threads, [&](int thread, int threads) {
          Range part = shareOf(tiles.end - tiles.begin, thread, threads);
          step(thread, Range{tiles.begin + part.begin, tiles.begin + part.end});
        });
      };
      inTeam([&](int, Range part) {
        toPoints(operands, slot, tiles.begin, part);
      });
      if (own)
        parallelFor(problem.threads, [&](int thread, int threads) {
          multiplyOwn(slot, tiles, thread, threads, weights);
        });
      else if (int status = multiply(operands, slot, tiles))
        return status;
      inTeam([&](int thread, Range part) {
        if (toResults(operands, slot,
                      spares + static_cast<size_t>(thread) * spareBytes,
                      tiles.begin, part))
          beyond = true;
      });
    }
    return 0;
  }

  /// Calls body(tile, image, first row, first column of the result).
  template <typename Body>
  void forTiles(Range tiles, Body body) const {
    int64_t wide = (y.dims[3] + attrs.tile - 1) / attrs.tile;
    int64_t high = (y.dims[2] + attrs.tile - 1) / attrs.tile;
    for (int64_t tile = tiles.begin; tile < tiles.end; ++tile)
      body(tile, tile / (high * wide), tile / wide % high * attrs.tile,
           tile % wide * attrs.tile);
  }

  void toPoints(void *const *operands, char *slot, int64_t first,
                Range tiles) const {
    const auto *data = static_cast<const float *>(operands[0]);
    auto *out = reinterpret_cast<float *>(slot);
    int64_t channels = x.dims[1], side = attrs.tile + 2;
    forTiles(tiles, [&](int64_t tile, int64_t n, int64_t row, int64_t column) {
      const float *pixels[maxPoints];
      for (int64_t i = 0; i < side; ++i) {
        int64_t r = row + i - attrs.pads_begin[0];
        bool isRow = r >= 0 && r < x.dims[2];
        int64_t line = (n * x.dims[2] + r) * x.dims[3];
        for (int64_t j = 0; j < side; ++j) {
          int64_t c = column + j - attrs.pads_begin[1];
          pixels[i * side + j] = isRow && c >= 0 && c < x.dims[3]
                                     ? data + (line + c) * channels
                                     : zeros.data();
        }
      }
      dataToPoints(attrs.tile, pixels, channels,
                   out + (tile - first) * channels, blocks.each * channels);
    });
  }

  /// Rows behind the last tile are zero, so that no garbage slows the product.
  int multiply(void *const *operands, char *slot, Range tiles) const {
    int64_t used = tiles.end - tiles.begin, channels = x.dims[1];
    auto *data = reinterpret_cast<float *>(slot);
    for (int64_t p = 0; used < blocks.each && p < points; ++p)
      std::fill(data + (p * blocks.each + used) * channels,
                data + (p + 1) * blocks.each * channels, 0.0f);
    void *inner[3] = {slot, operands[1], slot + dataBytes};
    return matmul->run(inner, slot + dataBytes + productBytes);
  }

  /// A thread has a block to itself, or a part of one.
  PointShare shareOfBlock(int thread, int threads) const {
    return blocks.isShared ? PointShare{thread, threads} : PointShare{0, 1};
  }

  void multiplyOwn(char *slot, Range tiles, int thread, int threads,
                   char *weights) const {
    const PointTiles block = {reinterpret_cast<const float *>(slot),
                              reinterpret_cast<float *>(slot + dataBytes),
                              blocks.each, step, tiles.end - tiles.begin};
    const PointShare share = shareOfBlock(thread, threads);
    const bool isLast = tiles.end == blocks.tiles && blocks.isShared;
    own->multiply(block, share,
                  !isLast          ? own->readsFirst(share)
                  : behind.empty() ? Bytes()
                                   : behind[static_cast<size_t>(thread)],
                  weights);
  }

  /// Whether some are not to be trusted: what is not finite spreads over its
  /// tile, and large numbers overflow in between.
  bool toResults(void *const *operands, char *slot, char *spare, int64_t first,
                 Range tiles) const {
    bool beyond = false;
    const auto *products = reinterpret_cast<const float *>(slot + dataBytes);
    auto *result = static_cast<float *>(operands[problem.inputs.size()]);
    const auto *added =
        epilogue.added < 0
            ? nullptr
            : static_cast<const float *>(operands[epilogue.added]);
    const auto *bias =
        attrs.has_bias ? static_cast<const float *>(operands[2]) : zeros.data();
    int64_t channels = y.dims[1];
    forTiles(tiles, [&](int64_t tile, int64_t n, int64_t row, int64_t column) {
      ResultTile to = {bias, {}, {}, epilogue.least, epilogue.most};
      for (int64_t i = 0; i < attrs.tile * attrs.tile; ++i) {
        int64_t r = row + i / attrs.tile, c = column + i % attrs.tile;
        bool isInside = r < y.dims[2] && c < y.dims[3];
        int64_t offset = ((n * y.dims[2] + r) * y.dims[3] + c) * channels;
        to.pixels[i] =
            isInside ? result + offset : reinterpret_cast<float *>(spare);
        to.added[i] = !added     ? nullptr
                      : isInside ? added + offset
                                 : zeros.data();
      }
      beyond |= pointsToResults(attrs.tile, products + (tile - first) * step,
                                blocks.each * step, channels, to);
      if (epilogue.rest.empty())
        return;
      // Pixels of a row are neighbours.
      int64_t wide = std::min(attrs.tile, y.dims[3] - column);
      for (int64_t i = 0; i < attrs.tile && row + i < y.dims[2]; ++i)
        interpretChain(epilogue.rest, to.pixels[i * attrs.tile],
                       wide * channels);
    });
    return beyond;
  }

  Problem problem;
  const npu_winograd_attrs &attrs;
  const npu_tensor_desc &x, &y;
  Blocks blocks;
  std::unique_ptr<Kernel> matmul;
  std::unique_ptr<PointProducts> own; // or
  std::vector<Bytes> behind; // by thread: what the next kernel reads first
  WinogradEpilogue epilogue;
  int64_t points, step; ///< between the products of two tiles
  /// A pixel of padding.
  std::vector<float> zeros;
  size_t dataBytes, productBytes, spareBytes, slotBytes, weightBytes;
};

} // namespace

static bool isChannelsLast(const npu_tensor_desc &tensor) {
  npu_tensor_desc wanted = tensor;
  wanted.block_count = 0;
  const int8_t order[4] = {0, 2, 3, 1};
  std::copy(order, order + 4, wanted.order);
  return tensor.dtype == NPU_F32 && sameStorage(tensor, wanted);
}

static std::unique_ptr<PointProducts> ownProducts(const Problem &problem) {
  if (!hasWideRegisters())
    return nullptr;
  auto narrow = createNarrowProducts(problem);
  return narrow ? std::move(narrow) : createFloatProducts(problem);
}

std::unique_ptr<Kernel> createConvWinogradFast(const Problem &problem,
                                               std::string &whyNot) {
  bool isF32 =
      problem.inputs[1].dtype == NPU_F32 &&
      (!problem.attrs.winograd.has_bias || problem.inputs[2].dtype == NPU_F32);
  if (!isF32 || !isChannelsLast(problem.inputs[0]) ||
      !isChannelsLast(problem.outputs[0])) {
    whyNot = "not f32 with the channels last";
    return nullptr;
  }
  for (const npu_tensor_desc *tensor :
       {&problem.inputs[0], &problem.outputs[0]})
    if (elementCount(*tensor) == 0) {
      whyNot = "nothing to compute";
      return nullptr;
    }
  WinogradEpilogue epilogue;
  Products products;
  if (!translate(problem, epilogue, whyNot))
    return nullptr;
  products.own = ownProducts(problem);
  Blocks blocks = divide(problem, false);
  // Few tiles need not all weights at the points at once.
  if (products.own && products.own->readsNarrow() &&
      (blocks.count == 1 || !products.own->makeWhole()))
    blocks = divide(problem, true);
  Problem product;
  if (!products.own) {
    if (!makeProduct(problem, blocks, product, whyNot))
      return nullptr;
    products.matmul = createDirect(product, whyNot);
    if (!products.matmul)
      return nullptr;
  }
  return std::make_unique<ConvWinograd>(problem, blocks, std::move(products),
                                        std::move(epilogue));
}

} // namespace npu::kernels
