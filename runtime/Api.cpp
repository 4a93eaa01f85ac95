// SPDX-License-Identifier: Apache-2.0
//
// npu.h over the C++ classes: every exception ends here, as a status.

#include "kernels/kernel.h"
#include "kernels/tensor.h"
#include "npu/npu.h"
#include "plugin/Plugin.h"
#include "runtime/ChipVisit.h"
#include "runtime/Executor/Context.h"
#include "runtime/Loader/Model.h"
#include "runtime/Status.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <system_error>

using namespace npu;
using npu::runtime::Failure;

static_assert(int(NPU_TYPE_F32) == NPU_F32 && int(NPU_TYPE_F16) == NPU_F16 &&
                  int(NPU_TYPE_BF16) == NPU_BF16 &&
                  int(NPU_TYPE_I8) == NPU_I8 && int(NPU_TYPE_U8) == NPU_U8 &&
                  int(NPU_TYPE_I32) == NPU_I32 &&
                  int(NPU_TYPE_I64) == NPU_I64 &&
                  int(NPU_TYPE_BOOL) == NPU_BOOL &&
                  int(NPU_TYPE_I16) == NPU_I16 &&
                  int(NPU_TYPE_F64) == NPU_F64 &&
                  int(NPU_TYPE_U16) == NPU_U16 &&
                  int(NPU_TYPE_U32) == NPU_U32 && int(NPU_TYPE_U64) == NPU_U64,
              "npu.h and program_format.h number the types alike");
static_assert(NPU_TENSOR_MAX_RANK == NPU_MAX_RANK, "ranks agree");
static_assert(NPU_BUFFER_ALIGNMENT == NPU_VALUE_ALIGNMENT, "alignments agree");

struct npu_model {
  std::shared_ptr<runtime::Model> model;
};

struct npu_context {
  runtime::Context context;
};

namespace {

npu_code report(npu_status *status, npu_code code, const char *message) {
  if (!status)
    return code;
  status->code = code;
  std::strncpy(status->message, message, sizeof(status->message) - 1);
  status->message[sizeof(status->message) - 1] = '\0';
  return code;
}

/// Runs `body`; whatever it throws becomes the status.
template <class Body>
npu_code guarded(npu_status *status, Body body) {
  try {
    body();
    return report(status, NPU_OK, "");
  } catch (const Failure &failure) {
    return report(status, failure.code(), failure.what());
  } catch (const std::bad_alloc &) {
    return report(status, NPU_OUT_OF_MEMORY,
                  "not enough memory; close other programs or use a smaller "
                  "batch");
  } catch (const std::system_error &error) {
    bool isThread = error.code() == std::errc::resource_unavailable_try_again;
    return report(status, isThread ? NPU_OUT_OF_MEMORY : NPU_INTERNAL,
                  isThread ? "cannot start another thread: too many run, or "
                             "there is no memory left"
                           : error.what());
  } catch (const std::exception &error) {
    return report(status, NPU_INTERNAL, error.what());
  } catch (...) {
    return report(status, NPU_INTERNAL, "an unknown error");
  }
}

void require(bool holds, const char *sentence) {
  if (!holds)
    throw Failure(NPU_BAD_ARGUMENT, sentence);
}

template <class T>
const T &at(const std::vector<T> &items, size_t index, const char *kind) {
  if (index >= items.size())
    throw Failure(NPU_BAD_ARGUMENT, "there is no " + std::string(kind) + " " +
                                        std::to_string(index) + " among " +
                                        std::to_string(items.size()));
  return items[index];
}

void load(const runtime::Source &source, const npu_load_options *options,
          npu_model **model) {
  *model = nullptr;
  npu_load_options chosen = options ? *options : npu_load_options{};
  *model = new npu_model{std::make_shared<runtime::Model>(source, chosen)};
}

/// Checks both buffers of a conversion against the tensor's sizes.
void checkConversion(const npu_tensor_info &info, const void *rows,
                     uint64_t rowBytes, const npu_buffer &stored) {
  require(rows && stored.data, "a conversion needs two buffers, got null");
  if (rowBytes != info.row_bytes || stored.bytes != info.bytes)
    throw Failure(NPU_BAD_ARGUMENT,
                  "'" + std::string(info.name) + "' has " +
                      std::to_string(info.row_bytes) + " bytes in rows and " +
                      std::to_string(info.bytes) + " stored, but the buffers " +
                      "have " + std::to_string(rowBytes) + " and " +
                      std::to_string(stored.bytes));
}

npu_tensor_desc rowMajor(const npu_tensor_desc &tensor) {
  return kernels::makeTensor(tensor.dtype, tensor.dims, tensor.rank);
}

} // namespace

