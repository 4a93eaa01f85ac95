// SPDX-License-Identifier: Apache-2.0
//
// npu.h as a class of Python: a loaded program, and runs on arrays.
#include "python/Module.h"

#include "cost/chip_figures.h"
#include "python/Failure.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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
              {dtype_code::Int, 16}};
  return {static_cast<uint8_t>(rows[type].code), rows[type].bits, 1};
}

bool isAligned(const void *data) {
  return reinterpret_cast<uintptr_t>(data) % NPU_BUFFER_ALIGNMENT == 0;
}

class Model {
public:
  Model(const std::string &path, int threads, bool runInline);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  std::vector<Output> run(const std::vector<Input> &arrays, int profiledRuns);
  std::vector<nb::dict> kernels(int runs) const;
  nb::list tensors(bool isInput) const;
  nb::dict chip() const;
  nb::dict stats() const;
  std::vector<std::string> warnings() const;
  nb::str manifest() const { return nb::str(npu_model_manifest(model)); }

private:
  std::unique_ptr<Place> take();
  void give(std::unique_ptr<Place> place);
  void checkInputs(const std::vector<Input> &arrays) const;
  void feed(Place &place, const std::vector<Input> &arrays,
            std::vector<npu_buffer> &buffers);
  void runOnce(Place &place, const std::vector<Input> &arrays,
               const std::vector<std::unique_ptr<Buffer>> &results, int runs);
  void keepTimes(const npu_context *context);

  npu_model *model = nullptr;
  std::vector<npu_tensor_info> inputs, outputs;
  std::mutex guard; // of what follows
  std::vector<std::unique_ptr<Place>> idle;
  std::vector<npu_kernel_time> times; // of the last profiled run
};

Model::Model(const std::string &path, int threads, bool runInline) {
  npu_status status = {};
  npu_load_options options = {};
  options.threads = threads;
  options.run_inline = runInline ? 1 : 0;
  nb::gil_scoped_release others;
  check(npu_model_load(path.c_str(), &options, &model, &status), status);
  inputs.resize(npu_model_input_count(model));
  outputs.resize(npu_model_output_count(model));
  for (size_t i = 0; i < inputs.size(); ++i)
    check(npu_model_input(model, i, &inputs[i], &status), status);
  for (size_t i = 0; i < outputs.size(); ++i)
    check(npu_model_output(model, i, &outputs[i], &status), status);
}

Model::~Model() {
  idle.clear();
  npu_model_free(model);
}

std::unique_ptr<Place> Model::take() {
  {
    std::lock_guard<std::mutex> lock(guard);
    if (!idle.empty()) {
      std::unique_ptr<Place> place = std::move(idle.back());
      idle.pop_back();
      return place;
    }
  }
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

/// npuc/program.py has made them what they must be; nothing here trusts it.
void Model::checkInputs(const std::vector<Input> &arrays) const {
  auto refuse = [](const std::string &message) {
    throw Failure{"RunError", NPU_BAD_ARGUMENT, message};
  };
  if (arrays.size() != inputs.size())
    refuse("got " + std::to_string(arrays.size()) + " inputs, expected " +
           std::to_string(inputs.size()));
  for (size_t i = 0; i < arrays.size(); ++i) {
    const npu_tensor_info &info = inputs[i];
    const Input &array = arrays[i];
    auto rank = static_cast<size_t>(info.rank);
    bool isSame = array.ndim() == rank;
    for (size_t d = 0; isSame && d < rank; ++d)
      isSame = static_cast<int64_t>(array.shape(d)) == info.shape[d];
    if (!isSame) {
      std::vector<int64_t> shape;
      for (size_t d = 0; d < array.ndim(); ++d)
        shape.push_back(static_cast<int64_t>(array.shape(d)));
      refuse("input '" + std::string(info.name) + "' has shape " +
             shapeText(shape.data(), shape.size()) + ", expected " +
             shapeText(info.shape, rank));
    }
    if (array.dtype() != typeOf(info.type))
      refuse("input '" + std::string(info.name) +
             "' has another element type than " + npu_type_name(info.type));
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0; stride *= info.shape[d])
      if (array.shape(d) > 1 && array.stride(d) != stride)
        refuse("input '" + std::string(info.name) + "' is not in C order");
  }
}

void Model::feed(Place &place, const std::vector<Input> &arrays,
                 std::vector<npu_buffer> &buffers) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const npu_tensor_info &info = inputs[i];
    void *data =
        const_cast<void *>(static_cast<const void *>(arrays[i].data()));
    if (isInRows(info) && isAligned(data)) {
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

void Model::runOnce(Place &place, const std::vector<Input> &arrays,
                    const std::vector<std::unique_ptr<Buffer>> &results,
                    int profiledRuns) {
  npu_status status = {};
  std::vector<npu_buffer> given, taken;
  feed(place, arrays, given);
  for (size_t i = 0; i < outputs.size(); ++i)
    taken.push_back((place.outputs[i] ? place.outputs[i] : results[i])->buffer);
  if (profiledRuns > 0)
    npu_context_set_profiling(place.context, 1);
  for (int run = 0; run < std::max(1, profiledRuns); ++run)
    check(npu_run(place.context, given.data(), given.size(), taken.data(),
                  taken.size(), &status),
          status);
  if (profiledRuns > 0) {
    keepTimes(place.context);
    npu_context_set_profiling(place.context, 0);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (place.outputs[i])
      check(npu_model_fetch_output(model, i, place.outputs[i]->buffer,
                                   results[i]->buffer.data,
                                   outputs[i].row_bytes, &status),
            status);
}

std::vector<Output> Model::run(const std::vector<Input> &arrays,
                               int profiledRuns) {
  checkInputs(arrays);
  std::vector<std::unique_ptr<Buffer>> results;
  {
    nb::gil_scoped_release others;
    for (const npu_tensor_info &info : outputs)
      results.push_back(std::make_unique<Buffer>(info.row_bytes));
    std::unique_ptr<Place> place = take();
    runOnce(*place, arrays, results, profiledRuns);
    give(std::move(place));
  }
  std::vector<Output> made;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Buffer *buffer = results[i].release();
    nb::capsule owner(
        buffer, [](void *one) noexcept { delete static_cast<Buffer *>(one); });
    size_t shape[NPU_TENSOR_MAX_RANK];
    for (int32_t d = 0; d < outputs[i].rank; ++d)
      shape[d] = static_cast<size_t>(outputs[i].shape[d]);
    made.emplace_back(buffer->buffer.data, outputs[i].rank, shape, owner,
                      nullptr, typeOf(outputs[i].type));
  }
  return made;
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

nb::list Model::tensors(bool isInput) const {
  nb::list rows;
  for (const npu_tensor_info &info : isInput ? inputs : outputs) {
    nb::list shape;
    for (int32_t d = 0; d < info.rank; ++d)
      shape.append(info.shape[d]);
    rows.append(nb::make_tuple(info.name, nb::tuple(shape),
                               npu_type_name(info.type), info.layout_name));
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

void npu::python::addModel(nb::module_ &module) {
  nb::class_<Model>(module, "Model")
      .def(nb::init<const std::string &, int, bool>(), "path"_a, "threads"_a,
           "run_inline"_a)
      .def("run", &Model::run, "inputs"_a, "profiled_runs"_a)
      .def("kernels", &Model::kernels, "runs"_a)
      .def("tensors", &Model::tensors, "inputs"_a)
      .def("chip", &Model::chip)
      .def("stats", &Model::stats)
      .def("warnings", &Model::warnings)
      .def("manifest", &Model::manifest);
  module.def("kernel_library", npu_kernel_library);
}
