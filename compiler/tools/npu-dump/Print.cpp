// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-dump/Print.h"

#include "chip/table.h"
#include "chip/text.h"
#include "compiler/tools/npu-dump/PluginOp.h"
#include "cost/chip_figures.h"
#include "files/shown_text.h"
#include "files/words.h"
#include "format/instr_kinds.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace npu;
using namespace npu::dump;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;
using npu::files::shownName;
namespace json = llvm::json;

static StringRef instrName(int16_t kind) {
  const npu::InstrKind *row = npu::lookupInstr(kind);
  return row ? StringRef(row->name) : StringRef("unknown");
}

static std::string bytesText(uint64_t bytes) {
  return npu::files::bytesText(static_cast<int64_t>(bytes));
}

std::string dump::shapeText(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t d) { return std::to_string(d); }), "x");
}

static llvm::ArrayRef<npu_tensor_desc>
tensorsOf(const ProgramFile &file, const npu_kernel_desc &kernel) {
  return llvm::ArrayRef(file.tensors)
      .slice(kernel.first_tensor,
             static_cast<size_t>(kernel.n_inputs + kernel.n_outputs));
}

static llvm::ArrayRef<npu_instr> instrsOf(const ProgramFile &file,
                                          const npu_kernel_desc &kernel) {
  return llvm::ArrayRef(file.instrs)
      .slice(kernel.first_instr, static_cast<size_t>(kernel.n_instrs));
}

/// "conv + add + relu", "acme.rope"; a chain without a root is its functions
/// alone. `custom`: what an op of a plugin is called.
static std::string workText(const ProgramFile &file,
                            const npu_kernel_desc &kernel,
                            std::string custom = "") {
  std::string text = std::move(custom);
  if (kernel.op != NPU_OP_CUSTOM && kernel.op != NPU_OP_ELTWISE)
    text = kernels::opName(kernel.op);
  for (const npu_instr &instr : instrsOf(file, kernel))
    text += (text.empty() ? "" : " + ") + instrName(instr.kind).str();
  return text;
}

static void printTensor(raw_ostream &out,
                        const format::ManifestTensor &tensor) {
  out << "  " << shownName(tensor.name) << ": " << tensor.dtype << " "
      << shapeText(tensor.shape) << ", stored as " << tensor.layout;
  if (!tensor.layoutName.empty() && tensor.layoutName != tensor.layout)
    out << " (" << tensor.layoutName << ")";
  if (tensor.scale != 0)
    out << ", quantized: (number - " << tensor.zeroPoint << ") * "
        << llvm::format("%.9g", tensor.scale);
}

static void printTensors(raw_ostream &out, const char *title,
                         const std::vector<format::ManifestTensor> &tensors) {
  out << title << ":\n";
  for (const format::ManifestTensor &tensor : tensors) {
    printTensor(out, tensor);
    out << "\n";
  }
}

static const char *beginsAs(const format::ManifestState &state) {
  return state.beginsAsConstant ? "constant" : "zeros";
}

static void printStates(raw_ostream &out,
                        const std::vector<format::ManifestState> &states) {
  if (states.empty())
    return;
  out << "states:\n";
  for (const format::ManifestState &state : states) {
    printTensor(out, state);
    out << ", begins as " << beginsAs(state) << "\n";
  }
}

static void printSignature(raw_ostream &out, const ProgramFile &file) {
  const format::Manifest &m = file.manifest;
  out << "model: " << shownName(m.modelName) << "\n"
      << "target: " << shownName(m.targetName) << ", layout "
      << shownName(m.layoutStrategy) << "\n"
      << "made by: npuc " << m.npucVersion << ", format " << m.formatVersion
      << ", " << m.onednnVersion << "\n"
      << "needs: " << file.triple.getArchName();
  for (const std::string &feature : m.cpuFeatures)
    out << " " << feature;
  for (const format::ManifestPlugin &plugin : m.plugins)
    out << ", plugin " << shownName(plugin.name) << " "
        << shownName(plugin.version);
  out << "\n";
  printTensors(out, "inputs", m.inputs);
  printTensors(out, "outputs", m.outputs);
  printStates(out, m.states);
}