const char *npu_version(void) { return NPU_VERSION; }

const char *npu_running_plugin(void) { return plugin::running(); }

const char *npu_kernel_library(void) {
  static const std::string version = kernels::libraryVersion();
  return version.c_str();
}

const char *npu_type_name(int32_t type) {
  return npu_type_bytes(type) == 0 ? "unknown" : kernels::dtypeName(type);
}

uint64_t npu_type_bytes(int32_t type) {
  if (type < 0 || type >= NPU_DTYPE_COUNT)
    return 0;
  return static_cast<uint64_t>(kernels::dtypeBytes(type));
}

npu_code npu_model_load(const char *path, const npu_load_options *options,
                        npu_model **model, npu_status *status) {
  return guarded(status, [&] {
    require(path && model,
            "npu_model_load needs a path and a result, got null");
    load({path}, options, model);
  });
}

npu_code npu_model_load_memory(const void *data, uint64_t bytes,
                               const npu_load_options *options,
                               npu_model **model, npu_status *status) {
  return guarded(status, [&] {
    require(data && model,
            "npu_model_load_memory needs bytes and a result, got null");
    load({"a program in memory", data, bytes}, options, model);
  });
}

void npu_model_free(npu_model *model) { delete model; }

size_t npu_model_input_count(const npu_model *model) {
  return model->model->inputs().size();
}

size_t npu_model_output_count(const npu_model *model) {
  return model->model->outputs().size();
}

npu_code npu_model_input(const npu_model *model, size_t index,
                         npu_tensor_info *info, npu_status *status) {
  return guarded(status, [&] {
    require(model && info, "npu_model_input needs a model and an info");
    *info = at(model->model->inputs(), index, "input");
  });
}

npu_code npu_model_output(const npu_model *model, size_t index,
                          npu_tensor_info *info, npu_status *status) {
  return guarded(status, [&] {
    require(model && info, "npu_model_output needs a model and an info");
    *info = at(model->model->outputs(), index, "output");
  });
}

size_t npu_model_state_count(const npu_model *model) {
  return model->model->states().size();
}

npu_code npu_model_state(const npu_model *model, size_t index,
                         npu_tensor_info *info, npu_status *status) {
  return guarded(status, [&] {
    require(model && info, "npu_model_state needs a model and an info");
    *info = at(model->model->states(), index, "state").info;
  });
}

const char *npu_model_manifest(const npu_model *model) {
  return model->model->manifestText().c_str();
}

npu_load_stats npu_model_stats(const npu_model *model) {
  return model->model->stats();
}

size_t npu_model_warning_count(const npu_model *model) {
  return model->model->warnings().size();
}

const char *npu_model_warning(const npu_model *model, size_t index) {
  const auto &texts = model->model->warnings();
  return index < texts.size() ? texts[index].c_str() : "";
}

size_t npu_model_kernel_count(const npu_model *model) {
  return model->model->kernels().size();
}

npu_code npu_model_kernel(const npu_model *model, size_t index,
                          npu_kernel_info *info, npu_status *status) {
  return guarded(status, [&] {
    require(model && info, "npu_model_kernel needs a model and an info");
    *info = at(model->model->kernels(), index, "kernel").info;
  });
}

npu_code npu_model_chip(const npu_model *model, npu_chip_info *info,
                        npu_status *status) {
  return guarded(status, [&] {
    require(model && info, "npu_model_chip needs a model and an info");
    *info = model->model->chip();
  });
}

npu_code npu_chip_visit(const npu_model *model, const npu_chip_visitor *visitor,
                        npu_status *status) {
  return guarded(status, [&] {
    require(model && visitor, "npu_chip_visit needs a model and a visitor");
    if (visitor->size != sizeof(npu_chip_visitor))
      throw Failure(NPU_BAD_ARGUMENT,
                    "npu_chip_visitor.size is " +
                        std::to_string(visitor->size) + ", expected " +
                        std::to_string(sizeof(npu_chip_visitor)));
    const auto program = model->model->readChipProgram();
    if (int32_t ended = runtime::visitChip(*program, *visitor); ended != 0)
      throw Failure(NPU_RUN_FAILED, "the visitor ended the visit with " +
                                        std::to_string(ended));
  });
}

