// SPDX-License-Identifier: Apache-2.0

#include "format/manifest.h"

#include "format/program_format.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

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
  /// Reads each element of an array with `read`.
  template <class Read>
  auto list(Read read) const {
    require(value.is_array(), "an array");
    std::vector<decltype(read(*this))> results;
    results.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i)
      results.push_back(
          read(Node(value[i], path + "[" + std::to_string(i) + "]")));
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
  tensor.dtype = node.member("dtype").text();
  tensor.shape =
      node.member("shape").list([](const Node &n) { return n.extent(); });
  tensor.layout = node.member("layout").text();
  tensor.layoutName = node.member("layout_name").text();
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

cost::Product readProduct(const Node &node) {
  return {node.member("m").extent(),          node.member("k").extent(),
          node.member("n").extent(),          node.member("count").extent(),
          node.member("depthwise").boolean(), node.member("row").extent()};
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
  return transfer;
}

cost::KernelWork readWork(const Node &node) {
  cost::KernelWork work;
  work.products = node.member("products").list(readProduct);
  work.usefulMacs = node.member("macs").quantity();
  work.elements = node.member("elements").quantity();
  work.reads = node.member("reads").list(readTransfer);
  work.writes = node.member("writes").list(readTransfer);
  work.factor = node.member("factor").positive();
  work.reservedBytes = node.member("reserved").quantity();
  return work;
}

cost::Tiling readTiling(const Node &node, const cost::KernelWork &work) {
  cost::Tiling tiling;
  tiling.m = node.member("m").extent();
  tiling.k = node.member("k").extent();
  tiling.n = node.member("n").extent();
  tiling.count = node.member("count").extent();
  tiling.pieces = node.member("pieces").extent();
  tiling.stays =
      readName(node.member("stays"), cost::findStays, "weights, data or sums");
  node.require(cost::isValid(tiling, work),
               "tiles that are not larger than the kernel's product, and at "
               "least one piece");
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
  machine.dataFlow = readName(node.member("data_flow"), cost::findDataFlow,
                              std::string(cost::dataFlowNames()).c_str());
  machine.arrayUse = readName(node.member("array_use"), cost::findArrayUse,
                              std::string(cost::arrayUseNames()).c_str());
  if (auto wrong = cost::contradictionIn(machine, isMeasured))
    node.member(std::string(wrong->key).c_str())
        .require(false, ("another: " + wrong->text).c_str());
  return machine;
}

ManifestKernel readKernel(const Node &node) {
  ManifestKernel kernel;
  kernel.name = node.member("name").text();
  kernel.op = node.member("op").text();
  kernel.node = node.member("node").text();
  kernel.layouts = node.member("layouts").list(readText);
  kernel.bytes = node.member("bytes").unsignedNumber();
  kernel.generated = node.member("generated").boolean();
  kernel.relayout = node.member("relayout").boolean();
  kernel.work = readWork(node.member("work"));
  kernel.tiling = readTiling(node.member("tiling"), kernel.work);
  kernel.residentBytes = node.member("resident_bytes").unsignedNumber();
  return kernel;
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
  m.cpuFeatures = root.member("cpu_features").list(readText);
  m.inputs = root.member("inputs").list(readTensor);
  m.outputs = root.member("outputs").list(readTensor);
  m.kernels = root.member("kernels").list(readKernel);
  m.arenaBytes = root.member("arena_bytes").unsignedNumber();
  m.arenaLowerBoundBytes =
      root.member("arena_lower_bound_bytes").unsignedNumber();
  m.weightBytes = root.member("weight_bytes").unsignedNumber();
  m.modelName = root.member("model").member("name").text();
  return m;
}

void append(Json::object_t &) {}

template <typename... Others>
void append(Json::object_t &fields, const char *key, Json value,
            Others &&...others) {
  fields.emplace_back(key, std::move(value));
  append(fields, std::forward<Others>(others)...);
}

