// SPDX-License-Identifier: Apache-2.0
//
// npuc._npu: npu.h as classes of Python, a loaded program, and runs on arrays.
// Apart from the compiler, so that who only runs programs loads no LLVM.
#include "cost/chip_figures.h"
#include "python/Failure.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace npu::python;
using namespace nanobind::literals;

namespace {

using Input = nb::ndarray<nb::ro, nb::device::cpu>;
using Output = nb::ndarray<nb::numpy>;

struct Buffer {
  explicit Buffer(uint64_t bytes) : buffer(npu_buffer_create(bytes)) {
    if (!buffer.data)
      throw std::bad_alloc();
  }
  ~Buffer() { npu_buffer_free(buffer); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  npu_buffer buffer;
};

/// What one run at a time needs; made when a run finds none that is free.
struct Place {
  ~Place() { npu_context_free(context); }
  npu_context *context = nullptr;
  /// Of inputs and outputs in another order than rows; null: the caller's
  /// array is used as it is, if it can be.
  std::vector<std::unique_ptr<Buffer>> inputs, outputs;
};

/// Of each output its rows; those of outputs that are stored in rows are what
/// the program writes.
using Results = std::vector<std::unique_ptr<Buffer>>;

/// Stored as the array is.
bool isInRows(const npu_tensor_info &info) {
  for (int32_t d = 0; d < info.rank; ++d)
    if (info.layout[d] != 'a' + d)
      return false;
  return info.layout[info.rank] == '\0' && info.bytes == info.row_bytes;
}

nb::dlpack::dtype typeOf(npu_type type) {
  using nb::dlpack::dtype_code;
  static const struct {
    dtype_code code;
    uint8_t bits;
  } rows[] = {{dtype_code::Float, 32},  {dtype_code::Float, 16},
              {dtype_code::Bfloat, 16}, {dtype_code::Int, 8},
              {dtype_code::UInt, 8},    {dtype_code::Int, 32},
              {dtype_code::Int, 64},    {dtype_code::Bool, 8},
              {dtype_code::Int, 16},    {dtype_code::Float, 64},
              {dtype_code::UInt, 16},   {dtype_code::UInt, 32},
              {dtype_code::UInt, 64}};
  return {static_cast<uint8_t>(rows[type].code), rows[type].bits, 1};
}

bool isAligned(const void *data) {
  return reinterpret_cast<uintptr_t>(data) % NPU_BUFFER_ALIGNMENT == 0;
}

/// Lets Ctrl-C end many runs between two of them. Some times a second: taking
/// the interpreter's lock after each run would show in what is measured.
class Pulse {
public:
  void check() {
    auto now = std::chrono::steady_clock::now();
    if (now < next)
      return;
    next = now + std::chrono::milliseconds(50);
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
  }

private:
  std::chrono::steady_clock::time_point next =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
};

class Bound;
class Context;

class Model {
public:
  Model(const std::string &path, int threads, bool runInline,
        const std::vector<std::string> &plugins);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  std::vector<Output> run(const std::vector<Input> &arrays, int profiledRuns);
  std::unique_ptr<Bound> bind(const std::vector<Input> &arrays);
  std::vector<nb::dict> kernels(int runs) const;
  std::unique_ptr<Context> context();
  nb::list tensors(const std::string &kind) const;
  nb::dict chip() const;
  nb::dict stats() const;
  std::vector<std::string> warnings() const;
  nb::str manifest() const { return nb::str(npu_model_manifest(model)); }

private:
  friend class Bound;
  friend class Context;
  std::unique_ptr<Place> makePlace() const;
  std::vector<Output> runIn(Place &place, const std::vector<Input> &arrays,
                            int runs, bool isProfiled);
  std::unique_ptr<Place> take();
  void give(std::unique_ptr<Place> place);
  void checkInputs(const std::vector<Input> &arrays) const;
  static void checkArray(const npu_tensor_info &info, const char *kind,
                         const Input &array);
  static Output asArray(const npu_tensor_info &info,
                        std::unique_ptr<Buffer> rows);
  const npu_tensor_info &stateNamed(const std::string &name) const;
  void feed(Place &place, const std::vector<Input> &arrays, bool copies,
            std::vector<npu_buffer> &buffers);
  Results makeResults() const;
  std::vector<npu_buffer> takenBy(const Place &place,
                                  const Results &results) const;
  void call(const Place &place, const std::vector<npu_buffer> &given,
            const std::vector<npu_buffer> &taken, int runs, bool isProfiled);
  void fetch(const Place &place, const Results &results) const;
  std::vector<Output> asArrays(Results results) const;
  void keepTimes(const npu_context *context);

