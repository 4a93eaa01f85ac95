// SPDX-License-Identifier: Apache-2.0
//
// Codes of both C APIs as Python's exceptions.
#ifndef NPU_PYTHON_FAILURE_H
#define NPU_PYTHON_FAILURE_H

#include "npu/npu.h"
#include "npuc/npuc.h"

#include <nanobind/nanobind.h>

#include <string>

namespace nb = nanobind;

namespace npu::python {

struct Failure {
  const char *type; // a class of npuc.errors
  int code;
  std::string message;
};

inline void check(npuc_code code, const npuc_status &status) {
  if (code != NPUC_OK)
    throw Failure{"CompileError", code, status.message};
}

inline void check(npu_code code, const npu_status &status) {
  if (code != NPU_OK)
    throw Failure{"RunError", code, status.message};
}

/// For the C APIs, which would take what stands before a zero for the whole. As
/// Python says it of names of files.
inline const char *textOf(const std::string &text) {
  if (text.find('\0') != std::string::npos)
    throw nb::value_error("embedded null byte");
  return text.c_str();
}

/// The classes are Python's, so that users can read and subclass them.
inline void translate(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure &failure) {
    nb::object type = nb::module_::import_("npuc.errors").attr(failure.type);
    nb::tuple arguments = nb::make_tuple(
        nb::str(failure.message.data(), failure.message.size()), failure.code);
    PyErr_SetObject(type.ptr(), arguments.ptr());
  }
}

} // namespace npu::python

#endif // NPU_PYTHON_FAILURE_H