/// Of keys and values in turn. `{{key, value}, ...}` would make an array of two
/// for each field first: a third of the time of writing a large network.
template <typename... KeysAndValues>
Json object(KeysAndValues &&...keysAndValues) {
  Json json = Json::object();
  auto &fields = json.get_ref<Json::object_t &>();
  fields.reserve(sizeof...(keysAndValues) / 2);
  append(fields, std::forward<KeysAndValues>(keysAndValues)...);
  return json;
}

template <typename Row>
Json arrayOf(const std::vector<Row> &rows, Json (*describe)(const Row &)) {
  Json json = Json::array();
  json.get_ref<Json::array_t &>().reserve(rows.size());
  for (const Row &row : rows)
    json.push_back(describe(row));
  return json;
}

Json tensorJson(const ManifestTensor &tensor) {
  return object("name", tensor.name, "dtype", tensor.dtype, "shape",
                tensor.shape, "layout", tensor.layout, "layout_name",
                tensor.layoutName);
}

Json machineJson(const cost::Machine &machine) {
  Json json = Json::object();
  for (const cost::MachineNumber &number : cost::machineNumbers)
    json[std::string(number.key)] = machine.*number.member;
  json["data_flow"] = cost::nameOf(machine.dataFlow);
  json["array_use"] = cost::nameOf(machine.arrayUse);
  return json;
}

Json transferJson(const cost::Transfer &transfer) {
  const cost::Rows &rows = transfer.rows;
  return object(
      "bytes", transfer.bytes, "run", transfer.run, "scattered",
      transfer.scattered, "role", cost::nameOf(transfer.role), "on_chip",
      transfer.onChip, "halo", transfer.halo, "element_bytes",
      transfer.elementBytes, "gathered", transfer.gathered, "rows",
      object("m", rows.m, "k", rows.k, "n", rows.n, "count", rows.count));
}

Json productJson(const cost::Product &product) {
  return object("m", product.m, "k", product.k, "n", product.n, "count",
                product.count, "depthwise", product.depthwise, "row",
                product.row);
}

Json workJson(const cost::KernelWork &work) {
  return object("products", arrayOf(work.products, productJson), "macs",
                work.usefulMacs, "elements", work.elements, "reads",
                arrayOf(work.reads, transferJson), "writes",
                arrayOf(work.writes, transferJson), "factor", work.factor,
                "reserved", work.reservedBytes);
}

Json tilingJson(const cost::Tiling &tiling) {
  return object("m", tiling.m, "k", tiling.k, "n", tiling.n, "count",
                tiling.count, "pieces", tiling.pieces, "stays",
                cost::nameOf(tiling.stays));
}

Json kernelJson(const ManifestKernel &kernel) {
  return object("name", kernel.name, "op", kernel.op, "node", kernel.node,
                "layouts", kernel.layouts, "bytes", kernel.bytes, "generated",
                kernel.generated, "relayout", kernel.relayout, "work",
                workJson(kernel.work), "tiling", tilingJson(kernel.tiling),
                "resident_bytes", kernel.residentBytes);
}

} // namespace

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
  Json target = object("name", m.targetName, "machine", machineJson(m.machine));
  if (m.measuredThreads > 0)
    target["measured_threads"] = m.measuredThreads;
  Json root = object(
      "format_version", m.formatVersion, "npuc_version", m.npucVersion, "model",
      object("name", m.modelName), "target", std::move(target), "layout",
      m.layoutStrategy, "onednn_version", m.onednnVersion, "cpu_features",
      m.cpuFeatures, "inputs", arrayOf(m.inputs, tensorJson), "outputs",
      arrayOf(m.outputs, tensorJson), "kernels", arrayOf(m.kernels, kernelJson),
      "arena_bytes", m.arenaBytes, "arena_lower_bound_bytes",
      m.arenaLowerBoundBytes, "weight_bytes", m.weightBytes);
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace npu::format