  npu_model *model = nullptr;
  std::vector<npu_tensor_info> inputs, outputs, states;
  std::mutex guard; // of what follows
  std::vector<std::unique_ptr<Place>> idle;
  std::vector<npu_kernel_time> times; // of the last profiled run
};

Model::Model(const std::string &path, int threads, bool runInline,
             const std::vector<std::string> &plugins) {
  npu_status status = {};
  std::vector<const char *> files;
  for (const std::string &plugin : plugins)
    files.push_back(textOf(plugin));
  npu_load_options options = {};
  options.threads = threads;
  options.run_inline = runInline ? 1 : 0;
  options.plugins = files.data();
  options.plugin_count = static_cast<int32_t>(files.size());
  const char *file = textOf(path);
  nb::gil_scoped_release others;
  check(npu_model_load(file, &options, &model, &status), status);
  inputs.resize(npu_model_input_count(model));
  outputs.resize(npu_model_output_count(model));
  for (size_t i = 0; i < inputs.size(); ++i)
    check(npu_model_input(model, i, &inputs[i], &status), status);
  for (size_t i = 0; i < outputs.size(); ++i)
    check(npu_model_output(model, i, &outputs[i], &status), status);
  states.resize(npu_model_state_count(model));
  for (size_t i = 0; i < states.size(); ++i)
    check(npu_model_state(model, i, &states[i], &status), status);
}

Model::~Model() {
  idle.clear();
  npu_model_free(model);
}

/// As the model begins, whatever ran in it before.
std::unique_ptr<Place> Model::take() {
  std::unique_ptr<Place> place;
  {
    std::lock_guard<std::mutex> lock(guard);
    if (!idle.empty()) {
      place = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!place)
    return makePlace();
  npu_status status = {};
  check(npu_context_reset(place->context, &status), status);
  return place;
}

std::unique_ptr<Place> Model::makePlace() const {
  auto place = std::make_unique<Place>();
  npu_status status = {};
  check(npu_context_create(model, &place->context, &status), status);
  place->inputs.resize(inputs.size());
  place->outputs.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!isInRows(outputs[i]))
      place->outputs[i] = std::make_unique<Buffer>(outputs[i].bytes);
  return place;
}

void Model::give(std::unique_ptr<Place> place) {
  std::lock_guard<std::mutex> lock(guard);
  idle.push_back(std::move(place));
}

std::string shapeText(const int64_t *shape, size_t rank) {
  std::string text = "(";
  for (size_t d = 0; d < rank; ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + (rank == 1 ? ",)" : ")");
}

[[noreturn]] void refuse(const std::string &message) {
  throw Failure{"RunError", NPU_BAD_ARGUMENT, message};
}

/// npuc/program.py has made them what they must be; nothing here trusts it.
void Model::checkInputs(const std::vector<Input> &arrays) const {
  if (arrays.size() != inputs.size())
    refuse("got " + std::to_string(arrays.size()) + " inputs, expected " +
           std::to_string(inputs.size()));
  for (size_t i = 0; i < arrays.size(); ++i)
    checkArray(inputs[i], "input", arrays[i]);
}

void Model::checkArray(const npu_tensor_info &info, const char *kind,
                       const Input &array) {
  const std::string which = kind + (" '" + std::string(info.name)) + "' ";
  auto rank = static_cast<size_t>(info.rank);
  bool isSame = array.ndim() == rank;
  for (size_t d = 0; isSame && d < rank; ++d)
    isSame = static_cast<int64_t>(array.shape(d)) == info.shape[d];
  if (!isSame) {
    std::vector<int64_t> shape;
    for (size_t d = 0; d < array.ndim(); ++d)
      shape.push_back(static_cast<int64_t>(array.shape(d)));
    refuse(which + "has shape " + shapeText(shape.data(), shape.size()) +
           ", expected " + shapeText(info.shape, rank));
  }
  if (array.dtype() != typeOf(info.type))
    refuse(which + "has another element type than " + npu_type_name(info.type));
  int64_t stride = 1; // 0: no elements, in every order
  for (size_t d = rank; d-- > 0 && stride > 0; stride *= info.shape[d])
    if (array.shape(d) > 1 && array.stride(d) != stride)
      refuse(which + "is not in C order");
}

const npu_tensor_info &Model::stateNamed(const std::string &name) const {
  std::string known;
  for (const npu_tensor_info &info : states) {
    if (name == info.name)
      return info;
    known += (known.empty() ? "'" : ", '") + std::string(info.name) + "'";
  }
  refuse("there is no state '" + name + "', expected " +
         (known.empty() ? "none: the program has no states" : known));
}

/// `copies`: the arrays may change or go afterwards.
void Model::feed(Place &place, const std::vector<Input> &arrays, bool copies,
                 std::vector<npu_buffer> &buffers) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const npu_tensor_info &info = inputs[i];
    void *data =
        const_cast<void *>(static_cast<const void *>(arrays[i].data()));
    if (!copies && isInRows(info) && isAligned(data)) {
      buffers.push_back({data, info.bytes}); // no copy
      continue;
    }
    if (!place.inputs[i])
      place.inputs[i] = std::make_unique<Buffer>(info.bytes);
    npu_buffer stored = place.inputs[i]->buffer;
    npu_status status = {};
    if (isInRows(info))
      std::memcpy(stored.data, data, info.bytes);
    else
      check(npu_model_store_input(model, i, data, info.row_bytes, stored,
                                  &status),
            status);
    buffers.push_back(stored);
  }
}

void Model::keepTimes(const npu_context *context) {
  std::vector<npu_kernel_time> found(npu_model_kernel_count(model));
  npu_status status = {};
  for (size_t i = 0; i < found.size(); ++i)
    check(npu_context_kernel_time(context, i, &found[i], &status), status);
  std::lock_guard<std::mutex> lock(guard);
  times = std::move(found);
}

Results Model::makeResults() const {
  Results results;
  for (const npu_tensor_info &info : outputs)
    results.push_back(std::make_unique<Buffer>(info.row_bytes));
  return results;
}

std::vector<npu_buffer> Model::takenBy(const Place &place,
                                       const Results &results) const {
  std::vector<npu_buffer> taken;
  for (size_t i = 0; i < outputs.size(); ++i)
    taken.push_back((place.outputs[i] ? place.outputs[i] : results[i])->buffer);
  return taken;
}

void Model::call(const Place &place, const std::vector<npu_buffer> &given,
                 const std::vector<npu_buffer> &taken, int runs,
                 bool isProfiled) {
  npu_status status = {};
  npu_context_set_profiling(place.context, isProfiled ? 1 : 0);
  Pulse pulse;
  for (int run = 0; run < runs; ++run) {
    check(npu_run(place.context, given.data(), given.size(), taken.data(),
                  taken.size(), &status),
          status);
    pulse.check();
  }
  if (isProfiled)
    keepTimes(place.context);
}

/// Brings what is not stored in rows into the results.
void Model::fetch(const Place &place, const Results &results) const {
  npu_status status = {};
  for (size_t i = 0; i < outputs.size(); ++i)
    if (place.outputs[i])
      check(npu_model_fetch_output(model, i, place.outputs[i]->buffer,
                                   results[i]->buffer.data,
                                   outputs[i].row_bytes, &status),
            status);
}

/// The array owns the rows.
Output Model::asArray(const npu_tensor_info &info,
                      std::unique_ptr<Buffer> rows) {
  Buffer *buffer = rows.release();
  nb::capsule owner(
      buffer, [](void *one) noexcept { delete static_cast<Buffer *>(one); });
  size_t shape[NPU_TENSOR_MAX_RANK];
  for (int32_t d = 0; d < info.rank; ++d)
    shape[d] = static_cast<size_t>(info.shape[d]);
  return {buffer->buffer.data,
          static_cast<size_t>(info.rank),
          shape,
          owner,
          nullptr,
          typeOf(info.type)};
}

std::vector<Output> Model::asArrays(Results results) const {
  std::vector<Output> made;
  for (size_t i = 0; i < outputs.size(); ++i)
    made.push_back(asArray(outputs[i], std::move(results[i])));
  return made;
}

/// In a place that nobody else uses; of checked arrays.
std::vector<Output> Model::runIn(Place &place, const std::vector<Input> &arrays,
                                 int runs, bool isProfiled) {
  Results results;
  {
    nb::gil_scoped_release others;
    results = makeResults();
    std::vector<npu_buffer> given;
    feed(place, arrays, /*copies=*/false, given);
    call(place, given, takenBy(place, results), runs, isProfiled);
    fetch(place, results);
  }
  return asArrays(std::move(results));
}

std::vector<Output> Model::run(const std::vector<Input> &arrays,
                               int profiledRuns) {
  checkInputs(arrays);
  std::unique_ptr<Place> place = take();
  std::vector<Output> made =
      runIn(*place, arrays, std::max(1, profiledRuns), profiledRuns > 0);
  give(std::move(place));
  return made;
}

/// Runs one after the other, each with the states that the one before left.
class Context {
public:
  explicit Context(Model &model) : model(model), place(model.makePlace()) {}

