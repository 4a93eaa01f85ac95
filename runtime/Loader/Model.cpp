// SPDX-License-Identifier: Apache-2.0

#include "runtime/Loader/Model.h"

#include "chip/table.h"
#include "cost/count.h"
#include "format/footer.h"
#include "kernels/registry.h"
#include "kernels/slow_kernels.h"
#include "kernels/tensor.h"
#include "runtime/Executor/Memory.h"
#include "runtime/Loader/CpuFeatures.h"
#include "runtime/Loader/ElfCheck.h"
#include "runtime/Loader/Rehearsal.h"
#include "runtime/Loader/Verifier.h"
#include "runtime/Status.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sched.h>

namespace npu::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

int usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

/// The size of the team that the options ask for.
int teamSize(const npu_load_options &options) {
  constexpr int most = 1024;
  if (options.threads < 0 || options.threads > most)
    throw Failure(NPU_BAD_ARGUMENT,
                  std::to_string(options.threads) +
                      " threads were asked for, expected 1 to " +
                      std::to_string(most) + ", or 0 for all processors");
  if (options.run_inline && options.threads > 1)
    throw Failure(NPU_BAD_ARGUMENT, "inline runs use one thread, but " +
                                        std::to_string(options.threads) +
                                        " were asked for");
  if (options.run_inline)
    return 1;
  return options.threads == 0 ? usableProcessors() : options.threads;
}

/// What the caller brings, checked.
Host hostOf(const npu_load_options &options) {
  Host host;
  if (!options.host)
    return host;
  const npu_host &given = *options.host;
  if (given.size != sizeof(npu_host))
    throw Failure(NPU_BAD_ARGUMENT, "npu_host.size is " +
                                        std::to_string(given.size) +
                                        ", expected sizeof(npu_host), " +
                                        std::to_string(sizeof(npu_host)));
  if (!given.allocate != !given.release)
    throw Failure(NPU_BAD_ARGUMENT,
                  std::string("npu_host has ") +
                      (given.allocate ? "allocate" : "release") + " without " +
                      (given.allocate ? "release" : "allocate") +
                      "; set both or neither");
  host.allocator = {given.user, given.allocate, given.release};
  host.pool = {given.user, given.parallel_for};
  return host;
}

npu_code codeOf(format::ReadError error) {
  switch (error) {
  case format::ReadError::CannotRead:
    return NPU_CANNOT_READ;
  case format::ReadError::WrongVersion:
    return NPU_WRONG_VERSION;
  default:
    return NPU_BAD_FILE;
  }
}

std::string join(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &item : items)
    text += (text.empty() ? "" : ", ") + item;
  return text;
}

/// "oneDNN 3" of "oneDNN 3.2.0": what must agree for weights and attributes to
/// mean the same.
std::string major(const std::string &version) {
  return version.substr(0, version.find('.'));
}

/// Whether kernels of one library compute what was compiled for the other. A
/// program's layouts are its own: without oneDNN it runs, too, and what was
/// compiled without it runs with it.
bool isCompatible(const std::string &theirs, const std::string &here) {
  const std::string own = std::string(kernels::ownKernels) + " ";
  const std::string other = std::string(kernels::oneDnn) + " ";
  auto is = [](const std::string &version, const std::string &library) {
    return version.compare(0, library.size(), library) == 0;
  };
  bool areSame = is(theirs, own) == is(here, own);
  return areSame ? major(theirs) == major(here)
                 : is(theirs, own) || is(theirs, other);
}

npu_tensor_info tensorInfo(const npu_tensor_desc &tensor,
                           const format::ManifestTensor &told) {
  npu_tensor_info info = {};
  info.name = told.name.c_str();
  info.type = static_cast<npu_type>(tensor.dtype);
  info.rank = tensor.rank;
  std::copy(tensor.dims, tensor.dims + tensor.rank, info.shape);
  info.layout = told.layout.c_str();
  info.layout_name = told.layoutName.c_str();
  info.bytes = static_cast<uint64_t>(kernels::storedBytes(tensor));
  info.row_bytes = static_cast<uint64_t>(kernels::elementCount(tensor) *
                                         kernels::dtypeBytes(tensor.dtype));
  info.scale = told.scale;
  info.zero_point = told.zeroPoint;
  return info;
}

