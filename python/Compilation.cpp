// SPDX-License-Identifier: Apache-2.0
//
// npuc._npuc: npuc.h as a class of Python.
#include "python/Failure.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace npu::python;
using namespace nanobind::literals;

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;
/// severity, text, file, node, line, column, shown
using Told = std::tuple<int, std::string, std::string, std::string, int, int,
                        std::string>;

class Compilation {
public:
  Compilation(const std::string &model, std::optional<nb::bytes> data,
              const std::optional<std::string> &output, const Words &words,
              uint32_t wanted);
  ~Compilation() { npuc_compilation_free(handle); }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  void run(int stage);
  nb::str text(int what);
  nb::bytes output();
  std::vector<Told> messages() const { return told; }

private:
  static void keep(void *self, const npuc_message *message);

  std::optional<nb::bytes> bytes; // the compilation reads them
  npuc_compilation *handle = nullptr;
  std::vector<Told> told;
  std::mutex oneAtATime; // the handle serves one call
};

struct Options {
  ~Options() { npuc_options_free(handle); }
  npuc_options *handle = nullptr;
};

Compilation::Compilation(const std::string &model,
                         std::optional<nb::bytes> data,
                         const std::optional<std::string> &output,
                         const Words &words, uint32_t wanted)
    : bytes(std::move(data)) {
  npuc_status status = {};
  Options options;
  check(npuc_options_create(&options.handle, &status), status);
  for (const auto &[name, value] : words)
    check(
        npuc_options_set(options.handle, textOf(name), textOf(value), &status),
        status);
  npuc_request request = {};
  request.struct_size = sizeof(request);
  request.model = textOf(model);
  if (bytes) {
    request.model_data = bytes->c_str();
    request.model_bytes = bytes->size();
  }
  request.output = output ? textOf(*output) : nullptr;
  request.wanted = wanted;
  request.on_message = keep;
  request.user = this;
  nb::gil_scoped_release others;
  check(npuc_compilation_create(options.handle, &request, &handle, &status),
        status);
}

void Compilation::keep(void *self, const npuc_message *m) {
  static_cast<Compilation *>(self)->told.emplace_back(
      m->severity, m->text, m->file, m->node, m->line, m->column, m->shown);
}

void Compilation::run(int stage) {
  npuc_status status = {};
  nb::gil_scoped_release others;
  std::lock_guard<std::mutex> lock(oneAtATime);
  check(npuc_compilation_run(handle, static_cast<npuc_stage>(stage), &status),
        status);
}

nb::str Compilation::text(int what) {
  npuc_status status = {};
  const char *text = nullptr;
  uint64_t length = 0;
  {
    nb::gil_scoped_release others;
    std::lock_guard<std::mutex> lock(oneAtATime);
    check(npuc_compilation_text(handle, static_cast<npuc_text>(what), &text,
                                &length, &status),
          status);
  }
  return nb::str(text, length);
}

nb::bytes Compilation::output() {
  npuc_status status = {};
  const void *data = nullptr;
  uint64_t length = 0;
  check(npuc_compilation_output(handle, &data, &length, &status), status);
  return nb::bytes(data, length);
}

} // namespace

NB_MODULE(_npuc, module) {
  nb::register_exception_translator(translate);
  nb::class_<Compilation>(module, "Compilation")
      .def(nb::init<const std::string &, std::optional<nb::bytes>,
                    const std::optional<std::string> &, const Words &,
                    uint32_t>(),
           "model"_a, "data"_a.none(), "output"_a.none(), "options"_a,
           "wanted"_a)
      .def("run", &Compilation::run, "stage"_a)
      .def("text", &Compilation::text, "what"_a)
      .def("output", &Compilation::output)
      .def("messages", &Compilation::messages);
  module.def("option_names", npuc_option_names);
  module.def(
      "stage_name", [](int stage) { return npuc_stage_name(stage); },
      "stage"_a);
}
