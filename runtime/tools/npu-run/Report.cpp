// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

namespace npu::tools {
namespace {

using Json = nlohmann::ordered_json;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

/// The kernel's high-water mark of this program. Not getrusage(): its ru_maxrss
/// outlives exec() and so holds the peak of whoever started us.
uint64_t peakResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line.c_str(), "VmHWM: %llu kB", &kibibytes) == 1)
      return kibibytes * 1024;
  }
  return 0;
}

/// A model's names may hold bytes that are no UTF-8; they must not stop a
/// report.
std::string dump(const Json &json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

[[gnu::format(printf, 1, 2)]] std::string line(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

} // namespace

double Session::minMs() const {
  double best = runs.empty() ? 0 : runs[0].ms;
  for (const RunTime &run : runs)
    best = std::min(best, run.ms);
  return best;
}

double Session::medianMs() const {
  std::vector<double> values;
  for (const RunTime &run : runs)
    values.push_back(run.ms);
  return median(values);
}

double Session::kernelMs(size_t index) const {
  std::vector<double> values;
  for (const RunTime &run : runs)
    values.push_back(static_cast<double>(run.kernels[index].total_ns) / 1e6);
  return median(values);
}

std::string jsonReport(const Session &session) {
  Json kernels = Json::array();
  for (size_t i = 0; i < session.kernels.size(); ++i) {
    const npu_kernel_info &k = session.kernels[i];
    kernels.push_back({{"name", k.name},
                       {"op", k.op},
                       {"implementation", k.implementation},
                       {"host_ms", session.kernelMs(i)},
                       {"bytes", k.bytes},
                       {"node", k.node},
                       {"layouts", k.layouts},
                       {"slow", k.slow != 0},
                       {"relayout", k.relayout != 0},
                       {"generated", k.generated != 0},
                       {"adapter_bytes", k.adapter_bytes}});
  }
  Json runs = Json::array();
  for (const RunTime &run : session.runs)
    runs.push_back(run.ms);
  const npu_load_stats &load = session.load;
  Json root = {{"latency_ms",
                {{"min", session.minMs()},
                 {"median", session.medianMs()},
                 {"runs", runs}}},
               {"threads", load.threads},
               {"load_ms", load.load_ms},
               {"pack_ms", load.pack_ms},
               {"convert_ms", session.convertMs},
               {"peak_rss_bytes", peakResidentBytes()},
               {"file_bytes", load.file_bytes},
               {"weight_bytes", load.weight_bytes},
               {"packed_bytes", load.packed_bytes},
               {"released_bytes", load.released_bytes},
               {"arena_bytes", load.arena_bytes},
               {"scratch_bytes", load.scratch_bytes},
               {"kernels", kernels}};
  return dump(root);
}

std::string summary(const Session &session) {
  const npu_load_stats &load = session.load;
  return line("latency  %.3f ms median, %.3f ms min of %zu runs, %d threads\n",
              session.medianMs(), session.minMs(), session.runs.size(),
              load.threads) +
         line("load     %.1f ms, of it %.1f ms to make kernels and pack %.1f "
              "MB of weights\n",
              load.load_ms, load.pack_ms, megabytes(load.packed_bytes)) +
         line("convert  %.3f ms between files and stored order\n",
              session.convertMs) +
         line("memory   %.1f MB peak, arena %.1f MB, scratch %.1f MB\n",
              megabytes(peakResidentBytes()), megabytes(load.arena_bytes),
              megabytes(load.scratch_bytes));
}

std::string profileTable(const Session &session) {
  std::vector<size_t> order(session.kernels.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::vector<double> ms;
  for (size_t i : order)
    ms.push_back(session.kernelMs(i));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return ms[a] != ms[b] ? ms[a] > ms[b] : a < b;
  });
  double total = std::accumulate(ms.begin(), ms.end(), 0.0);
  double scale = total > 0 ? 100 / total : 0;
  double relayouts = 0;
  uint64_t relayoutBytes = 0, adapterBytes = 0;
  std::string text = line("%10s %6s %9s  %-14s %-28s %s\n", "ms", "share", "MB",
                          "op", "implementation", "kernel: node");
  for (size_t i : order) {
    const npu_kernel_info &k = session.kernels[i];
    text += line("%10.4f %5.1f%% %9.3f  %-14s %-28s %s: %s%s\n", ms[i],
                 ms[i] * scale, megabytes(k.bytes), k.op, k.implementation,
                 k.name, k.node, k.slow ? "  [slow]" : "");
    if (k.adapter_bytes)
      text += line("%10s %6s %9.3f  %-14s hidden data movement inside %s\n", "",
                   "", megabytes(k.adapter_bytes), "adapter", k.name);
    adapterBytes += k.adapter_bytes;
    relayouts += k.relayout ? ms[i] : 0;
    relayoutBytes += k.relayout ? k.bytes : 0;
  }
  text +=
      line("%10.4f 100.0%%  in %zu kernels\n", total, session.kernels.size());
  text += line("%10.4f %5.1f%% %9.3f  in relayouts", relayouts,
               relayouts * scale, megabytes(relayoutBytes));
  if (adapterBytes)
    text += line(", and %.3f MB in adapters", megabytes(adapterBytes));
  return text + "\n";
}

std::string traceJson(const Session &session) {
  Json events = Json::array();
  auto name = [&](const char *kind, int thread, const char *what) {
    events.push_back({{"name", kind},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", thread},
                      {"args", {{"name", what}}}});
  };
  name("process_name", 0, "npu-run");
  name("thread_name", 1, "runs");
  name("thread_name", 2, "kernels");
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const RunTime &run = session.runs[r];
    events.push_back({{"name", "run " + std::to_string(r)},
                      {"cat", "run"},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", run.startMs * 1e3},
                      {"dur", run.ms * 1e3}});
    for (size_t i = 0; i < run.kernels.size(); ++i) {
      const npu_kernel_info &k = session.kernels[i];
      const npu_kernel_time &time = run.kernels[i];
      if (time.calls == 0)
        continue;
      events.push_back(
          {{"name", k.name},
           {"cat", k.relayout ? "relayout" : "kernel"},
           {"ph", "X"},
           {"pid", 1},
           {"tid", 2},
           {"ts", run.startMs * 1e3 + static_cast<double>(time.start_ns) / 1e3},
           {"dur", static_cast<double>(time.last_ns) / 1e3},
           {"args",
            {{"op", k.op},
             {"implementation", k.implementation},
             {"node", k.node},
             {"layouts", k.layouts},
             {"bytes", k.bytes}}}});
    }
  }
  return dump({{"traceEvents", events}, {"displayTimeUnit", "ms"}});
}

} // namespace npu::tools
