// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ProgramTables.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/tensor.h"

#include "llvm/ADT/StringMap.h"

using namespace npu;

static std::vector<npu_io_desc> ioRows(ArrayRef<RankedTensorType> types) {
  std::vector<npu_io_desc> rows;
  for (RankedTensorType type : types) {
    npu_tensor_desc tensor = describeTensor(type);
    rows.push_back(
        {tensor, static_cast<uint64_t>(kernels::storedBytes(tensor))});
  }
  return rows;
}

namespace {
/// A table in which rows that stand one behind the other already, as those of
/// the steps of a net that is written out do, are not put down again.
template <typename T>
class SharedRows {
public:
  explicit SharedRows(std::vector<T> &table) : table(table) {}

  /// The number of the first of these rows.
  uint32_t add(ArrayRef<T> rows) {
    std::string bytes(reinterpret_cast<const char *>(rows.data()),
                      rows.size() * sizeof(T));
    auto [known, isNew] = first.try_emplace(bytes, table.size());
    if (isNew)
      table.insert(table.end(), rows.begin(), rows.end());
    return known->second;
  }

private:
  std::vector<T> &table;
  llvm::StringMap<uint32_t> first;
};
} // namespace

ProgramTables npu::tablesOf(const ProgramPlan &plan) {
  ProgramTables tables;
  SharedRows<npu_tensor_desc> tensors(tables.tensors);
  SharedRows<npu_instr> instrs(tables.instrs);
  SharedRows<npu_attrs> attrs(tables.attrs);
  auto rowOf = [&](const kernels::Problem &problem) {
    npu_kernel_desc row = {};
    row.op = problem.op;
    row.n_inputs = static_cast<int32_t>(problem.inputs.size());
    row.n_outputs = static_cast<int32_t>(problem.outputs.size());
    std::vector<npu_tensor_desc> operands = problem.inputs;
    llvm::append_range(operands, problem.outputs);
    row.first_tensor = tensors.add(operands);
    row.first_instr = instrs.add(problem.instrs);
    row.n_instrs = static_cast<int32_t>(problem.instrs.size());
    row.in_place_input = problem.inPlaceInput;
    row.attrs = attrs.add(problem.attrs);
    return row;
  };
  for (const PlannedKernel &kernel : plan.kernels) {
    tables.kernels.push_back(rowOf(kernel.problem));
    if (kernel.generated)
      tables.kernels.back().flags = NPU_KERNEL_GENERATED;
  }
  for (const kernels::Problem &maker : plan.weights.makers())
    tables.makers.push_back(rowOf(maker));
  tables.inputs = ioRows(plan.inputs);
  tables.outputs = ioRows(plan.outputs);
  for (auto [row, state] : llvm::zip(
           llvm::MutableArrayRef(tables.inputs).take_back(plan.states.size()),
           plan.states))
    row.tensor.weights_offset = state.begins;
  return tables;
}