/// "acdb, dcab -> acdb"
std::string layoutsText(const format::ManifestKernel &kernel) {
  const size_t inputs = kernel.layouts.size() - kernel.results;
  std::string text;
  for (size_t i = 0; i < kernel.layouts.size(); ++i) {
    if (i == inputs)
      text += text.empty() ? "-> " : " -> ";
    else if (i > 0)
      text += ", ";
    text += kernel.layouts[i];
  }
  return text;
}

std::string compileAgain(const std::string &path, const std::string &wrong) {
  return "'" + path + "': " + wrong + "; compile it again with npuc";
}

} // namespace

Model::Model(const Source &source, const npu_load_options &options)
    : image(source) {
  Clock::time_point start = Clock::now();
  int threads = teamSize(options);
  Host host = hostOf(options);
  bool simulateOnly = options.simulate_only != 0;
  loadPlugins(options);
  readManifest(source.path);
  if (!simulateOnly)
    loadImage(source.path);
  if (!simulateOnly && options.execute != NPU_EXECUTE_KERNELS)
    prepareChip(options.execute);
  describeSignature(source.path);
  loadStats.weight_bytes = manifest.weightBytes;
  loadStats.arena_bytes = manifest.arenaBytes;
  loadStats.threads = threads;
  // Sized once: the infos point into their own elements.
  modelKernels.resize(manifest.kernels.size());
  if (simulateOnly) {
    for (uint32_t i = 0; i < modelKernels.size(); ++i)
      describeKernel(i,
                     manifest.kernels[i].generated ? "generated" : "not made");
  } else {
    checkThreads();
    runner = std::make_unique<Executor>(threads, options.run_inline != 0, host);
    Clock::time_point packing = Clock::now();
    // On the executor's thread: what kernels choose depends on its team.
    runner->run([this] {
      plugin::MessageScope messages([this](int32_t, const std::string &told) {
        warningTexts.push_back(told);
      });
      makeKernels();
    });
    if (std::string fault = plugins->fault(); !fault.empty())
      throw Failure(NPU_BAD_PLUGIN, fault);
    loadStats.pack_ms = millisecondsSince(packing);
    warnOfSlowKernels();
  }
  loadStats.load_ms = millisecondsSince(start);
}

void Model::loadPlugins(const npu_load_options &options) {
  if (options.plugin_count < 0 ||
      (options.plugin_count > 0 && !options.plugins))
    throw Failure(NPU_BAD_ARGUMENT,
                  "npu_load_options has a plugin_count of " +
                      std::to_string(options.plugin_count) +
                      (options.plugins ? "" : " and no plugins"));
  std::vector<const plugin::Plugin *> loaded;
  for (int32_t i = 0; i < options.plugin_count; ++i) {
    const char *path = options.plugins[i];
    std::string error = "npu_load_options has a plugin without a path";
    loaded.push_back(path ? plugin::load(path, error) : nullptr);
    if (!loaded.back())
      throw Failure(NPU_BAD_PLUGIN, error);
  }
  plugins = plugin::use(std::move(loaded), "");
}

/// Of the plugins that the caller names, those that the program was compiled
/// with: others would choose other kernels.
void Model::choosePlugins(const std::string &path) {
  std::vector<const plugin::Plugin *> needed;
  for (const format::ManifestPlugin &wanted : manifest.plugins) {
    const plugin::Plugin *found = plugins->find(wanted.name);
    const std::string sentence = "'" + path + "' was compiled with plugin " +
                                 wanted.name + " " + wanted.version;
    if (!found)
      throw Failure(NPU_BAD_PLUGIN,
                    sentence + ", which is not loaded; name its library with "
                               "--plugin (npu_load_options.plugins)");
    if (!found->runtime || found->version != wanted.version)
      throw Failure(NPU_BAD_PLUGIN,
                    sentence + ", but '" + found->path + "' is " +
                        found->nameAndVersion() +
                        (found->runtime ? "" : " without kernels and ops") +
                        "; load that version, or compile it again with this "
                        "one");
    needed.push_back(found);
  }
  plugins = plugin::use(std::move(needed), manifest.targetName);
}

const npu_program &Model::program() const {
  if (!image.program())
    throw Failure(NPU_BAD_ARGUMENT,
                  "the model was loaded with simulate_only, so nothing in it "
                  "can run; load it without");
  return *image.program();
}

Executor &Model::executor() {
  program();
  return *runner;
}