  std::vector<Output> run(const std::vector<Input> &arrays) {
    model.checkInputs(arrays);
    return model.runIn(*place, arrays, 1, false);
  }
  void reset() {
    npu_status status = {};
    check(npu_context_reset(place->context, &status), status);
  }
  Output readState(const std::string &name) {
    const npu_tensor_info &info = model.stateNamed(name);
    auto rows = std::make_unique<Buffer>(info.row_bytes);
    npu_status status = {};
    check(npu_context_read_state(place->context, info.name, rows->buffer.data,
                                 info.row_bytes, &status),
          status);
    return Model::asArray(info, std::move(rows));
  }
  void writeState(const std::string &name, const Input &array) {
    const npu_tensor_info &info = model.stateNamed(name);
    Model::checkArray(info, "state", array);
    npu_status status = {};
    check(npu_context_write_state(place->context, info.name, array.data(),
                                  info.row_bytes, &status),
          status);
  }

private:
  Model &model;
  std::unique_ptr<Place> place;
};

std::unique_ptr<Context> Model::context() {
  return std::make_unique<Context>(*this);
}

/// A program with its inputs in place: what a run costs, and nothing else.
class Bound {
public:
  Bound(Model &model, const std::vector<Input> &arrays)
      : model(model), place(model.take()), results(model.makeResults()),
        taken(model.takenBy(*place, results)) {
    model.feed(*place, arrays, /*copies=*/true, given);
  }
  ~Bound() { model.give(std::move(place)); }
  Bound(const Bound &) = delete;
  Bound &operator=(const Bound &) = delete;