static cost::ChipFigures figuresOf(const format::Manifest &manifest,
                                   const format::ManifestKernel &kernel) {
  return cost::figuresOf(kernel.work, kernel.tiling,
                         static_cast<int64_t>(kernel.residentBytes),
                         manifest.machine);
}

/// "chip   6,072 cycles (dma), tiles 784x64x64 of 3136x64x64, weights stay", or
/// what the processor beside it takes.
static std::string chipText(const format::Manifest &manifest,
                            const format::ManifestKernel &kernel) {
  cost::ChipFigures chip = figuresOf(manifest, kernel);
  // Where the chip says nothing of energy, neither do we.
  std::string energy =
      chip.energy_pj ? formatv(", {0} pJ", chip.energy_pj).str() : "";
  if (kernel.work.processor)
    return formatv("processor {0} cycles, link {1} cycles ({2}){3}",
                   chip.processor_cycles, chip.link_cycles,
                   bytesText(chip.link_bytes), energy);
  const char *from = chip.measured_cycles ? "measured"
                     : chip.scaled_cycles ? "scaled by measured kernels"
                                          : chip.bound;
  return formatv("chip   {0} cycles ({1}, floor {6}){5}, tiles: {2}; on chip: "
                 "{3} of tiles, {4} of values that stay",
                 chip.cycles, from, chip.tiling, bytesText(chip.tile_bytes),
                 bytesText(chip.resident_bytes), energy, chip.floor_cycles);
}

static void printKernels(raw_ostream &out, const ProgramFile &file) {
  size_t generated = 0, relayouts = 0;
  for (const format::ManifestKernel &kernel : file.manifest.kernels) {
    generated += kernel.generated;
    relayouts += kernel.relayout;
  }
  out << "kernels: " << file.kernels.size() << " (" << generated
      << " generated, " << npu::files::countText(relayouts, "relayout")
      << ")\n";
  for (size_t i = 0; i < file.kernels.size(); ++i) {
    const npu_kernel_desc &kernel = file.kernels[i];
    const format::ManifestKernel &told = file.manifest.kernels[i];
    out << formatv(
        "  {0,3} {1}: {2}{3}, {4}", i, shownName(told.name),
        workText(file, kernel,
                 kernel.op == NPU_OP_CUSTOM ? shownName(told.op) : ""),
        told.generated ? " (generated)" : "", bytesText(told.bytes));
    if (kernel.in_place_input >= 0)
      out << ", result in place of input " << kernel.in_place_input;
    if (!told.node.empty())
      out << ", from " << shownName(told.node);
    out << "\n        " << chipText(file.manifest, told) << "\n";
    if (auto op = file.pluginOps.find(i); op != file.pluginOps.end())
      out << "        op     " << pluginOpText(op->second, kernel.n_inputs)
          << "\n";
    auto tensors = tensorsOf(file, kernel);
    for (size_t t = 0; t < tensors.size(); ++t) {
      bool isInput = t < static_cast<size_t>(kernel.n_inputs);
      bool isWeight = tensors[t].weights_offset >= 0;
      out << "        "
          << (isWeight  ? "weight"
              : isInput ? "input "
                        : "result")
          << " " << kernels::describe(tensors[t]) << "\n";
    }
  }
}

/// With the number behind what is rounded.
static std::string exactBytes(uint64_t bytes) {
  const std::string number = std::to_string(bytes) + " bytes";
  const std::string text = bytesText(bytes);
  return text == number ? text : text + " (" + number + ")";
}

static void printMemory(raw_ostream &out, const ProgramFile &file) {
  const format::Manifest &m = file.manifest;
  out << "memory:\n"
      << "  arena " << exactBytes(m.arenaBytes);
  if (m.arenaLowerBoundBytes > 0)
    out << formatv(", {0:f1} % above the largest set of values alive at once "
                   "({1})",
                   100.0 * (static_cast<double>(m.arenaBytes) /
                                static_cast<double>(m.arenaLowerBoundBytes) -
                            1),
                   bytesText(m.arenaLowerBoundBytes));
  out << "\n  weights " << exactBytes(m.weightBytes) << "\n";
  for (const format::ManifestResident &one : m.onChip)
    out << "  on chip " << one.offset << " to " << one.offset + one.bytes
        << ": " << shownName(m.kernels[one.kernel].name) << ", until "
        << shownName(m.kernels[one.last].name) << "\n";
  for (const npu_kernel_desc &maker : file.makers) {
    auto tensors = tensorsOf(file, maker);
    std::vector<std::string> sources;
    for (const npu_tensor_desc &source : tensors.drop_back())
      sources.push_back(kernels::describe(source));
    out << "  made at load: " << kernels::describe(tensors.back()) << " of "
        << llvm::join(sources, " and ") << " by " << workText(file, maker)
        << "\n";
  }
}

