// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/reference.h"
#include "kernels/support/movement.h"

#include "kernels/validate.h"

namespace npu::kernels {

Elementwise makeEpilogue(const Problem &problem,
                         const npu_tensor_desc &result) {
  std::vector<npu_tensor_desc> values = problem.inputs;
  values.push_back(result);
  return Elementwise(std::move(values), problem.instrs, problem.outputs[0]);
}

npu_tensor_desc resultTensor(const Problem &problem, int32_t dtype) {
  const npu_tensor_desc &output = problem.outputs[0];
  return makeTensor(dtype, output.dims, output.rank);
}

/// Runs the epilogue on a computed result.
static void finish(const Problem &problem, const Elementwise &epilogue,
                   void *const *operands, void *result, void *scratch) {
  std::vector<const void *> values(operands, operands + problem.inputs.size());
  values.push_back(result);
  epilogue.run(values.data(), operands[problem.inputs.size()], scratch,
               problem.threads);
}

ArithmeticReference::ArithmeticReference(const Problem &p, int dense)
    : problem(p), denseInputs(dense),
      result(resultTensor(p, arithmeticType(p))),
      epilogue(makeEpilogue(p, result)) {}

size_t ArithmeticReference::scratchBytes() const {
  size_t bytes = aligned(epilogue.scratchBytes(problem.threads)) +
                 aligned(static_cast<size_t>(storedBytes(result)));
  size_t each = static_cast<size_t>(dtypeBytes(result.dtype));
  for (int i = 0; i < denseInputs; ++i)
    bytes += aligned(each * static_cast<size_t>(elementCount(
                                problem.inputs[static_cast<size_t>(i)])));
  return bytes;
}

template <typename T>
void ArithmeticReference::computeDense(void *const *operands, char *work,
                                       void *to) const {
  std::vector<const T *> inputs;
  for (int i = 0; i < denseInputs; ++i) {
    const npu_tensor_desc &input = problem.inputs[static_cast<size_t>(i)];
    T *dense = reinterpret_cast<T *>(work);
    toDense(input, operands[i], dense);
    inputs.push_back(dense);
    work += aligned(sizeof(T) * static_cast<size_t>(elementCount(input)));
  }
  compute(inputs.data(), static_cast<T *>(to));
}

int ArithmeticReference::run(void *const *operands, void *scratch) const {
  char *rows = static_cast<char *>(scratch);
  char *to = rows + aligned(epilogue.scratchBytes(problem.threads));
  char *work = to + aligned(static_cast<size_t>(storedBytes(result)));
  if (result.dtype == NPU_F32)
    computeDense<float>(operands, work, to);
  else
    computeDense<int64_t>(operands, work, to);
  finish(problem, epilogue, operands, to, rows);
  return 0;
}

PositionReference::PositionReference(const Problem &p)
    : problem(p), result(resultTensor(p, NPU_I64)),
      epilogue(makeEpilogue(p, result)) {}

size_t PositionReference::scratchBytes() const {
  // The input as float or int64_t: room for the larger.
  return aligned(epilogue.scratchBytes(problem.threads)) +
         aligned(static_cast<size_t>(storedBytes(result))) +
         sizeof(int64_t) * static_cast<size_t>(elementCount(problem.inputs[0]));
}

int PositionReference::run(void *const *operands, void *scratch) const {
  const npu_tensor_desc &input = problem.inputs[0];
  char *rows = static_cast<char *>(scratch);
  char *to = rows + aligned(epilogue.scratchBytes(problem.threads));
  char *work = to + aligned(static_cast<size_t>(storedBytes(result)));
  auto *places = reinterpret_cast<int64_t *>(to);
  if (isFloat(input.dtype)) {
    auto *values = reinterpret_cast<float *>(work);
    toDense(input, operands[0], values);
    compute(values, places);
  } else {
    auto *values = reinterpret_cast<int64_t *>(work);
    toDense(input, operands[0], values);
    compute(values, places);
  }
  finish(problem, epilogue, operands, to, rows);
  return 0;
}

/// Without instructions the elements can go to their final place at once.
static npu_tensor_desc movementTarget(const Problem &problem) {
  if (problem.instrs.empty())
    return problem.outputs[0];
  return resultTensor(problem, problem.inputs[0].dtype);
}

MovementReference::MovementReference(const Problem &p)
    : problem(p), result(movementTarget(p)), epilogue(makeEpilogue(p, result)) {
}

size_t MovementReference::scratchBytes() const {
  if (problem.instrs.empty())
    return 0;
  return aligned(epilogue.scratchBytes(problem.threads)) +
         static_cast<size_t>(storedBytes(result));
}

int MovementReference::run(void *const *operands, void *scratch) const {
  if (problem.instrs.empty()) {
    void *to = operands[problem.inputs.size()];
    int status = move(operands, to);
    zeroPadding(result, to);
    return status;
  }
  char *rows = static_cast<char *>(scratch);
  char *to = rows + aligned(epilogue.scratchBytes(problem.threads));
  if (int status = move(operands, to))
    return status;
  finish(problem, epilogue, operands, to, rows);
  return 0;
}

} // namespace npu::kernels