npu_code npu_context_create(npu_model *model, npu_context **context,
                            npu_status *status) {
  return guarded(status, [&] {
    require(model && context, "npu_context_create needs a model and a result");
    *context = nullptr;
    *context = new npu_context{runtime::Context(model->model)};
  });
}

npu_code npu_context_create_in(npu_model *model, npu_buffer arena,
                               npu_buffer scratch, npu_context **context,
                               npu_status *status) {
  return guarded(status, [&] {
    require(model && context,
            "npu_context_create_in needs a model and a result");
    *context = nullptr;
    *context = new npu_context{runtime::Context(model->model, arena, scratch)};
  });
}

void npu_context_free(npu_context *context) { delete context; }

// Parameters have the names of npu.h.
// NOLINTBEGIN(readability-identifier-naming)
npu_code npu_run(npu_context *context, const npu_buffer *inputs,
                 size_t input_count, const npu_buffer *outputs,
                 size_t output_count, npu_status *status) {
  return guarded(status, [&] {
    require(context && (inputs || input_count == 0) &&
                (outputs || output_count == 0),
            "npu_run needs a context and buffers, got null");
    context->context.run(inputs, input_count, outputs, output_count);
  });
}

npu_code npu_context_reset(npu_context *context, npu_status *status) {
  return guarded(status, [&] {
    require(context, "npu_context_reset needs a context, got null");
    context->context.reset();
  });
}

npu_code npu_context_read_state(npu_context *context, const char *name,
                                void *rows, uint64_t row_bytes,
                                npu_status *status) {
  return guarded(status, [&] {
    require(context && name,
            "npu_context_read_state needs a context and a name, got null");
    context->context.readState(name, rows, row_bytes);
  });
}

npu_code npu_context_write_state(npu_context *context, const char *name,
                                 const void *rows, uint64_t row_bytes,
                                 npu_status *status) {
  return guarded(status, [&] {
    require(context && name,
            "npu_context_write_state needs a context and a name, got null");
    context->context.writeState(name, rows, row_bytes);
  });
}

void npu_context_set_profiling(npu_context *context, int32_t on) {
  context->context.setProfiling(on != 0);
}

npu_code npu_context_kernel_time(const npu_context *context, size_t index,
                                 npu_kernel_time *time, npu_status *status) {
  return guarded(status, [&] {
    require(context && time, "npu_context_kernel_time needs a context");
    *time = at(context->context.kernelTimes(), index, "kernel");
  });
}

npu_code npu_model_store_input(npu_model *model, size_t index, const void *rows,
                               uint64_t row_bytes, npu_buffer stored,
                               npu_status *status) {
  return guarded(status, [&] {
    require(model, "npu_model_store_input needs a model, got null");
    checkConversion(at(model->model->inputs(), index, "input"), rows, row_bytes,
                    stored);
    const npu_tensor_desc &tensor =
        model->model->program().inputs[index].tensor;
    model->model->convert(rowMajor(tensor), rows, tensor, stored.data);
  });
}

npu_code npu_model_fetch_output(npu_model *model, size_t index,
                                npu_buffer stored, void *rows,
                                uint64_t row_bytes, npu_status *status) {
  return guarded(status, [&] {
    require(model, "npu_model_fetch_output needs a model, got null");
    checkConversion(at(model->model->outputs(), index, "output"), rows,
                    row_bytes, stored);
    const npu_tensor_desc &tensor =
        model->model->program().outputs[index].tensor;
    model->model->convert(tensor, stored.data, rowMajor(tensor), rows);
  });
}
// NOLINTEND(readability-identifier-naming)

npu_buffer npu_buffer_create(uint64_t bytes) {
  npu_buffer buffer = {nullptr, bytes};
  // mmap gives whole zeroed pages, so large buffers cost nothing until used.
  void *block = mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block != MAP_FAILED)
    buffer.data = block;
  return buffer;
}

void npu_buffer_free(npu_buffer buffer) {
  if (buffer.data)
    munmap(buffer.data, buffer.bytes ? buffer.bytes : 1);
}
