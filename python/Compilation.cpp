// SPDX-License-Identifier: Apache-2.0
//
// npuc._npuc: npuc.h as a class of Python.
#include "python/Failure.h"

#include "npuc/plugin.h"

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
/// Of an operand or a result: role, type, shape, whether it is constant.
using ValueRow = std::tuple<std::string, std::string, nb::tuple, bool>;
/// severity, text, file, node, line, column, shown
using Told = std::tuple<int, std::string, std::string, std::string, int, int,
                        std::string>;

class Compilation {
public:
  Compilation(const std::string &model, std::optional<nb::bytes> data,
              const std::optional<std::string> &output, const Words &words,
              uint32_t wanted, std::optional<nb::callable> rule);
  ~Compilation() { npuc_compilation_free(handle); }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  void run(int stage);
  nb::str text(int what);
  nb::bytes output();
  std::vector<Told> messages() const { return told; }

private:
  static void keep(void *self, const npuc_message *message);
  static void ask(void *self, const npuc_op *op,
                  void (*answer)(void *answers, const char *layout),
                  void *answers);
  void throwWhatTheRuleThrew();

  std::optional<nb::bytes> bytes; // the compilation reads them
  npuc_compilation *handle = nullptr;
  std::vector<Told> told;
  std::optional<nb::callable> rule;       // of layouts
  std::optional<nb::python_error> thrown; // by the rule
  std::mutex oneAtATime;                  // the handle serves one call
};

struct Options {
  ~Options() { npuc_options_free(handle); }
  npuc_options *handle = nullptr;
};

Compilation::Compilation(const std::string &model,
                         std::optional<nb::bytes> data,
                         const std::optional<std::string> &output,
                         const Words &words, uint32_t wanted,
                         std::optional<nb::callable> rule)
    : bytes(std::move(data)), rule(std::move(rule)) {
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
  request.layout_rule = this->rule ? ask : nullptr;
  nb::gil_scoped_release others;
  check(npuc_compilation_create(options.handle, &request, &handle, &status),
        status);
}

void Compilation::keep(void *self, const npuc_message *m) {
  static_cast<Compilation *>(self)->told.emplace_back(
      m->severity, m->text, m->file, m->node, m->line, m->column, m->shown);
}

static nb::list valuesOf(const npuc_value *values, int32_t count) {
  nb::list rows;
  for (const npuc_value &value : std::vector(values, values + count)) {
    nb::list shape;
    for (int32_t d = 0; d < value.rank; ++d)
      shape.append(value.shape[d]);
    rows.append(ValueRow{value.role, value.type, nb::tuple(shape),
                         value.is_constant != 0});
  }
  return rows;
}

static nb::dict factsOf(const npuc_op &op) {
  nb::dict facts;
  for (int32_t i = 0; i < op.fact_count; ++i) {
    const npuc_fact &fact = op.facts[i];
    nb::list given;
    for (int32_t k = 0; k < fact.count; ++k)
      if (fact.words)
        given.append(fact.words[k]);
      else
        given.append(fact.numbers[k]);
    facts[fact.name] = nb::tuple(given);
  }
  return facts;
}

/// The rule is Python's: what it throws must not go through the compiler. After
/// that it is not asked again, and run() throws it.
void Compilation::ask(void *self, const npuc_op *op,
                      void (*answer)(void *answers, const char *layout),
                      void *answers) {
  auto *one = static_cast<Compilation *>(self);
  nb::gil_scoped_acquire lock;
  if (one->thrown)
    return;
  try {
    nb::object given = (*one->rule)(op->name, op->node, op->target,
                                    valuesOf(op->operands, op->operand_count),
                                    valuesOf(op->results, op->result_count),
                                    factsOf(*op), op->is_fused != 0);
    for (const std::string &layout : nb::cast<std::vector<std::string>>(given))
      answer(answers, layout.c_str());
  } catch (nb::python_error &error) {
    one->thrown.emplace(std::move(error));
  } catch (const std::exception &error) { // no list of texts
    PyErr_SetString(PyExc_TypeError, error.what());
    one->thrown.emplace();
  }
}

void Compilation::throwWhatTheRuleThrew() {
  if (!thrown)
    return;
  nb::python_error error = std::move(*thrown);
  thrown.reset();
  throw error;
}

void Compilation::run(int stage) {
  npuc_status status = {};
  npuc_code code = NPUC_OK;
  {
    nb::gil_scoped_release others;
    std::lock_guard<std::mutex> lock(oneAtATime);
    code =
        npuc_compilation_run(handle, static_cast<npuc_stage>(stage), &status);
  }
  throwWhatTheRuleThrew();
  check(code, status);
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
                    const std::optional<std::string> &, const Words &, uint32_t,
                    std::optional<nb::callable>>(),
           "model"_a, "data"_a.none(), "output"_a.none(), "options"_a,
           "wanted"_a, "layout_rule"_a.none())
      .def("run", &Compilation::run, "stage"_a)
      .def("text", &Compilation::text, "what"_a)
      .def("output", &Compilation::output)
      .def("messages", &Compilation::messages);
  module.def("option_table", npuc_option_table);
  module.def(
      "stage_name", [](int stage) { return npuc_stage_name(stage); },
      "stage"_a);
}
