// SPDX-License-Identifier: Apache-2.0
//
// Fused instructions on integers behind a convolution or product, which the
// library's kernels cannot store as they say: they end in f32. The kernel
// without them makes a strip of sums, whole rows of an image, in scratch that
// stays in a core's cache; the instructions store it.
//
// Where floats are proved to give the same bytes (float_scale.h), which shows
// when the constants are packed, the library's kernel stores them itself.
//
// All strips are of one height, so that one kernel with one packed weight makes
// them: the last of an image begins higher and drops the rows that are there,
// and where a window reaches over the image's edge its data is copied with the
// padding. A result that is small, or whose rows do not lie together, is one
// strip by all threads.

#include "kernels/registry.h"
#include "kernels/support/integer_steps.h"
#include "kernels/support/movement.h"
#include "kernels/support/proved_floats.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

namespace {

/// Sums of a strip: with weights and data within a core's own cache.
constexpr int64_t stripBytes = int64_t{192} << 10;
/// Sums that one strip by all threads makes at least as fast.
constexpr int64_t wholeBytes = int64_t{384} << 10;
/// Less work than this is done faster by one thread than by waking a team.
constexpr int64_t minElementsPerThread = 4096;

/// How results are made of rows of data, in rows and elements.
struct Rows {
  int64_t images = 1, results, data;
  int64_t resultElements, dataBytes; // of one row
  int64_t stride = 1, window = 1, pad = 0;
};

/// Rows of matrices and of images, where they lie together in both; no rows
/// otherwise.
Rows rowsOf(const Problem &p) {
  const npu_tensor_desc &x = p.inputs[0], &y = p.outputs[0];
  bool isConv = p.op == NPU_OP_CONV;
  bool isMatrix = p.op == NPU_OP_MATMUL && x.rank == 2 && y.rank == 2;
  Rows rows = {};
  if (!isConv && !isMatrix)
    return rows;
  int row = isConv ? 2 : 0;
  for (const npu_tensor_desc *tensor : {&x, &y}) {
    bool isOuter =
        tensor->order[0] == 0 && (row == 0 || tensor->order[1] == row);
    if (!isOuter || blockOf(*tensor, 0) > 1 || blockOf(*tensor, row) > 1 ||
        elementCount(*tensor) == 0)
      return rows;
  }
  rows = {isConv ? y.dims[0] : 1, y.dims[row], x.dims[row], 0, 0};
  rows.resultElements = storedElements(y) / (rows.images * rows.results);
  rows.dataBytes = storedBytes(x) / (rows.images * rows.data);
  if (isConv) {
    rows.stride = p.attrs.conv.strides[0];
    rows.window = (p.inputs[1].dims[2] - 1) * p.attrs.conv.dilations[0] + 1;
    rows.pad = p.attrs.conv.pads_begin[0];
  }
  return rows;
}

/// Rows of one strip; all of them in one if it is better so.
int64_t heightOf(const Problem &p, const Rows &rows) {
  auto bytes = static_cast<int64_t>(sizeof(int32_t)) * rows.resultElements;
  // A weight that is no constant would be brought into order for each strip.
  if (rows.results == 0 || !p.isConstant(1) ||
      rows.images * rows.results * bytes <= wholeBytes)
    return 0;
  int64_t most = std::clamp<int64_t>(stripBytes / bytes, 1, rows.results);
  // Equal ones, as many for each thread.
  int64_t each = (rows.results + most - 1) / most, team = p.threads;
  if (rows.images % team != 0)
    each = std::min((each + team - 1) / team * team, rows.results);
  return (rows.results + each - 1) / each;
}

/// The kernel without its instructions, of one strip of this height or whole.
Problem bareProblem(const Problem &p, const Rows &rows, int64_t height) {
  Problem bare = p;
  bare.instrs.clear();
  bare.inPlaceInput = -1;
  bare.inputs.resize(static_cast<size_t>(properInputs(p)));
  bare.outputs[0].dtype = NPU_I32;
  if (height == 0)
    return bare;
  bare.threads = 1;
  int row = p.op == NPU_OP_CONV ? 2 : 0;
  for (npu_tensor_desc *tensor : {&bare.inputs[0], &bare.outputs[0]})
    tensor->dims[0] = 1; // an image; of matrices the next line replaces it
  bare.outputs[0].dims[row] = height;
  bare.inputs[0].dims[row] = (height - 1) * rows.stride + rows.window;
  if (p.op == NPU_OP_CONV)
    bare.attrs.conv.pads_begin[0] = bare.attrs.conv.pads_end[0] = 0;
  return bare;
}

class Strips : public ComposedKernel {
public:
  Strips(const Problem &p, const Rows &r, int64_t stripHeight,
         const Problem &bare, std::unique_ptr<Kernel> kernel)
      : ComposedKernel(std::move(kernel)), problem(p), rows(r),
        height(stripHeight), steps(p),
        sumBytes(aligned(static_cast<size_t>(storedBytes(bare.outputs[0])))),
        copyBytes(
            height ? aligned(static_cast<size_t>(storedBytes(bare.inputs[0])))
                   : 0) {}

  std::string implementation() const override {
    return inner->implementation() + "+integers";
  }
  size_t scratchBytes() const override {
    auto team = static_cast<size_t>(problem.threads);
    return height ? team * slotBytes()
                  : sumBytes + inner->scratchBytes() + team * stepBytes();
  }