void Model::readManifest(const std::string &path) {
  format::Sealed sealed = format::readSealed(image.descriptor(), path);
  if (sealed.error != format::ReadError::None)
    throw Failure(codeOf(sealed.error), sealed.message);
  loadStats.file_bytes = sealed.fileBytes;
  elfBytes = sealed.elfBytes;
  text = std::move(sealed.manifest);
  chipTable = std::move(sealed.chip);
  std::string wrong = format::parseManifest(text, manifest);
  if (!wrong.empty())
    throw Failure(NPU_BAD_FILE, compileAgain(path, wrong));
  choosePlugins(path);
}

/// What the ELF part says of a region of the chip's program.
static uint64_t bytesOf(const npu_program &program, uint64_t made,
                        uint64_t onChip, const chip::RegionT &region) {
  switch (region.kind) {
  case chip::RegionKind::Weights:
    return program.weight_bytes;
  case chip::RegionKind::Made:
    return made;
  case chip::RegionKind::Arena:
    return program.arena_bytes;
  case chip::RegionKind::OnChip:
    return onChip;
  case chip::RegionKind::Input:
    return region.number < program.n_inputs
               ? program.inputs[region.number].bytes
               : 0;
  case chip::RegionKind::Output:
    return region.number < program.n_outputs
               ? program.outputs[region.number].bytes
               : 0;
  }
  return 0;
}

std::unique_ptr<chip::ProgramT> Model::readChipProgram() const {
  if (chipTable.empty())
    throw Failure(NPU_BAD_ARGUMENT,
                  "the program has no chip's program; compile it with npuc "
                  "--chip-program");
  auto program = std::make_unique<chip::ProgramT>();
  if (std::string wrong = chip::decode(chipTable, *program); !wrong.empty())
    throw Failure(NPU_BAD_FILE, "the chip's program: " + wrong +
                                    "; compile it again with npuc");
  return program;
}

void Model::prepareChip(int32_t execute) {
  if (execute != NPU_EXECUTE_CHIP && execute != NPU_EXECUTE_CHIP_UNCHECKED)
    throw Failure(NPU_BAD_ARGUMENT, "npu_load_options.execute is " +
                                        std::to_string(execute) +
                                        ", which is no npu_execute");
  ofChip = readChipProgram();
  checksRuns = execute == NPU_EXECUTE_CHIP;
}

/// In place of kernels, what the chip's program reads.
void Model::makeChipConstants() {
  const auto onChip = static_cast<uint64_t>(manifest.machine.sramKiB * 1024);
  for (const auto &region : ofChip->regions) {
    const uint64_t expected =
        bytesOf(program(), given->madeBytes(), onChip, *region);
    if (static_cast<uint64_t>(region->bytes) > expected)
      throw Failure(NPU_BAD_FILE,
                    "the chip's program: " + chip::nameOf(*region) + " has " +
                        std::to_string(region->bytes) + " bytes, expected " +
                        std::to_string(expected) +
                        "; compile it again with npuc");
  }
  for (uint32_t i = 0; i < program().n_kernels; ++i) {
    given->operandsOf(program().kernels[i]);
    describeKernel(i, "chip");
  }
}

void Model::loadImage(const std::string &path) {
  checkMachine(path);
  std::string wrong = checkElf(image.descriptor(), elfBytes);
  if (!wrong.empty())
    throw Failure(
        NPU_BAD_FILE,
        "'" + path + "' has an ELF part with " + wrong +
            ", which no file of npuc has; compile it again with npuc");
  image.load();
  wrong = verifyProgram(*image.program(), image.bounds(), manifest, plugins);
  if (wrong.empty())
    wrong = rehearse(*image.program(), image.bounds());
  if (!wrong.empty())
    throw Failure(NPU_BAD_FILE, compileAgain(path, wrong));
}

void Model::checkMachine(const std::string &path) {
  std::vector<std::string> missing = missingCpuFeatures(manifest.cpuFeatures);
  if (!missing.empty())
    throw Failure(NPU_WRONG_MACHINE,
                  "'" + path + "' needs processor features that this machine " +
                      "does not have: " + join(missing) +
                      "; compile it with --mcpu=native on this machine");
  std::string here = kernels::libraryVersion();
  if (!isCompatible(manifest.onednnVersion, here))
    throw Failure(NPU_WRONG_VERSION,
                  "'" + path + "' was compiled for '" + manifest.onednnVersion +
                      "', but this runtime has '" + here +
                      "'; compile it again with the npuc of this runtime");
  if (manifest.onednnVersion != here)
    warningTexts.push_back("compiled for " + manifest.onednnVersion +
                           ", running on " + here +
                           ": kernels may be others than the compiler chose");
}

