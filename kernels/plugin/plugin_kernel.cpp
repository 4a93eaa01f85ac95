// SPDX-License-Identifier: Apache-2.0
//
// The host's side of npu_plugin_kernel: query, create, pack and run.
#include "kernels/plugin/plugin_kernel.h"

#include "kernels/parallel.h"
#include "kernels/registry.h"

#include <cmath>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace npu::kernels {
namespace {

/// More is an error of the plugin's.
constexpr uint64_t mostScratch = uint64_t(1) << 40;
constexpr double mostCycles = 1e15;

/// "kernel 'rows': query", for crash reports; lives as long as the process.
struct Labels {
  explicit Labels(const npu_plugin_kernel &kernel)
      : query(label(kernel, "query")), create(label(kernel, "create")),
        pack(label(kernel, "pack")), run(label(kernel, "run")) {}
  static std::string label(const npu_plugin_kernel &kernel, const char *what) {
    return std::string("kernel '") + kernel.name + "': " + what;
  }
  std::string query, create, pack, run;
};

const Labels &labelsOf(const npu_plugin_kernel &kernel) {
  static std::mutex mutex;
  static auto *all = new std::unordered_map<const npu_plugin_kernel *, Labels>;
  std::lock_guard<std::mutex> lock(mutex);
  return all->try_emplace(&kernel, kernel).first->second;
}

class PluginKernel : public Kernel {
public:
  PluginKernel(const plugin::Plugin &plugin, const npu_plugin_kernel &kernel,
               const Problem &problem, const npu_plugin_answer &answer)
      : from(plugin), entry(kernel), labels(labelsOf(kernel)),
        threads(problem.threads), answer(answer) {}
  ~PluginKernel() override {
    if (entry.destroy && isMade)
      callPlugin(from, labels.create.c_str(), [&] {
        entry.destroy(made);
        return 0;
      });
  }
  PluginKernel(const PluginKernel &) = delete;
  PluginKernel &operator=(const PluginKernel &) = delete;

  int32_t create(const PluginProblem &problem) {
    int32_t status = callPlugin(from, labels.create.c_str(), [&] {
      return entry.create(problem.get(), &made);
    });
    isMade = status == 0;
    return status;
  }

  std::string implementation() const override {
    return from.name + ":" + entry.name;
  }
  const plugin::Plugin *plugin() const override { return &from; }
  size_t scratchBytes() const override {
    return static_cast<size_t>(answer.scratch_bytes);
  }
  size_t pack(const void *const *operands) override {
    if (!entry.pack)
      return 0;
    packStatus = callPlugin(from, labels.pack.c_str(),
                            [&] { return entry.pack(made, operands); });
    return 0; // it is the plugin's own memory
  }
  bool isPacked(size_t input) const override {
    return entry.pack && input < 64 && (answer.packed_inputs >> input & 1);
  }

  int run(void *const *operands, void *scratch) const override {
    if (packStatus != 0)
      return packStatus;
    npu_plugin_run run = {};
    run.struct_size = sizeof(run);
    run.threads = threads;
    run.operands = operands;
    run.scratch = scratch;
    run.host = this;
    run.parallel_for = parallelForOfPlugin;
    return callPlugin(from, labels.run.c_str(),
                      [&] { return entry.run(made, &run); });
  }

private:
  static void parallelForOfPlugin(const void *host, int64_t count,
                                  int64_t grain,
                                  void (*body)(void *, int64_t, int64_t),
                                  void *data) {
    const auto &self = *static_cast<const PluginKernel *>(host);
    if (count <= 0)
      return;
    int64_t parts = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
    parts = std::min<int64_t>(parts, self.threads);
    // The team may come out smaller; the parts stay the same.
    parallelFor(parts > 1 ? self.threads : 1, [&](int thread, int team) {
      plugin::InPlugin guard(self.from, self.labels.run.c_str());
      for (int64_t part = thread; part < parts; part += team) {
        Range range =
            shareOf(count, static_cast<int>(part), static_cast<int>(parts));
        [&]() noexcept { body(data, range.begin, range.end); }();
      }
    });
  }