  size_t pack(const void *const *operands) override {
    steps.pack(operands);
    direct = ProvedFloats::of(problem, steps, operands, scratchBytes());
    return direct ? direct->pack(operands) : inner->pack(operands);
  }
  bool isPacked(size_t input) const override {
    return direct ? direct->isPacked(input) : inner->isPacked(input);
  }

  int run(void *const *operands, void *scratch) const override {
    if (!steps.isPacked())
      return 1; // a constant that was never packed
    if (direct)
      return direct->run(operands, scratch);
    auto *bytes = static_cast<char *>(scratch);
    int status =
        height ? runStrips(operands, bytes) : runWhole(operands, bytes);
    zeroPadding(problem.outputs[0], output(operands));
    return status;
  }

private:
  void *output(void *const *operands) const {
    return operands[problem.inputs.size()];
  }
  size_t stepBytes() const { return aligned(steps.scratchBytes()); }
  size_t slotBytes() const {
    return sumBytes + copyBytes + stepBytes() + aligned(inner->scratchBytes());
  }

  int runInner(void *const *operands, const void *data, void *sums,
               void *scratch) const {
    constexpr size_t mostOperands = 4; // data, weight, bias, sums
    void *all[mostOperands];
    auto proper = static_cast<size_t>(properInputs(problem));
    std::copy_n(operands, proper, all);
    all[0] = const_cast<void *>(data);
    all[proper] = sums;
    return inner->run(all, scratch);
  }

  int runWhole(void *const *operands, char *scratch) const {
    auto *sums = reinterpret_cast<int32_t *>(scratch);
    char *own = scratch + sumBytes;
    int64_t count = storedElements(problem.outputs[0]);
    int team = teamFor(count, minElementsPerThread, problem.threads);
    if (int status =
            runInner(operands, operands[0], sums,
                     own + static_cast<size_t>(problem.threads) * stepBytes()))
      return status;
    parallelFor(team, [&](int thread, int threads) {
      int64_t each = steps.granule();
      Range range = shareOf(count / each, thread, threads);
      range = {range.begin * each, range.end * each};
      steps.run(operands, sums + range.begin, output(operands),
                own + static_cast<size_t>(thread) * stepBytes(), range);
    });
    return 0;
  }

  int runStrips(void *const *operands, char *scratch) const {
    int64_t each = (rows.results + height - 1) / height;
    std::vector<int> statuses(static_cast<size_t>(problem.threads));
    parallelFor(problem.threads, [&](int thread, int threads) {
      auto at = static_cast<size_t>(thread);
      Range range = shareOf(rows.images * each, thread, threads);
      for (int64_t strip = range.begin; strip < range.end; ++strip)
        statuses[at] |= runStrip(operands, strip / each, strip % each * height,
                                 scratch + at * slotBytes());
    });
    return *std::max_element(statuses.begin(), statuses.end());
  }

  int runStrip(void *const *operands, int64_t image, int64_t first,
               char *slot) const {
    auto *sums = reinterpret_cast<int32_t *>(slot);
    char *copy = slot + sumBytes, *own = copy + copyBytes;
    int64_t begin = std::min(first, rows.results - height);
    const void *data = dataOf(operands[0], image, begin, copy);
    if (int status = runInner(operands, data, sums, own + stepBytes()))
      return status;
    int64_t row = rows.resultElements, place = image * rows.results;
    steps.run(operands, sums + (first - begin) * row, output(operands), own,
              {(place + first) * row, (place + begin + height) * row});
    return 0;
  }

  /// The rows under a strip that begins with result `begin`: as they lie, or
  /// where some are padding copied to `copy`.
  const void *dataOf(const void *data, int64_t image, int64_t begin,
                     char *copy) const {
    int64_t first = begin * rows.stride - rows.pad;
    int64_t count = (height - 1) * rows.stride + rows.window;
    const char *from =
        static_cast<const char *>(data) + image * rows.data * rows.dataBytes;
    if (first >= 0 && first + count <= rows.data)
      return from + first * rows.dataBytes;
    auto zero = static_cast<unsigned char>(problem.attrs.conv.data_zero_point);
    for (int64_t row = 0; row < count; ++row) {
      char *to = copy + row * rows.dataBytes;
      bool isInside = first + row >= 0 && first + row < rows.data;
      if (isInside)
        std::memcpy(to, from + (first + row) * rows.dataBytes,
                    static_cast<size_t>(rows.dataBytes));
      else
        std::memset(to, zero, static_cast<size_t>(rows.dataBytes));
    }
    return copy;
  }

  Problem problem;
  Rows rows;
  int64_t height; // of a strip, in rows of results; 0: all is one
  IntegerSteps steps;
  size_t sumBytes, copyBytes;
  std::unique_ptr<ProvedFloats> direct;
};

bool isByte(const npu_tensor_desc &tensor) {
  return tensor.dtype == NPU_I8 || tensor.dtype == NPU_U8;
}

} // namespace

std::unique_ptr<Kernel> createStrips(const Problem &problem,
                                     std::string &whyNot) {
  if (problem.instrs.empty() || !isByte(problem.inputs[0]))
    whyNot = "no fused instructions behind a sum of bytes";
  else
    whyNot = IntegerSteps::refusal(problem);
  if (!whyNot.empty())
    return nullptr;
  Rows rows = rowsOf(problem);
  int64_t height = heightOf(problem, rows);
  Problem bare = bareProblem(problem, rows, height);
  std::unique_ptr<Kernel> kernel = createDirect(bare, whyNot);
  if (!kernel)
    return nullptr;
  return std::make_unique<Strips>(problem, rows, height, bare,
                                  std::move(kernel));
}

} // namespace npu::kernels
