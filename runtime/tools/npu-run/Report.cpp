// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Report.h"

#include "files/shown_text.h"
#include "files/words.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <tuple>

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
  return npu::files::shownJson(
             json.dump(1, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

[[gnu::format(printf, 1, 2)]] std::string line(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

/// Of docs/run.schema.json: raised when a key changes its meaning or goes.
constexpr int reportVersion = 1;

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

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

cost::ChipTotals Session::totals() const {
  cost::ChipTotals totals;
  for (const npu_kernel_info &kernel : kernels)
    add(totals, kernel, kernel.relayout != 0);
  finish(totals, chip.clock_mhz, chip.dma_channels);
  return totals;
}

static Json simulatedJson(const Session &session) {
  uint64_t bytes = 0;
  for (const npu_kernel_info &kernel : session.kernels)
    bytes += kernel.bytes;
  Json simulated = {{"chip", session.chip.name},
                    {"data_flow", session.chip.data_flow},
                    {"clock_mhz", session.chip.clock_mhz},
                    {"macs_per_cycle", session.chip.macs_per_cycle},
                    {"dma_bytes_per_cycle", session.chip.dma_bytes_per_cycle},
                    {"sram_bytes", session.chip.sram_bytes},
                    {"bytes", bytes}};
  cost::writeTotals(session.totals(), [&](const char *key, auto value) {
    simulated[key] = value;
  });
  return simulated;
}

static Json kernelJson(const Session &session, size_t index) {
  const npu_kernel_info &k = session.kernels[index];
  Json kernel = {{"name", k.name}, {"op", k.op}};
  if (!session.isSimulatedOnly())
    kernel.update({{"implementation", k.implementation},
                   {"host_ms", session.kernelMs(index)}});
  cost::writeFigures(k,
                     [&](const char *key, auto value) { kernel[key] = value; });
  kernel.update({{"bytes", k.bytes},
                 {"node", k.node},
                 {"layouts", k.layouts},
                 {"relayout", k.relayout != 0},
                 {"generated", k.generated != 0}});
  if (!session.isSimulatedOnly())
    kernel.update({{"slow", k.slow != 0}, {"adapter_bytes", k.adapter_bytes}});
  return kernel;
}

/// What loading and running took on this machine.
static Json hostJson(const Session &session) {
  Json runs = Json::array();
  for (const RunTime &run : session.runs)
    runs.push_back(run.ms);
  const npu_load_stats &load = session.load;
  return {{"latency_ms",
           {{"min", session.minMs()},
            {"median", session.medianMs()},
            {"runs", runs}}},
          {"threads", load.threads},
          {"load_ms", load.load_ms},
          {"pack_ms", load.pack_ms},
          {"convert_ms", session.convertMs},
          {"peak_rss_bytes", peakResidentBytes()},
          {"packed_bytes", load.packed_bytes},
          {"released_bytes", load.released_bytes},
          {"scratch_bytes", load.scratch_bytes},
          {"state_bytes", load.state_bytes}};
}

std::string jsonReport(const Session &session) {
  Json kernels = Json::array();
  for (size_t i = 0; i < session.kernels.size(); ++i)
    kernels.push_back(kernelJson(session, i));
  const npu_load_stats &load = session.load;
  Json root = {{"version", reportVersion}};
  if (!session.isSimulatedOnly())
    root.update(hostJson(session));
  root.update({{"file_bytes", load.file_bytes},
               {"weight_bytes", load.weight_bytes},
               {"arena_bytes", load.arena_bytes},
               {"simulated", simulatedJson(session)},
               {"kernels", kernels}});
  return dump(root);
}

/// How much of the time is from a table of measured kernels; empty: nothing.
static std::string measuredText(const cost::ChipTotals &totals) {
  if (totals.measured_cycles + totals.scaled_cycles == 0)
    return "";
  auto part = [&](uint64_t cycles) {
    return percent(static_cast<double>(cycles),
                   static_cast<double>(totals.cycles));
  };
  return line("; %.1f %% measured, %.1f %% scaled by measured kernels",
              part(totals.measured_cycles), part(totals.scaled_cycles));
}

/// The chip's time, which needs no run.
static std::string chipLine(const Session &session) {
  const npu_chip_info &chip = session.chip;
  cost::ChipTotals totals = session.totals();
  std::string energy =
      totals.energy_pj
          ? line(", %.3f uJ", static_cast<double>(totals.energy_pj) / 1e6)
          : "";
  return line("chip     %.3f ms, %llu cycles of %s at %g MHz (%s), floor "
              "%llu%s%s\n",
              totals.ms, static_cast<unsigned long long>(totals.cycles),
              files::shownName(chip.name).c_str(), chip.clock_mhz,
              chip.data_flow,
              static_cast<unsigned long long>(totals.floor_cycles),
              energy.c_str(), measuredText(totals).c_str());
}

std::string summary(const Session &session) {
  if (session.isSimulatedOnly())
    return chipLine(session);
  const npu_load_stats &load = session.load;
  auto bytes = [](uint64_t count) {
    return files::bytesText(static_cast<int64_t>(count));
  };
  return line("latency  %.3f ms median, %.3f ms min of ", session.medianMs(),
              session.minMs()) +
         files::countText(session.runs.size(), "run") + ", " +
         files::countText(static_cast<uint64_t>(load.threads), "thread") +
         "\n" + chipLine(session) +
         line("load     %.1f ms, of it %.1f ms to make kernels and pack %s of "
              "weights\n",
              load.load_ms, load.pack_ms, bytes(load.packed_bytes).c_str()) +
         line("convert  %.3f ms between files and stored order\n",
              session.convertMs) +
         "memory   " + bytes(peakResidentBytes()) + " peak, arena " +
         bytes(load.arena_bytes) + ", scratch " + bytes(load.scratch_bytes) +
         (load.state_bytes > 0 ? ", states " + bytes(load.state_bytes) : "") +
         "\n";
}

namespace {

/// Columns of --profile; names are cut to fit.
constexpr size_t profileWidth = 100;

/// What the table of kernels adds up.
struct ProfileSum {
  double ms = 0;
  uint64_t cycles = 0, floor = 0, bytes = 0, dram = 0, onChip = 0, energy = 0;

  void add(const npu_kernel_info &kernel, double kernelMs) {
    ms += kernelMs;
    cycles += kernel.cycles;
    floor += kernel.floor_cycles;
    bytes += kernel.bytes;
    dram += kernel.dram_read_bytes + kernel.dram_written_bytes;
    onChip += kernel.on_chip_read_bytes + kernel.on_chip_written_bytes;
    energy += kernel.energy_pj;
  }
};

double microjoules(uint64_t picojoules) {
  return static_cast<double>(picojoules) / 1e6;
}

std::string hostColumns(const ProfileSum &row, const ProfileSum &total) {
  return line("%10.4f %5.1f%%", row.ms, percent(row.ms, total.ms));
}

std::string chipColumns(const ProfileSum &row, const ProfileSum &total) {
  return line("%12llu %5.1f%% %10llu %8.3f %8.3f",
              static_cast<unsigned long long>(row.cycles),
              percent(static_cast<double>(row.cycles),
                      static_cast<double>(total.cycles)),
              static_cast<unsigned long long>(row.floor), megabytes(row.dram),
              megabytes(row.onChip)) +
         // A chip that says nothing of energy has no such column.
         (total.energy ? line(" %9.3f", microjoules(row.energy)) : "");
}

std::string headings(bool hasHost, bool hasEnergy) {
  return (hasHost ? line("%10s %6s", "host ms", "share") : "") +
         line("%12s %6s %10s %8s %8s", "cycles", "share", "floor", "DRAM MB",
              "chip MB") +
         (hasEnergy ? line(" %9s", "uJ") : "") +
         line("%7s  %s\n", "array", "bound by");
}

/// A part of a name that is too long; --json has all of it.
std::string shortened(const std::string &name, size_t most) {
  if (name.size() <= most)
    return name;
  size_t end = most - 3;
  while (end > 0 && (name[end] & 0xc0) == 0x80) // within a character
    --end;
  return name.substr(0, end) + "...";
}

/// What a kernel is, under its numbers.
std::string kernelLine(const npu_kernel_info &kernel, bool hasHost) {
  std::string begin = std::string("    ") + kernel.name + ": ";
  std::string end = std::string("; ") + kernel.op;
  if (hasHost)
    end += std::string(" by ") + kernel.implementation;
  if (kernel.slow)
    end += " [slow]";
  size_t taken = begin.size() + end.size();
  size_t room = taken + 20 < profileWidth ? profileWidth - taken : 20;
  return begin + shortened(files::shownName(kernel.node), room) + end + "\n";
}

} // namespace

std::string profileTable(const Session &session) {
  std::vector<size_t> order(session.kernels.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::vector<ProfileSum> rows(order.size());
  ProfileSum total, relayouts;
  uint64_t adapterBytes = 0;
  for (size_t i : order) {
    const npu_kernel_info &kernel = session.kernels[i];
    rows[i].add(kernel, session.kernelMs(i));
    total.add(kernel, rows[i].ms);
    if (kernel.relayout)
      relayouts.add(kernel, rows[i].ms);
    adapterBytes += kernel.adapter_bytes;
  }
  auto key = [&](size_t i) {
    return std::make_tuple(-rows[i].ms, -static_cast<double>(rows[i].cycles),
                           i);
  };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return key(a) < key(b); });
  bool hasHost = !session.isSimulatedOnly();
  auto rowOf = [&](const ProfileSum &row, const std::string &rest) {
    return (hasHost ? hostColumns(row, total) : "") + chipColumns(row, total) +
           rest + "\n";
  };
  std::string text = headings(hasHost, total.energy != 0);
  for (size_t i : order) {
    const npu_kernel_info &k = session.kernels[i];
    text += rowOf(rows[i], line("%6.1f%%  %s", 100 * k.utilisation, k.bound)) +
            kernelLine(k, hasHost);
    if (k.adapter_bytes)
      text += line("    and %.3f MB of hidden data movement inside\n",
                   megabytes(k.adapter_bytes));
  }
  // Each kernel's floor; the network's, which values pass on the chip, is
  // lower.
  text += rowOf(total,
                "  in " + files::countText(session.kernels.size(), "kernel"));
  std::string adapters =
      adapterBytes ? line(", and %.3f MB in adapters", megabytes(adapterBytes))
                   : "";
  return text + rowOf(relayouts, "  in relayouts" + adapters);
}

namespace {

/// Events of the Chrome trace format, which Perfetto opens.
class Trace {
public:
  void nameProcess(int process, const std::string &name) {
    meta("process_name", process, 0, name);
  }
  void nameThread(int process, int thread, const std::string &name) {
    meta("thread_name", process, thread, name);
  }
  /// Start and duration in microseconds.
  void add(int process, int thread, const std::string &name,
           const char *category, double start, double duration,
           Json arguments = Json::object()) {
    events.push_back({{"name", name},
                      {"cat", category},
                      {"ph", "X"},
                      {"pid", process},
                      {"tid", thread},
                      {"ts", start},
                      {"dur", duration},
                      {"args", std::move(arguments)}});
  }
  /// A counter's values from `at` on, in microseconds.
  void count(int process, const std::string &name, double at, Json values) {
    events.push_back({{"name", name},
                      {"ph", "C"},
                      {"pid", process},
                      {"ts", at},
                      {"args", std::move(values)}});
  }
  std::string print() const {
    return dump({{"traceEvents", events}, {"displayTimeUnit", "ms"}});
  }

private:
  void meta(const char *kind, int process, int thread,
            const std::string &name) {
    events.push_back({{"name", kind},
                      {"ph", "M"},
                      {"pid", process},
                      {"tid", thread},
                      {"args", {{"name", name}}}});
  }

  Json events = Json::array();
};

const char *categoryOf(const npu_kernel_info &kernel) {
  return kernel.relayout ? "relayout" : "kernel";
}

void traceHost(const Session &session, Trace &trace) {
  constexpr int host = 1;
  trace.nameProcess(host, "npu-run");
  trace.nameThread(host, 1, "runs");
  trace.nameThread(host, 2, "kernels");
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const RunTime &run = session.runs[r];
    trace.add(host, 1, "run " + std::to_string(r), "run", run.startMs * 1e3,
              run.ms * 1e3);
    for (size_t i = 0; i < run.kernels.size(); ++i) {
      const npu_kernel_info &k = session.kernels[i];
      const npu_kernel_time &time = run.kernels[i];
      if (time.calls == 0)
        continue;
      trace.add(host, 2, k.name, categoryOf(k),
                run.startMs * 1e3 + static_cast<double>(time.start_ns) / 1e3,
                static_cast<double>(time.last_ns) / 1e3,
                {{"op", k.op},
                 {"implementation", k.implementation},
                 {"node", k.node},
                 {"layouts", k.layouts},
                 {"bytes", k.bytes}});
    }
  }
}

/// One run on the chip: each kernel, and how long it keeps which part busy.
void traceChip(const Session &session, Trace &trace) {
  constexpr int chip = 2;
  trace.nameProcess(chip, std::string("chip ") + session.chip.name);
  trace.nameThread(chip, 1, "kernels");
  trace.nameThread(chip, 2, "mac array");
  trace.nameThread(chip, 3, "vector unit");
  trace.nameThread(chip, 4, "dma in");
  trace.nameThread(chip, 5, "dma out");
  trace.nameThread(chip, 6, "processor");
  trace.nameThread(chip, 7, "on-chip memory");
  uint64_t start = 0;
  auto microseconds = [&](uint64_t cycles) {
    return static_cast<double>(cycles) / session.chip.clock_mhz;
  };
  for (const npu_kernel_info &k : session.kernels) {
    double begin = microseconds(start);
    trace.add(chip, 1, k.name, categoryOf(k), begin, microseconds(k.cycles),
              {{"op", k.op},
               {"node", k.node},
               {"cycles", k.cycles},
               {"bound", k.bound},
               {"energy_pj", k.energy_pj},
               {"utilisation", k.utilisation}});
    const std::pair<int, uint64_t> parts[] = {
        {2, k.array_cycles},   {3, k.vector_cycles},    {4, k.dma_in_cycles},
        {5, k.dma_out_cycles}, {6, k.processor_cycles}, {7, k.on_chip_cycles}};
    for (auto [thread, cycles] : parts)
      if (cycles)
        trace.add(chip, thread, k.name, "part", begin, microseconds(cycles));
    trace.count(chip, "on-chip memory", begin,
                {{"values", k.resident_bytes}, {"tiles", k.tile_bytes}});
    start += k.cycles;
  }
  trace.count(chip, "on-chip memory", microseconds(start),
              {{"values", 0}, {"tiles", 0}});
}

} // namespace

std::string traceJson(const Session &session) {
  Trace trace;
  if (!session.isSimulatedOnly())
    traceHost(session, trace);
  traceChip(session, trace);
  return trace.print();
}

} // namespace npu::tools