void Model::checkThreads() {
  auto measured = static_cast<int64_t>(manifest.measuredThreads);
  if (measured > 0 && measured != loadStats.threads)
    warningTexts.push_back(
        "layouts and predicted times are by measurements with " +
        std::to_string(measured) + " threads, this run has " +
        std::to_string(loadStats.threads) + "; `npu-bench --calibrate " +
        "--threads=" + std::to_string(loadStats.threads) +
        "` and npuc make a program for it");
}

void Model::describeSignature(const std::string &path) {
  auto describe = [&](const format::ManifestTensor &told) {
    npu_tensor_desc tensor;
    std::string wrong = tensorOf(told, tensor);
    if (!wrong.empty())
      throw Failure(NPU_BAD_FILE, compileAgain(path, wrong));
    return tensorInfo(tensor, told);
  };
  for (const format::ManifestTensor &told : manifest.inputs)
    inputInfos.push_back(describe(told));
  for (const format::ManifestTensor &told : manifest.outputs)
    outputInfos.push_back(describe(told));
  for (const format::ManifestState &told : manifest.states) {
    modelStates.push_back({describe(told), {}});
    // Before a run and after it.
    loadStats.state_bytes += 2 * modelStates.back().info.bytes;
  }
}

size_t Model::stateNamed(const char *name) const {
  std::string known;
  for (size_t i = 0; i < modelStates.size(); ++i) {
    if (std::strcmp(modelStates[i].info.name, name) == 0)
      return i;
    known += (known.empty() ? "'" : ", '") +
             std::string(modelStates[i].info.name) + "'";
  }
  throw Failure(NPU_BAD_ARGUMENT,
                "there is no state '" + std::string(name) +
                    "'; the program has " +
                    (known.empty() ? std::string("none") : known));
}

/// Pages of the file that no kernel reads are given back later.
void Model::copyFirstStates() {
  for (uint32_t i = 0; i < program().n_states; ++i) {
    const npu_io_desc &before = stateBefore(program(), i);
    if (before.tensor.weights_offset < 0)
      continue;
    const uint8_t *first = program().weights + before.tensor.weights_offset;
    modelStates[i].first.assign(first, first + before.bytes);
  }
}

void Model::makeKernels() {
  copyFirstStates();
  given = std::make_unique<Constants>(image, loadStats.threads);
  if (ofChip)
    return makeChipConstants();
  packed.cover(program().weights, program().weight_bytes);
  packed.cover(given->made(), given->madeBytes());
  kernels::PackedScope scope(packed);
  for (uint32_t i = 0; i < program().n_kernels; ++i)
    makeKernel(i);
  loadStats.packed_bytes += given->keptBytes();
  loadStats.released_bytes = given->releaseUnread();
  const kernels::Kernel *next = nullptr;
  for (auto made = modelKernels.rbegin(); made != modelKernels.rend(); ++made) {
    if (made->kernel && next)
      made->kernel->announce(*next);
    if (made->kernel && made->kernel->readsFirst(0).count != 0)
      next = made->kernel.get();
  }
}

void Model::makeKernel(uint32_t index) {
  const npu_kernel_desc &k = program().kernels[index];
  if (k.flags & NPU_KERNEL_GENERATED) {
    given->operandsOf(k);
    given->settle(k, std::vector<bool>(static_cast<size_t>(k.n_inputs), true));
    describeKernel(index, "generated");
    return;
  }
  kernels::Problem problem =
      problemOf(program(), k, loadStats.threads, plugins);
  problem.narrow = given->narrowOf(k);
  std::unique_ptr<kernels::Kernel> &kernel = modelKernels[index].kernel;
  kernel = kernels::create(problem);
  if (std::string fault = plugins->fault(); !kernel && !fault.empty())
    throw Failure(NPU_BAD_PLUGIN, fault);
  if (!kernel)
    throw Failure(NPU_INTERNAL, "no implementation takes kernel '" +
                                    manifest.kernels[index].name + "'");
  loadStats.packed_bytes += packConstants(k, *kernel);
  mayLoseNan |= kernel->losesNan();
  loadStats.scratch_bytes =
      std::max<uint64_t>(loadStats.scratch_bytes, kernel->scratchBytes());
  describeKernel(index, kernel->implementation());
}