static void printSections(raw_ostream &out, const ProgramFile &file) {
  out << "file: " << bytesText(file.fileBytes) << ", ELF "
      << bytesText(file.elfBytes) << ", manifest "
      << bytesText(file.manifestText.size()) << "\n"
      << "sections:\n";
  for (const Section &section : file.sections)
    out << formatv("  {0,-20} {1,10}{2}\n", shownName(section.name),
                   bytesText(section.bytes),
                   section.isCode       ? "  code"
                   : section.isWritable ? "  relocated at load"
                                        : "");
}

static void printDisassembly(raw_ostream &out, const ProgramFile &file) {
  for (const Function &function : file.functions) {
    out << shownName(function.name) << ":\n";
    for (const std::string &line : disassemble(file.triple, function))
      out << line << "\n";
    out << "\n";
  }
}

static void printChip(raw_ostream &out, const ProgramFile &file) {
  if (file.chipTable.empty())
    throw DumpError("has no chip's program; compile it with --chip-program");
  chip::ProgramT program;
  if (std::string wrong = chip::decode(file.chipTable, program); !wrong.empty())
    throw DumpError("has a chip's program that cannot be used: " + wrong);
  out << chip::textOf(program);
}

void dump::printText(raw_ostream &out, const ProgramFile &file,
                     const Parts &parts) {
  if (parts.signature)
    printSignature(out, file);
  if (parts.kernels)
    printKernels(out, file);
  if (parts.memory)
    printMemory(out, file);
  if (parts.sections)
    printSections(out, file);
  if (parts.disassembly)
    printDisassembly(out, file);
  if (parts.manifest)
    out << file.manifestText << "\n";
  if (parts.chip)
    printChip(out, file);
}

static json::Object tensorJson(const format::ManifestTensor &tensor) {
  json::Object row{{"name", tensor.name},
                   {"dtype", tensor.dtype},
                   {"shape", json::Array(tensor.shape)},
                   {"layout", tensor.layout},
                   {"layout_name", tensor.layoutName}};
  if (tensor.scale != 0)
    row["quantized"] =
        json::Object{{"scale", tensor.scale}, {"zero_point", tensor.zeroPoint}};
  return row;
}

static json::Array
tensorsJson(const std::vector<format::ManifestTensor> &tensors) {
  json::Array array;
  for (const format::ManifestTensor &tensor : tensors)
    array.push_back(tensorJson(tensor));
  return array;
}

static json::Array
statesJson(const std::vector<format::ManifestState> &states) {
  json::Array array;
  for (const format::ManifestState &state : states) {
    json::Object row = tensorJson(state);
    row["begins_as"] = beginsAs(state);
    array.push_back(std::move(row));
  }
  return array;
}

static json::Array operandsJson(const ProgramFile &file,
                                const npu_kernel_desc &kernel) {
  json::Array array;
  for (const npu_tensor_desc &tensor : tensorsOf(file, kernel))
    array.push_back(json::Object{
        {"dtype", kernels::dtypeName(tensor.dtype)},
        {"shape", json::Array(llvm::ArrayRef(tensor.dims, tensor.rank))},
        {"layout", kernels::layoutString(tensor)},
        {"weights_offset", tensor.weights_offset}});
  return array;
}

static json::Object chipJson(const format::Manifest &manifest,
                             const format::ManifestKernel &kernel) {
  json::Object chip;
  cost::writeFigures(figuresOf(manifest, kernel),
                     [&](llvm::StringRef key, json::Value value) {
                       chip[key] = std::move(value);
                     });
  return chip;
}

