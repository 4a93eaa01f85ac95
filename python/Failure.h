// SPDX-License-Identifier: Apache-2.0
//
// Codes of both C APIs as Python's exceptions.
#ifndef NPU_PYTHON_FAILURE_H
#define NPU_PYTHON_FAILURE_H

#include "npu/npu.h"
#include "npuc/npuc.h"

#include <string>

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

} // namespace npu::python

#endif // NPU_PYTHON_FAILURE_H
