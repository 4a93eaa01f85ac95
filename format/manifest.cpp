// SPDX-License-Identifier: Apache-2.0

#include "format/manifest.h"

#include "format/program_format.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>

namespace npu::format {
namespace {

using Json = nlohmann::ordered_json;

struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A JSON value that knows where it lies, so that every error can say so.
class Node {
public:
  Node(const Json &value, std::string path)
      : value(value), path(std::move(path)) {}

  Node member(const char *key) const {
    require(value.is_object(), "an object");
    std::string where = path.empty() ? key : path + "." + key;
    auto found = value.find(key);
    if (found == value.end())
      throw Refusal("manifest key '" + where + "' is missing");
    return {*found, where};
  }
  bool has(const char *key) const { return value.contains(key); }
  bool isArray() const { return value.is_array(); }
  /// Of an array.
  size_t size() const { return value.size(); }
  Node element(size_t i) const {
    return {value[i], path + "[" + std::to_string(i) + "]"};
  }
  std::string text() const {
    require(value.is_string(), "a string");
    return value.get<std::string>();
  }
  bool boolean() const {
    require(value.is_boolean(), "true or false");
    return value.get<bool>();
  }
  uint64_t unsignedNumber() const {
    require(value.is_number_unsigned(), "an unsigned integer");
    return value.get<uint64_t>();
  }
  int64_t extent() const {
    require(value.is_number_unsigned() &&
                value.get<uint64_t>() <= uint64_t(INT64_MAX),
            "an extent");
    return value.get<int64_t>();
  }
  int64_t integer() const {
    require(value.is_number_integer() &&
                (!value.is_number_unsigned() ||
                 value.get<uint64_t>() <= uint64_t(INT64_MAX)),
            "an integer");
    return value.get<int64_t>();
  }
  /// Of bytes, operations: so large that no sum of them overflows.
  double quantity() const {
    double number = value.is_number() ? value.get<double>() : -1;
    require(number >= 0 && number <= 1e15, "a number from 0 to 1e15");
    return number;
  }
  double positive() const {
    double number = value.is_number() ? value.get<double>() : 0;
    require(number > 0 && number <= 1e12, "a positive number up to 1e12");
    return number;
  }
  /// Calls `visit` with each element of an array.
  template <class Visit>
  void each(Visit visit) const {
    require(isArray(), "an array");
    for (size_t i = 0; i < size(); ++i)
      visit(element(i));
  }
  /// Reads each element of an array with `read`.
  template <class Read>
  auto list(Read read) const {
    std::vector<decltype(read(*this))> results;
    each([&](const Node &element) { results.push_back(read(element)); });
    return results;
  }
  void require(bool holds, const char *expected) const {
    if (holds)
      return;
    std::string found =
        value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > 40)
      found = found.substr(0, 40) + "...";
    throw Refusal("manifest key '" + path + "' is " + found + ", expected " +
                  expected);
  }

private:
  const Json &value;
  std::string path;
};

ManifestTensor readTensor(const Node &node) {
  ManifestTensor tensor;
  tensor.name = node.member("name").text();
  // Who asks in C sees what stands before it, which may be another's name.
  node.require(tensor.name.find('\0') == std::string::npos,
               "a name without a zero character");
  tensor.dtype = node.member("dtype").text();
  tensor.shape =
      node.member("shape").list([](const Node &n) { return n.extent(); });
  tensor.layout = node.member("layout").text();
  tensor.layoutName = node.member("layout_name").text();
  if (node.has("quantized")) {
    Node meaning = node.member("quantized");
    tensor.scale = meaning.member("scale").positive();
    tensor.zeroPoint = meaning.member("zero_point").integer();
  }
  return tensor;
}

std::string readText(const Node &node) { return node.text(); }

/// One of the names that `find` knows.
template <class Enum>
Enum readName(const Node &node, std::optional<Enum> (*find)(std::string_view),
              const char *expected) {
  std::optional<Enum> found = find(node.text());
  node.require(found.has_value(), expected);
  return *found;
}

ManifestPlugin readPlugin(const Node &node) {
  return {node.member("name").text(), node.member("version").text()};
}

cost::Product readProduct(const Node &node) {
  cost::Product product = {
      node.member("m").extent(),          node.member("k").extent(),
      node.member("n").extent(),          node.member("count").extent(),
      node.member("depthwise").boolean(), node.member("row").extent(),
      node.member("window").extent()};
  product.rate = node.member("rate").positive();
  product.energy = node.member("energy").quantity();
  if (node.has("to_points"))
    product.toPoints = node.member("to_points").quantity();
  return product;
}

cost::Rows readRows(const Node &node) {
  auto bytes = [&](const char *key) { return node.member(key).quantity(); };
  return {bytes("m"), bytes("k"), bytes("n"), bytes("count")};
}

cost::Transfer readTransfer(const Node &node) {
  cost::Transfer transfer;
  transfer.bytes = node.member("bytes").quantity();
  transfer.run = node.member("run").quantity();
  transfer.scattered = node.member("scattered").boolean();
  transfer.role = readName(node.member("role"), cost::findRole,
                           std::string(cost::roleNames()).c_str());
  transfer.onChip = node.member("on_chip").boolean();
  transfer.halo = node.member("halo").quantity();
  transfer.elementBytes = node.member("element_bytes").quantity();
  transfer.gathered = node.member("gathered").quantity();
  transfer.rows = readRows(node.member("rows"));
  if (node.has("passes"))
    transfer.passes = node.member("passes").positive();
  if (node.has("rewritten")) {
    transfer.rewritten = node.member("rewritten").quantity();
    transfer.touchedRun = node.member("touched_run").quantity();
  }
  if (node.has("touched")) {
    transfer.touched = node.member("touched").quantity();
    transfer.touchedRun = node.member("touched_run").quantity();
  }
  if (node.has("boundary"))
    transfer.boundary = node.member("boundary").boolean();
  return transfer;
}

cost::ProcessorWork readProcessor(const Node &node) {
  return {node.member("cycles").quantity(), node.member("link").quantity(),
          node.member("link_bytes").quantity(),
          node.member("energy").quantity()};
}

cost::Measurement readMeasurement(const Node &node) {
  return {node.member("cycles").quantity(), node.member("ratio").positive()};
}

cost::KernelWork readWork(const Node &node) {
  cost::KernelWork work;
  if (node.has("processor"))
    work.processor = readProcessor(node.member("processor"));
  work.products = node.member("products").list(readProduct);
  if (node.has("streamed"))
    work.streamed = readProduct(node.member("streamed"));
  work.usefulMacs = node.member("macs").quantity();
  work.leastMacs = node.member("least_macs").quantity();
  work.elements = node.member("elements").quantity();
  work.reads = node.member("reads").list(readTransfer);
  work.writes = node.member("writes").list(readTransfer);
  work.factor = node.member("factor").positive();
  if (node.has("measured"))
    work.measured = readMeasurement(node.member("measured"));
  return work;
}

cost::Tiling readTiling(const Node &node, const cost::KernelWork &work) {
  cost::Tiling tiling;
  tiling.m = node.member("m").extent();
  tiling.k = node.member("k").extent();
  tiling.n = node.member("n").extent();
  tiling.count = node.member("count").extent();
  tiling.pieces = node.member("pieces").extent();
  tiling.buffers = node.member("buffers").extent();
  tiling.stays =
      readName(node.member("stays"), cost::findStays, "weights, data or sums");
  node.require(cost::isValid(tiling, work),
               "tiles that are not larger than the kernel's product, at least "
               "one piece, and one buffer or two");
  return tiling;
}

cost::Machine readMachine(const Node &node, bool isMeasured) {
  cost::Machine machine;
  for (const cost::MachineNumber &number : cost::machineNumbers) {
    Node given = node.member(std::string(number.key).c_str());
    double &value = machine.*number.member;
    double absent = value;
    value = given.quantity();
    if (!number.optional || value != absent) {
      std::string expected = cost::expectedOf(number, value);
      given.require(expected.empty(), expected.c_str());
    }
  }
  cost::visitWords(machine, [&](const char *key, auto &word, auto find,
                                std::string_view names) {
    word = readName(node.member(key), find, std::string(names).c_str());
  });
  if (auto wrong = cost::contradictionIn(machine, isMeasured))
    node.member(std::string(wrong->key).c_str())
        .require(false, ("another: " + wrong->text).c_str());
  return machine;
}

/// The number of a kernel before it that has the rest in common with it, the
/// bytes on the chip, and the node if that is another. `before`: those before.
ManifestKernel readAlike(const Node &node,
                         const std::vector<ManifestKernel> &before) {
  node.require(node.size() == 3 || node.size() == 4,
               "a kernel before it, resident and reserved bytes, and perhaps "
               "a node");
  Node like = node.element(0);
  const uint64_t number = like.unsignedNumber();
  like.require(number < before.size(), "the number of a kernel before it");
  ManifestKernel kernel = before[number];
  kernel.name = kernelName(before.size(), kernel.op);
  kernel.residentBytes = node.element(1).unsignedNumber();
  kernel.work.reservedBytes = node.element(2).quantity();
  if (node.size() == 4)
    kernel.node = node.element(3).text();
  return kernel;
}

ManifestState readState(const Node &node,
                        const std::vector<ManifestState> &before) {
  ManifestState state;
  static_cast<ManifestTensor &>(state) = readTensor(node);
  const std::string zeros = "zeros", constant = "constant";
  Node begins = node.member("begins_as");
  state.beginsAsConstant = begins.text() == constant;
  begins.require(state.beginsAsConstant || begins.text() == zeros,
                 "zeros or constant");
  node.member("name").require(
      std::none_of(
          before.begin(), before.end(),
          [&](const ManifestState &other) { return other.name == state.name; }),
      "another name than those of the states before it");
  return state;
}

ManifestKernel readKernel(const Node &node,
                          const std::vector<ManifestKernel> &before) {
  if (node.isArray())
    return readAlike(node, before);
  ManifestKernel kernel;
  kernel.name = node.member("name").text();
  kernel.node = node.member("node").text();
  kernel.op = node.member("op").text();
  kernel.layouts = node.member("layouts").list(readText);
  if (node.has("results"))
    kernel.results = node.member("results").unsignedNumber();
  node.require(kernel.results >= 1 && kernel.results <= kernel.layouts.size(),
               "layouts of one result or more");
  kernel.bytes = node.member("bytes").unsignedNumber();
  kernel.generated = node.member("generated").boolean();
  kernel.relayout = node.member("relayout").boolean();
  kernel.work = readWork(node.member("work"));
  kernel.tiling = readTiling(node.member("tiling"), kernel.work);
  kernel.residentBytes = node.member("resident_bytes").unsignedNumber();
  kernel.work.reservedBytes = node.member("reserved_bytes").quantity();
  return kernel;
}

ManifestResident readResident(const Node &node, const Manifest &manifest) {
  node.require(node.size() == 4, "a kernel, an offset, bytes and a kernel");
  ManifestResident row{
      node.element(0).unsignedNumber(), node.element(1).unsignedNumber(),
      node.element(2).unsignedNumber(), node.element(3).unsignedNumber()};
  node.require(row.kernel <= row.last && row.last < manifest.kernels.size(),
               "a kernel and the same or one behind it");
  const auto memory = static_cast<uint64_t>(manifest.machine.sramKiB * 1024);
  node.require(row.offset <= memory && row.bytes <= memory - row.offset,
               "bytes within the chip's memory");
  return row;
}

Manifest readManifest(const Node &root) {
  Manifest m;
  Node version = root.member("format_version");
  version.require(version.unsignedNumber() == NPU_FORMAT_VERSION,
                  ("version " + std::to_string(NPU_FORMAT_VERSION)).c_str());
  m.formatVersion = NPU_FORMAT_VERSION;
  m.npucVersion = root.member("npuc_version").text();
  Node target = root.member("target");
  m.targetName = target.member("name").text();
  if (target.has("measured_threads"))
    m.measuredThreads = target.member("measured_threads").positive();
  m.machine = readMachine(target.member("machine"), m.measuredThreads > 0);
  m.layoutStrategy = root.member("layout").text();
  m.onednnVersion = root.member("onednn_version").text();
  m.plugins = root.member("plugins").list(readPlugin);
  m.cpuFeatures = root.member("cpu_features").list(readText);
  m.inputs = root.member("inputs").list(readTensor);
  m.outputs = root.member("outputs").list(readTensor);
  if (root.has("states"))
    root.member("states").each([&](const Node &node) {
      m.states.push_back(readState(node, m.states));
    });
  root.member("kernels").each([&](const Node &node) {
    m.kernels.push_back(readKernel(node, m.kernels));
  });
  if (root.has("on_chip"))
    root.member("on_chip").each(
        [&](const Node &node) { m.onChip.push_back(readResident(node, m)); });
  m.arenaBytes = root.member("arena_bytes").unsignedNumber();
  m.arenaLowerBoundBytes =
      root.member("arena_lower_bound_bytes").unsignedNumber();
  m.weightBytes = root.member("weight_bytes").unsignedNumber();
  m.modelName = root.member("model").member("name").text();
  return m;
}

/// The text of a manifest, a kernel or tensor a line: indented throughout, that
/// of a network of many small kernels would be larger than its weights. A tree
/// of JSON values first would take three times as long, and memory that a large
/// network has no need of.
class ManifestText {
public:
  void print(const Manifest &m) {
    auto target = [&] {
      field("name", m.targetName);
      field("machine", m.machine);
      if (m.measuredThreads > 0)
        field("measured_threads", m.measuredThreads);
    };
    group('{', '}', [&] {
      fields(
          "format_version", uint64_t{m.formatVersion}, "npuc_version",
          m.npucVersion, "model", [&] { field("name", m.modelName); }, "target",
          target, "layout", m.layoutStrategy, "onednn_version", m.onednnVersion,
          "plugins", m.plugins, "cpu_features", m.cpuFeatures, "inputs",
          m.inputs, "outputs", m.outputs);
      if (!m.states.empty())
        field("states", m.states);
      fields("kernels", m.kernels, "on_chip", m.onChip, "arena_bytes",
             m.arenaBytes, "arena_lower_bound_bytes", m.arenaLowerBoundBytes,
             "weight_bytes", m.weightBytes);
    });
    text += '\n';
  }