  const plugin::Plugin &from;
  const npu_plugin_kernel &entry;
  const Labels &labels;
  int threads;
  npu_plugin_answer answer;
  void *made = nullptr;
  bool isMade = false;
  int32_t packStatus = 0;
};

/// Why an answer is none; else empty.
std::string wrongAnswer(const npu_plugin_answer &answer) {
  if (answer.struct_size != sizeof(answer))
    return "has changed struct_size to " + std::to_string(answer.struct_size);
  if (!answer.accepts)
    return "";
  if (!std::isfinite(answer.cycles) || answer.cycles < 0 ||
      answer.cycles > mostCycles)
    return "gave a cost of " + std::to_string(answer.cycles) +
           " cycles, expected a finite number from 0 to 1e15";
  if (answer.scratch_bytes > mostScratch)
    return "asked for " + std::to_string(answer.scratch_bytes) +
           " bytes of scratch, expected at most 2^40";
  return "";
}

bool hasPlugins(const Problem &problem) {
  return problem.plugins && !problem.plugins->plugins.empty();
}

/// Whether it is for the op and the target.
bool isFor(const plugin::Plugin &plugin, const npu_plugin_kernel &kernel,
           const PluginProblem &problem) {
  const npu_plugin_problem &asked = *problem.get();
  if (kernel.op != asked.op)
    return false;
  if (kernel.op == NPU_OP_CUSTOM && (problem.op().plugin != plugin.name ||
                                     problem.op().op != kernel.custom_op))
    return false;
  if (!kernel.targets)
    return true;
  for (const char *const *target = kernel.targets; *target; ++target)
    if (std::strcmp(*target, asked.target) == 0)
      return true;
  return false;
}

/// Calls use(plugin, kernel) for each that is for the problem, in order, until
/// it is true.
template <class Use>
void eachKernel(const Problem &problem, const PluginProblem &asked, Use use) {
  for (const plugin::Plugin *plugin : problem.plugins->plugins) {
    const npu_plugin *brings = plugin->runtime;
    for (int32_t i = 0; brings && i < brings->n_kernels; ++i)
      if (isFor(*plugin, brings->kernels[i], asked) &&
          use(*plugin, brings->kernels[i]))
        return;
  }
}

void addRefusal(std::string &refusals, const plugin::Plugin &plugin,
                const npu_plugin_kernel &kernel, const std::string &why) {
  refusals += (refusals.empty() ? "" : "; ") + plugin.name + ":" + kernel.name +
              ": " + why;
}

} // namespace

std::unique_ptr<npu_plugin_answer> ask(const plugin::Plugin &plugin,
                                       const npu_plugin_kernel &kernel,
                                       const PluginProblem &problem,
                                       std::string &whyNot) {
  auto answer = std::make_unique<npu_plugin_answer>();
  *answer = {};
  answer->struct_size = sizeof(*answer);
  const std::string &label = labelsOf(kernel).query;
  int32_t status = callPlugin(plugin, label.c_str(), [&] {
    return kernel.query(problem.get(), answer.get());
  });
  std::string wrong = wrongAnswer(*answer);
  if (status != 0)
    wrong = "ended with status " + std::to_string(status);
  if (!wrong.empty()) {
    plugin.blame(label + " " + wrong);
    whyNot = wrong;
    return nullptr;
  }
  if (answer->accepts)
    return answer;
  whyNot = plugin::reasonOf(answer->reason);
  return nullptr;
}

std::unique_ptr<Kernel> createOfPlugin(const plugin::Plugin &plugin,
                                       const npu_plugin_kernel &kernel,
                                       const Problem &problem,
                                       std::string &whyNot) {
  PluginProblem asked(problem);
  auto answer = ask(plugin, kernel, asked, whyNot);
  if (!answer)
    return nullptr;
  auto made = std::make_unique<PluginKernel>(plugin, kernel, problem, *answer);
  if (int32_t status = made->create(asked)) {
    whyNot = "create ended with status " + std::to_string(status);
    plugin.blame(std::string("kernel '") + kernel.name + "': " + whyNot);
    return nullptr;
  }
  return made;
}

std::unique_ptr<Kernel> createOfPlugins(const Problem &problem,
                                        std::string &refusals) {
  std::unique_ptr<Kernel> made;
  if (!hasPlugins(problem))
    return made;
  eachKernel(
      problem, PluginProblem(problem),
      [&](const plugin::Plugin &plugin, const npu_plugin_kernel &kernel) {
        std::string why;
        made = createOfPlugin(plugin, kernel, problem, why);
        if (!made)
          addRefusal(refusals, plugin, kernel, why);
        return made != nullptr;
      });
  return made;
}

PluginAnswer queryPlugins(const Problem &problem) {
  PluginAnswer found;
  if (!hasPlugins(problem))
    return found;
  PluginProblem asked(problem);
  eachKernel(
      problem, asked,
      [&](const plugin::Plugin &plugin, const npu_plugin_kernel &kernel) {
        std::string ignored;
        auto answer = ask(plugin, kernel, asked, ignored);
        if (!answer)
          return false;
        found = {plugin.name + ":" + kernel.name, answer->cycles};
        return true;
      });
  return found;
}

} // namespace npu::kernels
