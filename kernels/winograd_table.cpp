// SPDX-License-Identifier: Apache-2.0
//
// npu-winograd-table: the 3x3 convolutions of ResNet-50 and VGG-16 by the
// direct kernel and by Winograd's, time and error, as a Markdown table for the
// documentation.

#include "files/command_line.h"
#include "files/last_words.h"
#include "files/standard_output.h"
#include "files/temporaries.h"
#include "files/words.h"
#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

using namespace npu::kernels;

namespace {

struct Layer {
  int64_t size, channels, outputs;
};
const Layer layers[] = {{56, 64, 64},    {28, 128, 128}, {14, 256, 256},
                        {7, 512, 512},   {224, 64, 64},  {112, 64, 128},
                        {112, 128, 128}, {56, 128, 256}, {56, 256, 256},
                        {28, 256, 512},  {28, 512, 512}, {14, 512, 512}};

using Memory = std::unique_ptr<float, decltype(&std::free)>;

Memory allocate(size_t bytes) {
  size_t padded = (bytes + 4095) / 4096 * 4096;
  return {static_cast<float *>(std::aligned_alloc(4096, padded)), std::free};
}

Memory randomFloats(const npu_tensor_desc &tensor, float deviation) {
  static std::mt19937 random(1);
  std::normal_distribution<float> normal(0, deviation);
  Memory memory = allocate(static_cast<size_t>(storedBytes(tensor)));
  std::generate_n(memory.get(), storedElements(tensor),
                  [&] { return normal(random); });
  return memory;
}

npu_tensor_desc channelsLast(std::vector<int64_t> dims) {
  npu_tensor_desc tensor = makeTensor(NPU_F32, dims.data(), 4);
  const int8_t order[4] = {0, 2, 3, 1};
  std::copy(order, order + 4, tensor.order);
  return tensor;
}

void touch(void *memory, size_t bytes) {
  auto *at = static_cast<volatile char *>(memory);
  for (size_t i = 0; i < bytes; i += 64)
    at[i] = at[i];
}

/// Leaves nothing of the weights in any cache.
void evict() {
  constexpr size_t bytes = size_t{128} << 20;
  static const Memory others = allocate(bytes);
  touch(others.get(), bytes);
}

/// One kernel with its memory, ready to run.
class Candidate {
public:
  Candidate(const Problem &problem, const Memory &data, const Memory &weight,
            const Memory &bias)
      : dataBytes(static_cast<size_t>(storedBytes(problem.inputs[0]))),
        kernel(create(problem)), scratch(allocate(kernel->scratchBytes())),
        result(allocate(static_cast<size_t>(storedBytes(problem.outputs[0])))) {
    const void *constants[] = {nullptr, weight.get(), bias.get()};
    kernel->pack(constants);
    operands = {data.get(), weight.get(), bias.get(), result.get()};
  }
  /// Milliseconds of one run as in a network: other weights were read since the
  /// last one, the data was just written.
  double time() {
    evict();
    touch(operands[0], dataBytes);
    auto begin = std::chrono::steady_clock::now();
    kernel->run(operands.data(), scratch.get());
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    return taken.count();
  }
  const float *values() const { return result.get(); }
  std::string name() const { return kernel->implementation(); }

private:
  size_t dataBytes;
  std::unique_ptr<Kernel> kernel;
  Memory scratch, result;
  std::vector<void *> operands;
};

Problem direct(const Layer &layer, int64_t batch, int threads) {
  Problem p;
  p.op = NPU_OP_CONV;
  p.threads = threads;
  const int64_t weight[4] = {layer.outputs, layer.channels, 3, 3};
  p.inputs = {channelsLast({batch, layer.channels, layer.size, layer.size}),
              makeTensor(NPU_F32, weight, 4),
              makeTensor(NPU_F32, &layer.outputs, 1)};
  p.inputs[1].weights_offset = p.inputs[2].weights_offset = 0;
  p.outputs = {channelsLast({batch, layer.outputs, layer.size, layer.size})};
  for (int i = 0; i < 2; ++i) {
    p.attrs.conv.strides[i] = p.attrs.conv.dilations[i] = 1;
    p.attrs.conv.pads_begin[i] = p.attrs.conv.pads_end[i] = 1;
  }
  p.attrs.conv.groups = p.attrs.conv.has_bias = 1;
  npu_instr relu = {};
  relu.kind = NPU_INSTR_relu;
  relu.a = 3;
  relu.b = relu.c = -1;
  p.instrs = {relu};
  return p;
}

/// The same by Winograd's algorithm, and its weight.
std::pair<Problem, Memory> winograd(const Problem &conv, const Memory &weight,
                                    int64_t tile) {
  Problem p = conv;
  p.op = NPU_OP_CONV_WINOGRAD;
  p.attrs = {};
  p.attrs.winograd = {tile, {1, 1}, {1, 1}, 1};
  for (int d : {2, 3})
    p.inputs[1].dims[d] = tile + 2;
  const int8_t order[4] = {2, 3, 0, 1};
  std::copy(order, order + 4, p.inputs[1].order);
  Problem transform;
  transform.op = NPU_OP_WINOGRAD_WEIGHT;
  transform.attrs.winograd.tile = tile;
  transform.inputs = {conv.inputs[1]};
  transform.outputs = {p.inputs[1]};
  auto kernel = create(transform);
  Memory scratch = allocate(kernel->scratchBytes());
  Memory made = allocate(static_cast<size_t>(storedBytes(p.inputs[1])));
  void *operands[] = {weight.get(), made.get()};
  kernel->run(operands, scratch.get());
  return {std::move(p), std::move(made)};
}

/// A low time (the tenth percentile) of runs that take turns: others may use
/// the machine now and then.
std::vector<double> measure(std::vector<Candidate> &candidates,
                            double seconds) {
  std::vector<std::vector<double>> times(candidates.size());
  double total = 0;
  for (Candidate &candidate : candidates)
    candidate.time();
  while (total < seconds * 1000 || times[0].size() < 5)
    for (size_t i = 0; i < candidates.size(); ++i) {
      times[i].push_back(candidates[i].time());
      total += times[i].back();
    }
  std::vector<double> low;
  for (auto &row : times) {
    std::sort(row.begin(), row.end());
    low.push_back(row[row.size() / 10]);
  }
  return low;
}

/// Largest |a - b| / (1e-4 + 1e-3 |b|): at most 1 is close enough.
double errorOf(const float *a, const float *b, int64_t count) {
  double worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    double have = static_cast<double>(a[i]), want = static_cast<double>(b[i]);
    worst = std::max(worst,
                     std::fabs(have - want) / (1e-4 + 1e-3 * std::fabs(want)));
  }
  return worst;
}