  std::string text;

private:
  /// What `writeAll` writes between brackets.
  template <class WriteAll>
  void group(char open, char close, WriteAll writeAll) {
    text += open;
    ++depth;
    isFirst = true;
    writeAll();
    if (!isFirst)
      newLine(depth - 1);
    --depth;
    text += close;
    isFirst = false;
  }

  /// Between the manifest's entries, and theirs; those of an entry of these
  /// stay on its line.
  void newLine(size_t indent) {
    constexpr size_t deepest = 2;
    if (depth > deepest)
      return;
    text += '\n';
    text.append(indent, ' ');
  }

  void nextEntry() {
    if (!isFirst)
      text += ',';
    isFirst = false;
    newLine(depth);
  }

  template <class Value>
  void field(std::string_view key, const Value &value) {
    nextEntry();
    text += '"';
    text += key;
    text += "\": ";
    write(value);
  }

  void fields() {}
  template <class Value, class... Others>
  void fields(std::string_view key, const Value &value,
              const Others &...others) {
    field(key, value);
    fields(others...);
  }

  /// Of keys and values in turn; a value that is called writes an object's
  /// fields.
  template <class... KeysAndValues>
  void object(const KeysAndValues &...keysAndValues) {
    group('{', '}', [&] { fields(keysAndValues...); });
  }

