// SPDX-License-Identifier: Apache-2.0
//
// npu.h for C++: the same calls with destructors and exceptions.
#ifndef NPU_NPU_HPP
#define NPU_NPU_HPP

#include "npu/npu.h"

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace npu {

/// What every call below throws; the sentence is what().
class Error : public std::runtime_error {
public:
  explicit Error(const npu_status &status)
      : std::runtime_error(status.message), errorCode(status.code) {}
  npu_code code() const { return errorCode; }

private:
  npu_code errorCode;
};

namespace detail {
inline void check(const npu_status &status) {
  if (status.code != NPU_OK)
    throw Error(status);
}
} // namespace detail

/// Aligned, zeroed memory for one tensor in stored order.
class Buffer {
public:
  explicit Buffer(uint64_t bytes) : buffer(npu_buffer_create(bytes)) {
    if (!buffer.data)
      throw std::bad_alloc();
  }
  Buffer(Buffer &&other) noexcept : buffer(other.buffer) {
    other.buffer.data = nullptr;
  }
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(buffer, other.buffer);
    return *this;
  }
  ~Buffer() { npu_buffer_free(buffer); }

  template <class T>
  T *as() const {
    return static_cast<T *>(buffer.data);
  }
  uint64_t bytes() const { return buffer.bytes; }
  npu_buffer get() const { return buffer; }

private:
  npu_buffer buffer;
};

class Model {
public:
  explicit Model(const std::string &path, npu_load_options options = {}) {
    npu_status status;
    npu_model *loaded = nullptr;
    npu_model_load(path.c_str(), &options, &loaded, &status);
    detail::check(status);
    handle.reset(loaded);
  }
  /// Of a .npu file's bytes in memory, which are copied.
  Model(const void *data, uint64_t bytes, npu_load_options options = {}) {
    npu_status status;
    npu_model *loaded = nullptr;
    npu_model_load_memory(data, bytes, &options, &loaded, &status);
    detail::check(status);
    handle.reset(loaded);
  }

  std::vector<npu_tensor_info> inputs() const {
    return signature(npu_model_input_count(get()), npu_model_input);
  }
  std::vector<npu_tensor_info> outputs() const {
    return signature(npu_model_output_count(get()), npu_model_output);
  }
  std::vector<npu_tensor_info> states() const {
    return signature(npu_model_state_count(get()), npu_model_state);
  }
  std::vector<npu_kernel_info> kernels() const {
    std::vector<npu_kernel_info> infos(npu_model_kernel_count(get()));
    npu_status status;
    for (size_t i = 0; i < infos.size(); ++i) {
      npu_model_kernel(get(), i, &infos[i], &status);
      detail::check(status);
    }
    return infos;
  }
  npu_chip_info chip() const {
    npu_chip_info info;
    npu_status status;
    npu_model_chip(get(), &info, &status);
    detail::check(status);
    return info;
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> texts;
    for (size_t i = 0; i < npu_model_warning_count(get()); ++i)
      texts.emplace_back(npu_model_warning(get(), i));
    return texts;
  }
  std::string manifest() const { return npu_model_manifest(get()); }
  npu_load_stats stats() const { return npu_model_stats(get()); }

  void storeInput(size_t index, const void *rows, uint64_t rowBytes,
                  const Buffer &stored) const {
    npu_status status;
    npu_model_store_input(get(), index, rows, rowBytes, stored.get(), &status);
    detail::check(status);
  }
  void fetchOutput(size_t index, const Buffer &stored, void *rows,
                   uint64_t rowBytes) const {
    npu_status status;
    npu_model_fetch_output(get(), index, stored.get(), rows, rowBytes, &status);
    detail::check(status);
  }

  npu_model *get() const { return handle.get(); }

private:
  struct Free {
    void operator()(npu_model *model) const { npu_model_free(model); }
  };
  using Ask = npu_code (*)(const npu_model *, size_t, npu_tensor_info *,
                           npu_status *);
  std::vector<npu_tensor_info> signature(size_t count, Ask ask) const {
    std::vector<npu_tensor_info> infos(count);
    npu_status status;
    for (size_t i = 0; i < count; ++i) {
      ask(get(), i, &infos[i], &status);
      detail::check(status);
    }
    return infos;
  }

  std::unique_ptr<npu_model, Free> handle;
};

class Context {
public:
  explicit Context(const Model &model) {
    npu_status status;
    npu_context *created = nullptr;
    npu_context_create(model.get(), &created, &status);
    detail::check(status);
    handle.reset(created);
  }
  /// In memory of the caller, which outlives it.
  Context(const Model &model, npu_buffer arena, npu_buffer scratch) {
    npu_status status;
    npu_context *created = nullptr;
    npu_context_create_in(model.get(), arena, scratch, &created, &status);
    detail::check(status);
    handle.reset(created);
  }

  void run(const std::vector<Buffer> &inputs,
           const std::vector<Buffer> &outputs) {
    std::vector<npu_buffer> in, out;
    for (const Buffer &buffer : inputs)
      in.push_back(buffer.get());
    for (const Buffer &buffer : outputs)
      out.push_back(buffer.get());
    npu_status status;
    npu_run(get(), in.data(), in.size(), out.data(), out.size(), &status);
    detail::check(status);
  }
  void reset() {
    npu_status status;
    npu_context_reset(get(), &status);
    detail::check(status);
  }
  void readState(const std::string &name, void *rows, uint64_t rowBytes) {
    npu_status status;
    npu_context_read_state(get(), name.c_str(), rows, rowBytes, &status);
    detail::check(status);
  }
  void writeState(const std::string &name, const void *rows,
                  uint64_t rowBytes) {
    npu_status status;
    npu_context_write_state(get(), name.c_str(), rows, rowBytes, &status);
    detail::check(status);
  }
  void setProfiling(bool on) { npu_context_set_profiling(get(), on); }
  npu_kernel_time kernelTime(size_t index) const {
    npu_status status;
    npu_kernel_time time;
    npu_context_kernel_time(get(), index, &time, &status);
    detail::check(status);
    return time;
  }

  npu_context *get() const { return handle.get(); }

private:
  struct Free {
    void operator()(npu_context *context) const { npu_context_free(context); }
  };
  std::unique_ptr<npu_context, Free> handle;
};

} // namespace npu

#endif // NPU_NPU_HPP
