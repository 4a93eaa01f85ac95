// SPDX-License-Identifier: Apache-2.0
//
// What all reference kernels share: they compute the operation proper without
// regard to layouts, and leave the fused instructions and the final layout to
// Elementwise. Plain and slow on purpose; they are the oracle of the tests.
#ifndef NPU_KERNELS_SUPPORT_REFERENCE_H
#define NPU_KERNELS_SUPPORT_REFERENCE_H

#include "kernels/kernel.h"
#include "kernels/support/elementwise.h"

namespace npu::kernels {

/// `bytes` rounded up to NPU_VALUE_ALIGNMENT.
inline size_t aligned(size_t bytes) {
  return (bytes + NPU_VALUE_ALIGNMENT - 1) / NPU_VALUE_ALIGNMENT *
         NPU_VALUE_ALIGNMENT;
}

/// A dense row-major tensor around one of its dimensions.
struct AxisSplit {
  AxisSplit(const npu_tensor_desc &tensor, int64_t axis)
      : extent(tensor.dims[axis]) {
    for (int d = 0; d < tensor.rank; ++d)
      (d < axis ? before : behind) *= d == axis ? 1 : tensor.dims[d];
  }
  /// Offset of element `k` of the line numbered `line`.
  int64_t at(int64_t line, int64_t k) const {
    return (line / behind * extent + k) * behind + line % behind;
  }
  int64_t lines() const { return before * behind; }

  int64_t extent, before = 1, behind = 1;
};

/// The instructions of a kernel whose result proper is `result`.
Elementwise makeEpilogue(const Problem &problem, const npu_tensor_desc &result);

/// Row-major result of the kernel proper, of type `dtype`, output's extents.
npu_tensor_desc resultTensor(const Problem &problem, int32_t dtype);

class ReferenceKernel : public Kernel {
public:
  std::string implementation() const final { return "reference"; }
  bool isSlow() const final { return true; }
};

/// Computes on dense row-major copies of the first inputs: floats as float,
/// integers as int64_t.
class ArithmeticReference : public ReferenceKernel {
public:
  ArithmeticReference(const Problem &problem, int denseInputs);
  size_t scratchBytes() const override;
  int run(void *const *operands, void *scratch) const final;

protected:
  virtual void compute(const float *const *inputs, float *result) const = 0;
  virtual void compute(const int64_t *const *inputs, int64_t *result) const = 0;

  Problem problem;

private:
  template <typename T>
  void computeDense(void *const *operands, char *work, void *to) const;

  int denseInputs;
  npu_tensor_desc result;
  Elementwise epilogue;
};

/// Computes positions (i64) from one dense row-major input.
class PositionReference : public ReferenceKernel {
public:
  explicit PositionReference(const Problem &problem);
  size_t scratchBytes() const override;
  int run(void *const *operands, void *scratch) const final;

protected:
  virtual void compute(const float *input, int64_t *result) const = 0;
  virtual void compute(const int64_t *input, int64_t *result) const = 0;

  Problem problem;

private:
  npu_tensor_desc result;
  Elementwise epilogue;
};

/// Moves elements without looking at them.
class MovementReference : public ReferenceKernel {
public:
  explicit MovementReference(const Problem &problem);
  size_t scratchBytes() const override;
  int run(void *const *operands, void *scratch) const final;

protected:
  /// Fills `result`, stored as `target()` says.
  virtual int move(void *const *operands, void *result) const = 0;
  const npu_tensor_desc &target() const { return result; }

  Problem problem;

private:
  npu_tensor_desc result;
  Elementwise epilogue;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_REFERENCE_H
