// SPDX-License-Identifier: Apache-2.0
//
// How errors travel inside the runtime: as one exception that the C API turns
// into an npu_status.
#ifndef NPU_RUNTIME_STATUS_H
#define NPU_RUNTIME_STATUS_H

#include "npu/npu.h"

#include <stdexcept>
#include <string>

namespace npu::runtime {

class Failure : public std::runtime_error {
public:
  Failure(npu_code code, const std::string &sentence)
      : std::runtime_error(sentence), failureCode(code) {}
  npu_code code() const { return failureCode; }

private:
  npu_code failureCode;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_STATUS_H
