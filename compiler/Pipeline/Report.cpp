// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Report.h"

#include "files/shown_text.h"
#include "files/words.h"
#include "kernels/slow_kernels.h"

#include "llvm/Support/Format.h"

using namespace npu;
namespace json = llvm::json;

/// Raised when a key changes its meaning or goes.
static constexpr int64_t reportVersion = 2;

static json::Object relayoutJson(const RelayoutItem &item) {
  json::Object row{{"kind", item.kind},         {"value", item.value},
                   {"from", item.from},         {"to", item.to},
                   {"bytes", item.bytes},       {"cost", item.cost},
                   {"floor", item.floor},       {"node", item.node},
                   {"boundary", item.boundary}, {"reason", item.cause.reason},
                   {"rule", item.cause.rule}};
  row["forced_by"] = json::Object{{"kind", item.cause.kind},
                                  {"name", item.cause.name},
                                  {"operand", item.cause.operand}};
  if (item.fix)
    row["fix"] = json::Object{{"change", item.fix->change},
                              {"saves_count", item.fix->savesCount},
                              {"saves_bytes", item.fix->savesBytes}};
  else if (item.fixSearched)
    row["fix"] = nullptr;
  return row;
}

static json::Object kernelJson(const ReportedKernel &kernel) {
  json::Object row{{"name", kernel.name},
                   {"op", kernel.op},
                   {"implementation", kernel.implementation},
                   {"slow", kernel.slow},
                   {"adapter_bytes", kernel.adapterBytes},
                   {"layouts", json::Array(kernel.layouts)},
                   {"node", kernel.node}};
  cost::writeFigures(kernel.chip, [&](StringRef key, json::Value value) {
    row[key] = std::move(value);
  });
  return row;
}

static json::Object searchJson(const SearchOutcome &search) {
  return json::Object{{"cost", search.cost},
                      {"lower_bound", search.lowerBound},
                      {"proved", search.proved},
                      {"settled", search.settled},
                      {"method", search.method},
                      {"seconds", search.seconds},
                      {"values", search.values},
                      {"ops", search.ops},
                      {"capped_values", search.capped},
                      {"space", search.space}};
}