  void run(int runs, bool isProfiled) {
    nb::gil_scoped_release others;
    model.call(*place, given, taken, runs, isProfiled);
  }

  /// Of the last run, in memory of their own.
  std::vector<Output> outputs() const {
    Results copies = model.makeResults();
    for (size_t i = 0; i < copies.size(); ++i)
      if (!place->outputs[i])
        std::memcpy(copies[i]->buffer.data, results[i]->buffer.data,
                    model.outputs[i].row_bytes);
    model.fetch(*place, copies);
    return model.asArrays(std::move(copies));
  }

private:
  Model &model;
  std::unique_ptr<Place> place;
  Results results;
  std::vector<npu_buffer> given, taken;
};

std::unique_ptr<Bound> Model::bind(const std::vector<Input> &arrays) {
  checkInputs(arrays);
  return std::make_unique<Bound>(*this, arrays);
}

std::vector<nb::dict> Model::kernels(int runs) const {
  std::vector<nb::dict> rows;
  npu_status status = {};
  for (size_t i = 0; i < npu_model_kernel_count(model); ++i) {
    npu_kernel_info info = {};
    check(npu_model_kernel(model, i, &info, &status), status);
    nb::dict row;
    row["name"] = info.name;
    row["op"] = info.op;
    row["implementation"] = info.implementation;
    row["node"] = info.node;
    row["layouts"] = info.layouts;
    row["generated"] = info.generated != 0;
    row["relayout"] = info.relayout != 0;
    row["slow"] = info.slow != 0;
    row["bytes"] = info.bytes;
    row["adapter_bytes"] = info.adapter_bytes;
#define NPU_CHIP_ROW(key) row[#key] = info.key;
    NPU_CHIP_FIGURES(NPU_CHIP_ROW)
#undef NPU_CHIP_ROW
    row["tiling"] = info.tiling;
    row["mapping"] = info.mapping;
    row["utilisation"] = info.utilisation;
    row["bound"] = info.bound;
    if (runs > 0 && i < times.size())
      row["ms"] = static_cast<double>(times[i].total_ns) / runs / 1e6;
    rows.push_back(row);
  }
  return rows;
}

nb::list Model::tensors(const std::string &kind) const {
  nb::list rows;
  for (const npu_tensor_info &info : kind == "inputs"    ? inputs
                                     : kind == "outputs" ? outputs
                                                         : states) {
    nb::list shape;
    for (int32_t d = 0; d < info.rank; ++d)
      shape.append(info.shape[d]);
    bool isQuantized = info.scale != 0;
    rows.append(nb::make_tuple(
        info.name, nb::tuple(shape), npu_type_name(info.type), info.layout_name,
        isQuantized ? nb::object(nb::float_(info.scale)) : nb::none(),
        isQuantized ? nb::object(nb::int_(info.zero_point)) : nb::none()));
  }
  return rows;
}

nb::dict Model::chip() const {
  npu_chip_info info = {};
  npu_status status = {};
  check(npu_model_chip(model, &info, &status), status);
  nb::dict row;
  row["name"] = info.name;
  row["data_flow"] = info.data_flow;
  row["clock_mhz"] = info.clock_mhz;
  row["macs_per_cycle"] = info.macs_per_cycle;
  row["dma_bytes_per_cycle"] = info.dma_bytes_per_cycle;
  row["sram_bytes"] = info.sram_bytes;
  return row;
}

nb::dict Model::stats() const {
  npu_load_stats stats = npu_model_stats(model);
  nb::dict row;
  row["load_ms"] = stats.load_ms;
  row["pack_ms"] = stats.pack_ms;
  row["file_bytes"] = stats.file_bytes;
  row["weight_bytes"] = stats.weight_bytes;
  row["packed_bytes"] = stats.packed_bytes;
  row["released_bytes"] = stats.released_bytes;
  row["arena_bytes"] = stats.arena_bytes;
  row["scratch_bytes"] = stats.scratch_bytes;
  row["state_bytes"] = stats.state_bytes;
  row["threads"] = stats.threads;
  return row;
}

std::vector<std::string> Model::warnings() const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < npu_model_warning_count(model); ++i)
    texts.emplace_back(npu_model_warning(model, i));
  return texts;
}

} // namespace

