// SPDX-License-Identifier: Apache-2.0

#include "runtime/Executor/Context.h"

#include "kernels/parallel.h"
#include "kernels/tensor.h"
#include "runtime/Loader/Verifier.h"
#include "runtime/Status.h"

#include <algorithm>
#include <cstring>
#include <utility>

/// What the generated code gets as its opaque handle.
struct npu_exec {
  npu::runtime::Context &context;
};

namespace npu::runtime {
namespace {

int32_t importCallKernel(npu_exec *exec, uint32_t kernel,
                         void *const *operands) {
  return exec->context.callKernel(kernel, operands);
}

int32_t importParallelFor(npu_exec *exec, uint32_t kernel, int64_t count,
                          int64_t grain, npu_body body, void *const *operands) {
  return exec->context.parallelFor(kernel, count, grain, body, operands);
}

constexpr npu_imports imports = {NPU_FORMAT_VERSION, sizeof(npu_imports),
                                 importCallKernel, importParallelFor};

/// Checks one direction's buffers against the signature.
void checkBuffers(const char *kind, const npu_buffer *buffers, size_t count,
                  const std::vector<npu_tensor_info> &signature) {
  if (count != signature.size())
    throw Failure(NPU_BAD_ARGUMENT,
                  "got " + std::to_string(count) + " " + kind +
                      " buffers, but the program has " +
                      std::to_string(signature.size()) + " " + kind + "s");
  for (size_t i = 0; i < count; ++i) {
    std::string which =
        std::string(kind) + " '" + signature[i].name + "': its buffer ";
    if (buffers[i].bytes != signature[i].bytes)
      throw Failure(NPU_BAD_ARGUMENT,
                    which + "has " + std::to_string(buffers[i].bytes) +
                        " bytes, expected " +
                        std::to_string(signature[i].bytes) +
                        " in stored order " + signature[i].layout);
    if (!buffers[i].data ||
        reinterpret_cast<uintptr_t>(buffers[i].data) % NPU_BUFFER_ALIGNMENT)
      throw Failure(NPU_BAD_ARGUMENT,
                    which + "is not aligned to " +
                        std::to_string(NPU_BUFFER_ALIGNMENT) +
                        " bytes; allocate it with npu_buffer_create");
  }
}

bool overlap(const npu_buffer &a, const npu_buffer &b) {
  auto *beginA = static_cast<const uint8_t *>(a.data);
  auto *beginB = static_cast<const uint8_t *>(b.data);
  return beginA < beginB + b.bytes && beginB < beginA + a.bytes;
}

void checkOverlap(const npu_buffer *inputs, size_t inputCount,
                  const npu_buffer *outputs, size_t outputCount) {
  for (size_t o = 0; o < outputCount; ++o) {
    bool clash = std::any_of(inputs, inputs + inputCount, [&](auto &other) {
      return overlap(outputs[o], other);
    });
    clash |= std::any_of(outputs, outputs + o, [&](auto &other) {
      return overlap(outputs[o], other);
    });
    if (clash)
      throw Failure(NPU_BAD_ARGUMENT,
                    "the buffer of output " + std::to_string(o) +
                        " overlaps another one; give each its own memory");
  }
}

/// A context serves one caller at a time.
class Busy {
public:
  explicit Busy(std::atomic<bool> &flag) : flag(flag) {
    if (flag.exchange(true))
      throw Failure(NPU_BAD_ARGUMENT, "this context is running on another "
                                      "thread; give each thread its own "
                                      "context");
  }
  ~Busy() { flag = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

private:
  std::atomic<bool> &flag;
};

} // namespace

/// What cannot run has no executor, and is refused there.
Context::Context(std::shared_ptr<Model> owner)
    : Context(owner,
              Memory(owner->stats().arena_bytes, "the arena",
                     owner->executor().allocator()),
              Memory(owner->stats().scratch_bytes, "scratch",
                     owner->executor().allocator())) {}

/// Checks what a caller gives for a context.
static Memory lend(const npu_buffer &buffer, uint64_t needed,
                   const std::string &name) {
  if (buffer.bytes < needed || (needed > 0 && !buffer.data))
    throw Failure(NPU_BAD_ARGUMENT,
                  "the memory for " + name + " has " +
                      std::to_string(buffer.data ? buffer.bytes : 0) +
                      " bytes, expected at least " + std::to_string(needed) +
                      " (npu_load_stats." + name + "_bytes)");
  if (reinterpret_cast<uintptr_t>(buffer.data) % NPU_BUFFER_ALIGNMENT)
    throw Failure(NPU_BAD_ARGUMENT,
                  "the memory for " + name + " is not aligned to " +
                      std::to_string(NPU_BUFFER_ALIGNMENT) + " bytes");
  return Memory::borrowed(buffer.data, buffer.bytes);
}

Context::Context(std::shared_ptr<Model> owner, const npu_buffer &arenaBuffer,
                 const npu_buffer &scratchBuffer)
    : Context(owner, lend(arenaBuffer, owner->stats().arena_bytes, "arena"),
              lend(scratchBuffer, owner->stats().scratch_bytes, "scratch")) {
  model->executor();
  if (arenaBuffer.bytes && scratchBuffer.bytes &&
      overlap(arenaBuffer, scratchBuffer))
    throw Failure(NPU_BAD_ARGUMENT, "the memory for arena and that for scratch "
                                    "overlap; give each its own");
}

Context::Context(std::shared_ptr<Model> owner, Memory arenaMemory,
                 Memory scratchMemory)
    : model(std::move(owner)), arena(std::move(arenaMemory)),
      scratch(std::move(scratchMemory)), times(model->kernels().size()) {
  const kernels::Allocator &from = model->executor().allocator();
  for (const ModelState &state : model->states())
    states.push_back({Memory(state.info.bytes, "a state", from),
                      Memory(state.info.bytes, "a state", from)});
  resetStates();
  if (const chip::ProgramT *program = model->chipProgram())
    onChip = std::make_unique<chip::Execution>(
        *program, model->executor().threads(), model->checksChip());
}

void Context::resetStates() {
  for (size_t i = 0; i < states.size(); ++i) {
    const ModelState &told = model->states()[i];
    if (states[i].before.bytes() == 0)
      continue;
    if (told.first.empty())
      std::memset(states[i].before.data(), 0, states[i].before.bytes());
    else
      std::memcpy(states[i].before.data(), told.first.data(),
                  told.first.size());
  }
}

void Context::reset() {
  Busy mine(busy);
  resetStates();
}

size_t Context::checkState(const char *name, const void *rows,
                           uint64_t rowBytes) const {
  const size_t index = model->stateNamed(name);
  const npu_tensor_info &info = model->states()[index].info;
  if (!rows && info.row_bytes > 0)
    throw Failure(NPU_BAD_ARGUMENT,
                  "state '" + std::string(name) + "' needs memory, got null");
  if (rowBytes != info.row_bytes)
    throw Failure(NPU_BAD_ARGUMENT, "state '" + std::string(name) + "' has " +
                                        std::to_string(info.row_bytes) +
                                        " bytes in rows, but the memory has " +
                                        std::to_string(rowBytes));
  return index;
}

/// The same tensor in row-major logical order.
static npu_tensor_desc inRows(const npu_tensor_desc &tensor) {
  return kernels::makeTensor(tensor.dtype, tensor.dims, tensor.rank);
}

void Context::readState(const char *name, void *rows, uint64_t rowBytes) {
  const size_t index = checkState(name, rows, rowBytes);
  Busy mine(busy);
  const npu_tensor_desc &tensor =
      stateBefore(model->program(), static_cast<uint32_t>(index)).tensor;
  if (rowBytes > 0)
    model->convert(tensor, states[index].before.data(), inRows(tensor), rows);
}

void Context::writeState(const char *name, const void *rows,
                         uint64_t rowBytes) {
  const size_t index = checkState(name, rows, rowBytes);
  Busy mine(busy);
  const npu_tensor_desc &tensor =
      stateBefore(model->program(), static_cast<uint32_t>(index)).tensor;
  if (rowBytes > 0)
    model->convert(inRows(tensor), rows, tensor, states[index].before.data());
}

void Context::setProfiling(bool on) {
  profiling = on;
  std::fill(times.begin(), times.end(), npu_kernel_time{});
}

void Context::run(const npu_buffer *inputs, size_t inputCount,
                  const npu_buffer *outputs, size_t outputCount) {
  checkBuffers("input", inputs, inputCount, model->inputs());
  checkBuffers("output", outputs, outputCount, model->outputs());
  checkOverlap(inputs, inputCount, outputs, outputCount);
  Busy mine(busy);
  std::vector<void *> in, out;
  for (size_t i = 0; i < inputCount; ++i)
    in.push_back(inputs[i].data);
  for (size_t i = 0; i < outputCount; ++i)
    out.push_back(outputs[i].data);
  for (State &state : states) {
    in.push_back(state.before.data());
    out.push_back(state.after.data());
  }
  const npu_program &program = model->program();
  npu_exec exec{*this};
  npu_frame frame = {&imports,
                     &exec,
                     arena.data(),
                     program.weights,
                     in.data(),
                     out.data(),
                     model->constants().made()};
  int32_t status = 0;
  std::string wrong; // on the chip
  replaced.clear();
  model->executor().run([&] {
    kernels::FloatStateScope notes;
    if (onChip) {
      wrong = runOnChip(frame);
      return;
    }
    status = runOnce(frame);
    if (status == 0 && model->losesNan() &&
        kernels::sawInvalid(model->executor().threads())) {
      keepNan();
      status = runOnce(frame);
    }
  });
  if (status != 0 || !wrong.empty())
    throw Failure(NPU_RUN_FAILED,
                  wrong.empty() ? describeFailure(status) : wrong);
  // A run that fails, or is repeated, has left them as they were.
  for (State &state : states)
    std::swap(state.before, state.after);
}

int32_t Context::runOnce(const npu_frame &frame) {
  failedKernel = -1;
  runStart = Clock::now();
  if (model->losesNan() && replaced.empty())
    kernels::clearInvalid(model->executor().threads());
  return model->program().run(&frame);
}

std::string Context::runOnChip(const npu_frame &frame) {
  std::vector<uint8_t *> regions;
  for (const auto &region : model->chipProgram()->regions)
    switch (region->kind) {
    case chip::RegionKind::Weights:
      regions.push_back(const_cast<uint8_t *>(frame.weights));
      break;
    case chip::RegionKind::Made:
      regions.push_back(const_cast<uint8_t *>(frame.made));
      break;
    case chip::RegionKind::Arena:
      regions.push_back(frame.arena);
      break;
    case chip::RegionKind::Input:
      regions.push_back(static_cast<uint8_t *>(frame.inputs[region->number]));
      break;
    case chip::RegionKind::Output:
      regions.push_back(static_cast<uint8_t *>(frame.outputs[region->number]));
      break;
    case chip::RegionKind::OnChip:
      regions.push_back(nullptr); // the execution's own
    }
  const int threads = model->executor().threads();
  kernels::clearInvalid(threads);
  std::string wrong = onChip->run(regions);
  if (!wrong.empty() || !kernels::sawInvalid(threads))
    return wrong;
  return chip::Execution(*model->chipProgram(), threads, model->checksChip(),
                         /*keepsNan=*/true)
      .run(regions);
}

/// NaN came up: the run is repeated with kernels that do not lose it.
void Context::keepNan() {
  for (const auto &kernel : model->kernelsKeepingNan()) {
    replaced.push_back(kernel.get());
    uint64_t bytes = kernel ? kernel->scratchBytes() : 0;
    if (bytes > scratch.bytes())
      scratch = Memory(bytes, "scratch", model->executor().allocator());
  }
}

std::string Context::describeFailure(int32_t status) const {
  std::string end = " ended with status " + std::to_string(status);
  if (failedKernel < 0)
    return "the program" + end;
  const auto &all = model->kernels();
  auto index = static_cast<size_t>(failedKernel);
  return "kernel '" + std::string(all[index].info.name) + "' (" +
         all[index].info.implementation + ") of node '" + all[index].info.node +
         "'" + (fault.empty() ? end : ": " + fault);
}

int32_t Context::executeKernel(uint32_t kernel, void *const *operands) {
  const auto &all = model->kernels();
  int32_t status = -1;
  if (kernel < all.size() && all[kernel].kernel) {
    bool isOther = kernel < replaced.size() && replaced[kernel];
    const kernels::Kernel &chosen =
        isOther ? *replaced[kernel] : *all[kernel].kernel;
    status = chosen.run(operands, scratch.data());
  }
  if (status != 0)
    noteFailure(kernel, operands);
  return status;
}

void Context::noteFailure(uint32_t kernel, void *const *operands) {
  failedKernel = kernel;
  fault = kernel < model->kernels().size()
              ? kernels::describeFault(
                    problemOf(model->program(),
                              model->program().kernels[kernel], 1, nullptr),
                    operands)
              : "";
}

int32_t Context::callKernel(uint32_t kernel, void *const *operands) {
  if (!profiling)
    return executeKernel(kernel, operands);
  Clock::time_point start = Clock::now();
  int32_t status = executeKernel(kernel, operands);
  record(kernel, start);
  return status;
}

int32_t Context::parallelFor(uint32_t kernel, int64_t count, int64_t grain,
                             npu_body body, void *const *operands) {
  Clock::time_point start = profiling ? Clock::now() : Clock::time_point();
  int64_t chunks = count / std::max<int64_t>(grain, 1);
  int team = static_cast<int>(
      std::clamp<int64_t>(chunks, 1, model->executor().threads()));
  if (team == 1 && count > 0) {
    kernels::FloatStateScope notes;
    body(operands, 0, count);
  }
  if (team > 1)
    kernels::parallelFor(team, [&](int thread, int threads) {
      kernels::Range range = kernels::shareOf(count, thread, threads);
      if (range.begin < range.end)
        body(operands, range.begin, range.end);
    });
  if (profiling)
    record(kernel, start);
  return 0;
}

void Context::record(uint32_t kernel, Clock::time_point start) {
  if (kernel >= times.size())
    return;
  auto ns = [](Clock::duration d) {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
  };
  npu_kernel_time &time = times[kernel];
  time.calls += 1;
  time.start_ns = ns(start - runStart);
  time.last_ns = ns(Clock::now() - start);
  time.total_ns += time.last_ns;
}

} // namespace npu::runtime