/// What the strategies cost in the objective's unit, and how much more than
/// optimal that is.
static json::Array strategiesJson(const CompileReport &report) {
  auto optimal =
      llvm::find_if(report.strategies, [](const StrategyResult &row) {
        return row.name == "optimal" && row.feasible;
      });
  json::Array rows;
  for (const StrategyResult &result : report.strategies) {
    json::Object row{{"name", result.name}, {"feasible", result.feasible}};
    if (result.feasible) {
      row["cost"] = result.cost.of(report.objective);
      row["count"] = result.cost.count;
      row["bytes"] = result.cost.bytes;
      row["cycles"] = result.cost.kernels.cycles;
      row["energy_pj"] = result.cost.kernels.energy;
      if (optimal != report.strategies.end())
        row["distance"] = result.cost.of(report.objective) -
                          optimal->cost.of(report.objective);
    } else {
      row["reason"] = result.whyNot;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The network's time on the chip: its kernels' sum.
static json::Object chipJson(const CompileReport &report) {
  const cost::Machine &machine = report.machine;
  double macsPerCycle = machine.macRows * machine.macColumns;
  cost::ChipTotals totals;
  for (const ReportedKernel &kernel : report.kernels)
    add(totals, kernel.chip, kernel.relayout);
  finish(totals, machine.clockMHz, machine.dmaChannels);
  json::Object chip{{"clock_mhz", machine.clockMHz},
                    {"data_flow", cost::nameOf(machine.dataFlow).data()},
                    {"macs_per_cycle", macsPerCycle},
                    {"dma_bytes_per_cycle", machine.dramBytesPerCycle()},
                    {"sram_bytes", machine.sramKiB * 1024}};
  cost::writeTotals(totals, [&](StringRef key, json::Value value) {
    chip[key] = std::move(value);
  });
  return chip;
}

/// What of the memory below the values' highest address no value has, while
/// the kernel runs during which that is most.
static int64_t fragmentedBytes(const CompileReport &report) {
  std::vector<int64_t> held(report.kernels.size());
  for (const ReportedResident &one : report.residents)
    for (size_t kernel = one.first; kernel <= one.last; ++kernel)
      held[kernel] += one.bytes;
  int64_t most = 0;
  for (auto [kernel, bytes] : llvm::zip(report.kernels, held))
    most = std::max(most,
                    static_cast<int64_t>(kernel.chip.resident_bytes) - bytes);
  return most;
}

static json::Object onChipJson(const CompileReport &report) {
  json::Array values;
  for (const ReportedResident &one : report.residents)
    values.push_back(
        json::Object{{"kernel", one.kernel},
                     {"node", one.node},
                     {"offset", one.offset},
                     {"bytes", one.bytes},
                     {"first_kernel", static_cast<int64_t>(one.first)},
                     {"last_kernel", static_cast<int64_t>(one.last)}});
  return json::Object{{"values", std::move(values)},
                      {"fragmented_bytes", fragmentedBytes(report)}};
}

void npu::sayQuantized(const CompileReport &report,
                       format::Manifest &manifest) {
  for (const ReportedQuantized &row : report.quantizedIo) {
    format::ManifestTensor &tensor =
        (row.isInput ? manifest.inputs : manifest.outputs)[row.index];
    tensor.scale = row.scale;
    tensor.zeroPoint = row.zeroPoint;
  }
}

static StringRef precisionName(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return "f32";
  case Precision::Bf16:
    return "bf16";
  case Precision::I8:
    return "i8";
  }
  llvm_unreachable("a precision without a name");
}

static json::Array statesJson(const CompileReport &report) {
  json::Array states;
  for (const ReportedState &state : report.states) {
    json::Object row{{"name", json::fixUTF8(state.name)},
                     {"type", state.type},
                     {"shape", json::Array(state.shape)},
                     {"layout", state.layout},
                     {"bytes", state.bytes}};
    row["begins_as"] = state.beginsAsConstant ? "constant" : "zeros";
    states.push_back(std::move(row));
  }
  return states;
}

json::Object npu::reportJson(const CompileReport &report) {
  json::Array items, kernels;
  for (const RelayoutItem &item : report.layout.items)
    items.push_back(relayoutJson(item));
  for (const ReportedKernel &kernel : report.kernels)
    kernels.push_back(kernelJson(kernel));
  json::Array quantized;
  for (const ReportedQuantized &row : report.quantizedIo)
    quantized.push_back(json::Object{{"name", row.name},
                                     {"input", row.isInput},
                                     {"type", row.type},
                                     {"scale", row.scale},
                                     {"zero_point", row.zeroPoint}});
  json::Array placement;
  for (const ReportedPlacement &row : report.placement)
    placement.push_back(json::Object{{"node", row.node},
                                     {"op", row.op},
                                     {"why", row.why},
                                     {"change", row.change}});
  json::Array algorithms;
  for (const auto &[node, algorithm] : report.layout.algorithms)
    algorithms.push_back(json::Object{{"op", node}, {"algorithm", algorithm}});
  json::Array splits;
  for (const SplitItem &split : report.layout.splits)
    splits.push_back(json::Object{{"op", split.op},
                                  {"before", split.before},
                                  {"from", split.from},
                                  {"to", split.to},
                                  {"algorithm", split.algorithm}});
  json::Array plugins;
  for (const ReportedPlugin &plugin : report.plugins)
    plugins.push_back(json::Object{{"name", plugin.name},
                                   {"version", plugin.version},
                                   {"path", plugin.path}});
  json::Object seconds;
  for (const auto &[stage, taken] : report.seconds)
    seconds[stage] = taken;
  json::Object root{
      {"version", reportVersion},
      {"npuc_version", NPU_VERSION},
      {"target", report.target},
      {"plugins", std::move(plugins)},
      {"layout", report.strategy},
      {"objective", objectiveName(report.objective)},
      {"cost", report.layout.cost.of(report.objective)},
      {"strategies", strategiesJson(report)},
      {"relayouts",
       json::Object{{"count", report.layout.count()},
                    {"bytes", report.layout.bytes()},
                    {"boundary_count", report.layout.boundaryCount()},
                    {"items", std::move(items)}}},
      {"fallback", report.fallback},
      {"quantized_io", std::move(quantized)},
      {"states", statesJson(report)},
      {"placement", std::move(placement)},
      {"algorithms", std::move(algorithms)},
      {"splits", std::move(splits)},
      {"kernels", std::move(kernels)},
      {"chip", chipJson(report)},
      {"on_chip", onChipJson(report)},
      {"memory",
       json::Object{{"arena_bytes", report.arenaBytes},
                    {"arena_lower_bound_bytes", report.arenaLowerBoundBytes},
                    {"weight_bytes", report.weightBytes}}},
      {"compile_seconds", std::move(seconds)}};
  if (report.measured)
    root["measured"] =
        json::Object{{"file", json::fixUTF8(report.targetFile)},
                     {"processor", json::fixUTF8(report.measured->processor)},
                     {"library", json::fixUTF8(report.measured->library)},
                     {"threads", report.measured->threads},
                     {"of_this_machine", report.measured->ofThisMachine}};
  if (report.precision != Precision::F32)
    root["precision"] = json::Object{{"type", precisionName(report.precision)},
                                     {"products", report.narrowProducts}};
  if (report.search)
    root["optimal"] = searchJson(*report.search);
  return root;
}

std::string npu::onChipText(const CompileReport &report) {
  if (report.residents.empty())
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  uint64_t top = 0;
  for (const ReportedKernel &kernel : report.kernels)
    top = std::max(top, kernel.chip.resident_bytes);
  out << "on the chip: " << files::countText(report.residents.size(), "value")
      << " below " << files::bytesText(static_cast<int64_t>(top)) << " of "
      << files::bytesText(static_cast<int64_t>(report.machine.sramKiB * 1024))
      << ", " << files::bytesText(fragmentedBytes(report))
      << " of them between values\n";
  for (const ReportedResident &one : report.residents)
    out << "  " << one.offset << " to " << one.offset + one.bytes << ": "
        << files::shownName(one.kernel) << ", until "
        << files::shownName(report.kernels[one.last].name) << "\n";
  return text;
}

/// What is known of the plan that the search found.
static std::string verdictOf(const SearchOutcome &search) {
  if (search.proved)
    return "proved to be the least";
  if (search.capped == 0 || search.cost != search.lowerBound)
    return "not proved to be the least";
  return "the least of what was looked at, but " +
         files::countText(search.capped, "value or op has",
                          "values or ops have") +
         " more layouts than that";
}

std::string npu::searchText(const CompileReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  StringRef unit = objectiveUnit(report.objective);
  out << report.strategy << ": " << report.layout.cost.of(report.objective)
      << " " << unit;
  if (report.search)
    out << ", at least " << report.search->lowerBound << ", "
        << verdictOf(*report.search) << " (" << report.search->method << ", "
        << llvm::format("%.3f s", report.search->seconds) << ")";
  for (const StrategyResult &result : report.strategies)
    if (result.name != report.strategy) {
      out << "; " << result.name << " ";
      if (result.feasible)
        out << result.cost.of(report.objective);
      else
        out << "infeasible";
    }
  out << "\n";
  return text;
}

void npu::printSummary(llvm::raw_ostream &stream, const CompileReport &report) {
  double seconds = 0;
  for (const auto &[stage, taken] : report.seconds)
    seconds += taken;
  stream << files::shownName(report.target) << "/" << report.strategy << ": ";
  if (report.isPlanned)
    stream << files::countText(report.kernels.size(), "kernel") << ", ";
  if (!report.placement.empty())
    stream << files::countText(report.placement.size(), "op")
           << " on the processor, ";
  if (report.precision != Precision::F32)
    stream << files::countText(report.narrowProducts, "product") << " of "
           << precisionName(report.precision) << ", ";
  stream << files::countText(report.layout.count(), "relayout") << " ("
         << report.layout.boundaryCount() << " at the boundary, "
         << files::bytesText(report.layout.bytes()) << "), ";
  if (report.isPlanned)
    stream << "arena " << files::bytesText(report.arenaBytes)
           << " (least possible "
           << files::bytesText(report.arenaLowerBoundBytes) << "), weights "
           << files::bytesText(report.weightBytes) << ", ";
  stream << llvm::format("%.2f s", seconds) << "\n";
  if (!report.targetNote.empty())
    stream << "note: " << files::shownMessage(report.targetNote) << "\n";
  std::vector<kernels::SlowKernel> slow;
  for (const ReportedKernel &kernel : report.kernels)
    if (kernel.slow)
      slow.push_back({kernel.name, kernel.node, kernel.implementation});
  for (const std::string &warning : kernels::describeSlowKernels(slow))
    stream << "warning: " << files::shownMessage(warning) << "\n";
}
