// SPDX-License-Identifier: Apache-2.0
//
// The plan as the rows of program_format.h.
#ifndef NPU_COMPILER_CODEGEN_PROGRAMTABLES_H
#define NPU_COMPILER_CODEGEN_PROGRAMTABLES_H

#include "compiler/Codegen/ProgramPlan.h"

#include <vector>

namespace npu {

struct ProgramTables {
  std::vector<npu_kernel_desc> kernels, makers;
  std::vector<npu_attrs> attrs;         ///< several kernels may have the same
  std::vector<npu_tensor_desc> tensors; ///< likewise
  std::vector<npu_instr> instrs;        ///< likewise
  std::vector<npu_io_desc> inputs, outputs;
};

ProgramTables tablesOf(const ProgramPlan &plan);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_PROGRAMTABLES_H