static json::Array kernelsJson(const ProgramFile &file) {
  json::Array array;
  for (size_t i = 0; i < file.kernels.size(); ++i) {
    const npu_kernel_desc &kernel = file.kernels[i];
    const format::ManifestKernel &told = file.manifest.kernels[i];
    json::Array functions;
    for (const npu_instr &instr : instrsOf(file, kernel))
      functions.push_back(instrName(instr.kind));
    array.push_back(json::Object{{"name", told.name},
                                 {"op", told.op},
                                 {"node", told.node},
                                 {"kind", kernels::opName(kernel.op)},
                                 {"functions", std::move(functions)},
                                 {"inputs", kernel.n_inputs},
                                 {"outputs", kernel.n_outputs},
                                 {"operands", operandsJson(file, kernel)},
                                 {"in_place_input", kernel.in_place_input},
                                 {"generated", told.generated},
                                 {"relayout", told.relayout},
                                 {"bytes", static_cast<int64_t>(told.bytes)},
                                 {"chip", chipJson(file.manifest, told)}});
    if (auto op = file.pluginOps.find(i); op != file.pluginOps.end())
      (*array.back().getAsObject())["plugin_op"] =
          pluginOpJson(op->second, kernel.n_inputs);
  }
  return array;
}

static json::Object memoryJson(const ProgramFile &file) {
  const format::Manifest &m = file.manifest;
  json::Array made;
  for (const npu_kernel_desc &maker : file.makers)
    made.push_back(json::Object{{"by", workText(file, maker)},
                                {"operands", operandsJson(file, maker)}});
  return json::Object{
      {"arena_bytes", static_cast<int64_t>(m.arenaBytes)},
      {"arena_lower_bound_bytes", static_cast<int64_t>(m.arenaLowerBoundBytes)},
      {"weight_bytes", static_cast<int64_t>(m.weightBytes)},
      {"made_at_load", std::move(made)}};
}

static json::Object sectionsJson(const ProgramFile &file) {
  json::Array array;
  for (const Section &section : file.sections)
    array.push_back(json::Object{{"name", section.name},
                                 {"bytes", static_cast<int64_t>(section.bytes)},
                                 {"code", section.isCode}});
  return json::Object{{"file_bytes", static_cast<int64_t>(file.fileBytes)},
                      {"elf_bytes", static_cast<int64_t>(file.elfBytes)},
                      {"sections", std::move(array)}};
}

static json::Array disassemblyJson(const ProgramFile &file) {
  json::Array array;
  for (const Function &function : file.functions)
    array.push_back(json::Object{
        {"name", function.name},
        {"address", static_cast<int64_t>(function.address)},
        {"instructions", json::Array(disassemble(file.triple, function))}});
  return array;
}

static json::Array pluginsJson(const format::Manifest &manifest) {
  json::Array array;
  for (const format::ManifestPlugin &plugin : manifest.plugins)
    array.push_back(
        json::Object{{"name", plugin.name}, {"version", plugin.version}});
  return array;
}

/// Of docs/dump.schema.json: raised when a key changes its meaning or goes.
static constexpr int64_t dumpVersion = 1;

json::Value dump::toJson(const ProgramFile &file, const Parts &parts) {
  const format::Manifest &m = file.manifest;
  json::Object object{{"version", dumpVersion}};
  if (parts.signature)
    object["signature"] =
        json::Object{{"model", m.modelName},
                     {"target", m.targetName},
                     {"layout", m.layoutStrategy},
                     {"npuc_version", m.npucVersion},
                     {"format_version", static_cast<int64_t>(m.formatVersion)},
                     {"onednn_version", m.onednnVersion},
                     {"architecture", file.triple.getArchName()},
                     {"cpu_features", json::Array(m.cpuFeatures)},
                     {"plugins", pluginsJson(m)},
                     {"inputs", tensorsJson(m.inputs)},
                     {"outputs", tensorsJson(m.outputs)},
                     {"states", statesJson(m.states)}};
  if (parts.kernels)
    object["kernels"] = kernelsJson(file);
  if (parts.memory)
    object["memory"] = memoryJson(file);
  if (parts.sections)
    object["file"] = sectionsJson(file);
  if (parts.disassembly)
    object["disassembly"] = disassemblyJson(file);
  if (parts.manifest) {
    // It has been parsed before.
    llvm::Expected<json::Value> manifest = json::parse(file.manifestText);
    if (manifest)
      object["manifest"] = std::move(*manifest);
    else
      llvm::consumeError(manifest.takeError());
  }
  return object;
}