  template <class Fields, class = std::invoke_result_t<Fields>>
  void write(const Fields &writeFields) {
    group('{', '}', writeFields);
  }

  template <class Row>
  void write(const std::vector<Row> &rows) {
    group('[', ']', [&] {
      for (const Row &row : rows) {
        nextEntry();
        write(row);
      }
    });
  }

  void write(bool value) { text += value ? "true" : "false"; }
  void write(int64_t value) { text += std::to_string(value); }
  void write(uint64_t value) { text += std::to_string(value); }

  void write(double value) {
    // Most are whole numbers; from here on they have an exponent.
    bool isPlain = std::abs(value) < 1e15 && value == std::trunc(value) &&
                   !std::signbit(value);
    text += isPlain ? std::to_string(static_cast<int64_t>(value))
                    : Json(value).dump();
  }

  void write(std::string_view value) {
    bool isPlain = std::all_of(value.begin(), value.end(), [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (isPlain)
      (text += '"').append(value) += '"';
    else
      text += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void write(const std::string &value) { write(std::string_view(value)); }

  void write(const ManifestPlugin &plugin) {
    object("name", plugin.name, "version", plugin.version);
  }

  void write(const ManifestResident &row) {
    group('[', ']',
          [&] { entries(row.kernel, row.offset, row.bytes, row.last); });
  }

  void tensorFields(const ManifestTensor &tensor) {
    fields("name", tensor.name, "dtype", tensor.dtype, "shape", tensor.shape,
           "layout", tensor.layout, "layout_name", tensor.layoutName);
    if (tensor.scale != 0)
      field("quantized", [&] {
        fields("scale", tensor.scale, "zero_point", tensor.zeroPoint);
      });
  }

  void write(const ManifestTensor &tensor) {
    group('{', '}', [&] { tensorFields(tensor); });
  }

  void write(const ManifestState &state) {
    group('{', '}', [&] {
      tensorFields(state);
      field("begins_as",
            std::string_view(state.beginsAsConstant ? "constant" : "zeros"));
    });
  }

  void write(const cost::Machine &machine) {
    group('{', '}', [&] {
      for (const cost::MachineNumber &number : cost::machineNumbers)
        field(number.key, machine.*number.member);
      cost::visitWords(machine, [&](const char *key, auto word, auto, auto) {
        field(key, cost::nameOf(word));
      });
    });
  }

  void write(const cost::Rows &rows) {
    object("m", rows.m, "k", rows.k, "n", rows.n, "count", rows.count);
  }

  void write(const cost::Transfer &transfer) {
    group('{', '}', [&] {
      fields("bytes", transfer.bytes, "run", transfer.run, "scattered",
             transfer.scattered, "role", cost::nameOf(transfer.role), "on_chip",
             transfer.onChip, "halo", transfer.halo, "element_bytes",
             transfer.elementBytes, "gathered", transfer.gathered, "rows",
             transfer.rows);
      if (transfer.passes != 1)
        field("passes", transfer.passes);
      if (transfer.touched > 0)
        fields("touched", transfer.touched, "touched_run", transfer.touchedRun);
      if (transfer.rewritten > 0)
        fields("rewritten", transfer.rewritten, "touched_run",
               transfer.touchedRun);
      if (transfer.boundary)
        field("boundary", transfer.boundary);
    });
  }

  void write(const cost::Product &product) {
    group('{', '}', [&] {
      fields("m", product.m, "k", product.k, "n", product.n, "count",
             product.count, "depthwise", product.depthwise, "row", product.row,
             "window", product.window, "rate", product.rate, "energy",
             product.energy);
      if (product.toPoints > 0)
        field("to_points", product.toPoints);
    });
  }

  void write(const cost::ProcessorWork &work) {
    object("cycles", work.cycles, "link", work.linkCycles, "link_bytes",
           work.linkBytes, "energy", work.energy);
  }

  void write(const cost::Measurement &measured) {
    object("cycles", measured.cycles, "ratio", measured.ratio);
  }

  void write(const cost::KernelWork &work) {
    group('{', '}', [&] {
      fields("products", work.products, "macs", work.usefulMacs, "least_macs",
             work.leastMacs, "elements", work.elements, "reads", work.reads,
             "writes", work.writes, "factor", work.factor);
      if (work.streamed)
        field("streamed", *work.streamed);
      if (work.processor)
        field("processor", *work.processor);
      if (work.measured)
        field("measured", *work.measured);
    });
  }

  void write(const cost::Tiling &tiling) {
    object("m", tiling.m, "k", tiling.k, "n", tiling.n, "count", tiling.count,
           "pieces", tiling.pieces, "stays", cost::nameOf(tiling.stays),
           "buffers", tiling.buffers);
  }

  /// Steps of a net that is written out have the same kernels again and again,
  /// and a large part of its file would say so: they are said once.
  void write(const ManifestKernel &kernel) {
    const size_t begin = text.size(), number = written.size();
    written.push_back(&kernel);
    size_t common = 0, behindCommon = 0;
    group('{', '}', [&] {
      fields("name", kernel.name, "node", kernel.node);
      common = text.size();
      fields("op", kernel.op, "layouts", kernel.layouts);
      if (kernel.results != 1)
        field("results", kernel.results);
      fields("bytes", kernel.bytes, "generated", kernel.generated, "relayout",
             kernel.relayout, "work", kernel.work, "tiling", kernel.tiling);
      behindCommon = text.size();
      fields("resident_bytes", kernel.residentBytes, "reserved_bytes",
             kernel.work.reservedBytes);
    });
    auto [found, isNew] = kernelsBySaying.emplace(
        text.substr(common, behindCommon - common), number);
    if (isNew || kernel.name != kernelName(number, kernel.op))
      return;
    text.resize(begin);
    const uint64_t like = found->second;
    group('[', ']', [&] {
      entries(like, kernel.residentBytes, kernel.work.reservedBytes);
      if (kernel.node != written[like]->node)
        entries(kernel.node);
    });
  }

  template <class... Values>
  void entries(const Values &...values) {
    ((nextEntry(), write(values)), ...);
  }

  /// The first kernel of which so much is said.
  std::unordered_map<std::string, uint64_t> kernelsBySaying;
  std::vector<const ManifestKernel *> written;

  size_t depth = 0;
  bool isFirst = true; // of the entries of the innermost group
};

} // namespace

std::string kernelName(uint64_t number, const std::string &op) {
  const std::string own = "npu.";
  std::string name = op.rfind(own, 0) == 0 ? op.substr(own.size()) : op;
  std::replace(name.begin(), name.end(), '.', '_');
  return "k" + std::to_string(number) + "_" + name;
}

std::string parseManifest(const std::string &text, Manifest &out) {
  try {
    out = readManifest(Node(Json::parse(text), ""));
    return "";
  } catch (const Refusal &refusal) {
    return refusal.what();
  } catch (const Json::exception &error) {
    return std::string("the manifest is not valid JSON: ") + error.what();
  }
}

std::string printManifest(const Manifest &m) {
  ManifestText manifest;
  manifest.print(m);
  return std::move(manifest.text);
}

} // namespace npu::format