NB_MODULE(_npu, module) {
  nb::register_exception_translator(translate);
  nb::class_<Bound>(module, "Bound")
      .def("run", &Bound::run, "runs"_a, "profiled"_a)
      .def("outputs", &Bound::outputs);
  nb::class_<Context>(module, "Context")
      .def("run", &Context::run, "inputs"_a)
      .def("reset", &Context::reset)
      .def("read_state", &Context::readState, "name"_a)
      .def("write_state", &Context::writeState, "name"_a, "array"_a);
  nb::class_<Model>(module, "Model")
      .def(nb::init<const std::string &, int, bool,
                    const std::vector<std::string> &>(),
           "path"_a, "threads"_a, "run_inline"_a, "plugins"_a)
      .def("run", &Model::run, "inputs"_a, "profiled_runs"_a)
      .def("bind", &Model::bind, "inputs"_a, nb::keep_alive<0, 1>())
      .def("kernels", &Model::kernels, "runs"_a)
      .def("context", &Model::context, nb::keep_alive<0, 1>())
      .def("tensors", &Model::tensors, "kind"_a)
      .def("chip", &Model::chip)
      .def("stats", &Model::stats)
      .def("warnings", &Model::warnings)
      .def("manifest", &Model::manifest);
  module.def("version", npu_version);
  module.def("kernel_library", npu_kernel_library);
}