/// Returns the bytes newly allocated.
uint64_t Model::packConstants(const npu_kernel_desc &row,
                              kernels::Kernel &kernel) {
  std::vector<const void *> constants =
      given->operandsOf(row, kernel.readsNarrow());
  const uint64_t bytes = kernel.pack(constants.data());
  std::vector<bool> isRead(constants.size());
  for (size_t i = 0; i < constants.size(); ++i)
    isRead[i] = constants[i] && !kernel.isPacked(i);
  given->settle(row, isRead);
  return bytes;
}

const std::vector<std::unique_ptr<kernels::Kernel>> &
Model::kernelsKeepingNan() {
  std::call_once(madeKeepingNan, [this] {
    kernels::PackedScope scope(packed);
    keepingNan.resize(modelKernels.size());
    for (uint32_t i = 0; i < program().n_kernels; ++i) {
      const auto &fast = modelKernels[i].kernel;
      if (!fast || !fast->losesNan())
        continue;
      kernels::Problem problem = problemOf(program(), program().kernels[i],
                                           loadStats.threads, plugins);
      problem.keepsNan = true;
      problem.narrow = given->narrowOf(program().kernels[i]);
      keepingNan[i] = kernels::create(problem);
      // Released pages come back from the file, or are made again.
      packConstants(program().kernels[i], *keepingNan[i]);
    }
  });
  return keepingNan;
}

npu_chip_info Model::chip() const {
  const cost::Machine &machine = manifest.machine;
  return {manifest.targetName.c_str(),
          cost::nameOf(machine.dataFlow).data(),
          machine.clockMHz,
          machine.macRows * machine.macColumns,
          machine.dramBytesPerCycle(),
          machine.sramKiB * 1024,
          machine.dmaChannels};
}

void Model::describeKernel(uint32_t index, std::string implementation) {
  const format::ManifestKernel &told = manifest.kernels[index];
  ModelKernel &made = modelKernels[index];
  made.layouts = layoutsText(told);
  made.implementation = std::move(implementation);
  made.info = {};
  made.info.name = told.name.c_str();
  made.info.op = told.op.c_str();
  made.info.implementation = made.implementation.c_str();
  made.info.node = told.node.c_str();
  made.info.layouts = made.layouts.c_str();
  made.info.bytes = told.bytes;
  made.info.adapter_bytes = made.kernel ? made.kernel->adapterBytes() : 0;
  made.info.generated = told.generated;
  made.info.relayout = told.relayout;
  made.info.slow = made.kernel && made.kernel->isSlow();
  made.chip = cost::figuresOf(told.work, told.tiling,
                              static_cast<int64_t>(told.residentBytes),
                              manifest.machine);
#define NPU_CHIP_COPY(key) made.info.key = made.chip.key;
  NPU_CHIP_FIGURES(NPU_CHIP_COPY)
#undef NPU_CHIP_COPY
  made.info.utilisation = made.chip.utilisation;
  made.info.tiling = made.chip.tiling.c_str();
  made.info.mapping = made.chip.mapping.c_str();
  made.info.bound = made.chip.bound;
}

void Model::warnOfSlowKernels() {
  std::vector<kernels::SlowKernel> slow;
  for (const ModelKernel &kernel : modelKernels)
    if (kernel.info.slow)
      slow.push_back(
          {kernel.info.name, kernel.info.node, kernel.info.implementation});
  for (std::string &warning : kernels::describeSlowKernels(slow))
    warningTexts.push_back(std::move(warning));
}

void Model::convert(const npu_tensor_desc &from, const void *source,
                    const npu_tensor_desc &to, void *target) {
  Executor &team = executor();
  if (kernels::sameStorage(from, to)) {
    std::memcpy(target, source,
                static_cast<size_t>(kernels::storedBytes(from)));
    return;
  }
  kernels::Problem problem;
  problem.op = NPU_OP_RELAYOUT;
  problem.inputs = {from};
  problem.outputs = {to};
  problem.threads = loadStats.threads;
  int status = 0;
  team.run([&] {
    auto kernel = kernels::create(problem);
    Memory scratch(kernel->scratchBytes(), "a conversion", team.allocator());
    void *const operands[] = {const_cast<void *>(source), target};
    status = kernel->run(operands, scratch.data());
  });
  if (status != 0)
    throw Failure(NPU_RUN_FAILED, "converting " + kernels::describe(from) +
                                      " to " + kernels::describe(to) +
                                      " ended with status " +
                                      std::to_string(status));
}

} // namespace npu::runtime