void printRow(const Layer &layer, int64_t batch, int threads, double seconds) {
  Problem conv = direct(layer, batch, threads);
  Memory data = randomFloats(conv.inputs[0], 1);
  Memory bias = randomFloats(conv.inputs[2], 1);
  Memory weight =
      randomFloats(conv.inputs[1],
                   std::sqrt(2.0f / 9.0f / static_cast<float>(layer.channels)));
  auto [two, weightTwo] = winograd(conv, weight, 2);
  auto [four, weightFour] = winograd(conv, weight, 4);
  std::vector<Candidate> candidates;
  candidates.emplace_back(conv, data, weight, bias);
  candidates.emplace_back(two, data, weightTwo, bias);
  candidates.emplace_back(four, data, weightFour, bias);
  std::vector<double> times = measure(candidates, seconds);
  int64_t count = elementCount(conv.outputs[0]);
  std::printf("| %ldx%ldx%ldx%ld to %ld | %.3f | %.3f | %.3f | %.2f | %.3f | "
              "%.3f |\n",
              batch, layer.size, layer.size, layer.channels, layer.outputs,
              times[0], times[1], times[2],
              times[0] / std::min(times[1], times[2]),
              errorOf(candidates[1].values(), candidates[0].values(), count),
              errorOf(candidates[2].values(), candidates[0].values(), count));
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  namespace files = npu::files;
  files::prepareProcess();
  files::prepareLastWords("npu-winograd-table");
  CLI::App app("npu-winograd-table times 3x3 convolutions by the direct kernel "
               "and by Winograd's.",
               "npu-winograd-table");
  int threads = 2;
  std::vector<int64_t> batches = {1, 16};
  double seconds = 0.5;
  app.add_option("--threads", threads, "threads of each kernel")
      ->check(files::wholeFrom(1, 1024));
  app.add_option("--batch", batches, "batch sizes: 1,16; may be repeated")
      ->delimiter(',')
      ->check(files::wholeFrom(1, 1024));
  app.add_option("--seconds", seconds, "time for each row")
      ->check(files::numberFrom(0.001, 100));
  files::prepareCommandLine(app,
                            {NPU_VERSION,
                             "",
                             "  npu-winograd-table --batch=1 --seconds=0.1\n",
                             {files::exitSuccess, files::exitUsage,
                              files::exitOutput, files::exitMemory}});
  if (auto code = files::readCommandLine(app, argc, argv))
    return files::finishOutput("npu-winograd-table", *code);
  setThreads(threads);
  std::printf("%s, %s, milliseconds; error by the tolerance 1e-4 + "
              "1e-3 |x|\n\n| layer | direct | F(2x2) | F(4x4) | gain | error "
              "F(2x2) | error F(4x4) |\n|---|---|---|---|---|---|---|\n",
              libraryVersion().c_str(),
              files::countText(threads, "thread").c_str());
  for (int64_t batch : batches)
    for (const Layer &layer : layers)
      printRow(layer, batch, threads, seconds);
  return files::finishOutput("npu-winograd-table", files::exitSuccess);
}
