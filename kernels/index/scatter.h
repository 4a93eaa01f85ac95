// SPDX-License-Identifier: Apache-2.0
//
// What the fast kernels of SCATTER_ELEMENTS and SCATTER_ND share: the result
// begins as a copy of the data, then updates join its elements. Those of one
// element do so in their row-major order, whatever threads there are.
#ifndef NPU_KERNELS_INDEX_SCATTER_H
#define NPU_KERNELS_INDEX_SCATTER_H

#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "kernels/support/wrapping.h"
#include "kernels/tensor.h"

#include <cstdint>

namespace npu::kernels {

/// How an update joins an element of type T.
template <typename T>
struct Replace {
  using Type = T;
  static T join(T, T update) { return update; }
};
template <typename T>
struct Add {
  using Type = T;
  static T join(T old, T update) { return plus(old, update); }
};
template <typename T>
struct Multiply {
  using Type = T;
  static T join(T old, T update) { return times(old, update); }
};
/// Of NaN and a number it is NaN.
template <typename T>
struct Largest {
  using Type = T;
  static T join(T old, T update) {
    return update > old || update != update ? update : old;
  }
};
template <typename T>
struct Smallest {
  using Type = T;
  static T join(T old, T update) {
    return update < old || update != update ? update : old;
  }
};

class ScatterFast : public Kernel {
public:
  explicit ScatterFast(const Problem &p) : problem(p) {
    Problem copy;
    copy.op = NPU_OP_RELAYOUT;
    copy.inputs = {p.inputs[0]};
    copy.outputs = p.outputs;
    copy.threads = p.threads;
    copier = create(copy);
  }

protected:
  /// Makes the result a copy of the data, then calls body(how to join).
  template <typename Body>
  int runOn(void *const *operands, Body body) const {
    void *pair[2] = {operands[0], operands[problem.inputs.size()]};
    if (int status = copier->run(pair, nullptr))
      return status;
    if (problem.attrs.index.reduction != NPU_SCATTER_NONE)
      return runReducing(body);
    switch (dtypeBytes(problem.outputs[0].dtype)) {
    case 1:
      return body(Replace<uint8_t>());
    case 2:
      return body(Replace<uint16_t>());
    case 4:
      return body(Replace<uint32_t>());
    default:
      return body(Replace<uint64_t>());
    }
  }

  Problem problem;

private:
  template <typename Body>
  int runReducing(Body body) const {
    switch (problem.outputs[0].dtype) {
    case NPU_F32:
      return runOf<float>(body);
    case NPU_I8:
      return runOf<int8_t>(body);
    case NPU_U8:
      return runOf<uint8_t>(body);
    case NPU_I16:
      return runOf<int16_t>(body);
    case NPU_I32:
      return runOf<int32_t>(body);
    default:
      return runOf<int64_t>(body);
    }
  }

  template <typename T, typename Body>
  int runOf(Body body) const {
    switch (problem.attrs.index.reduction) {
    case NPU_SCATTER_ADD:
      return body(Add<T>());
    case NPU_SCATTER_MUL:
      return body(Multiply<T>());
    case NPU_SCATTER_MAX:
      return body(Largest<T>());
    default:
      return body(Smallest<T>());
    }
  }

  std::unique_ptr<Kernel> copier;
};

/// Empty, or why none of these takes the problem.
inline std::string whyNotScatter(const Problem &problem) {
  int32_t type = problem.inputs[0].dtype;
  bool reduces = problem.attrs.index.reduction != NPU_SCATTER_NONE;
  if (!problem.instrs.empty())
    return "fused instructions";
  if (problem.outputs[0].dtype != type)
    return "a result of another type";
  if (reduces && (type == NPU_F16 || type == NPU_BF16 || type == NPU_BOOL))
    return std::string("a reduction of ") + dtypeName(type);
  return "";
}

} // namespace npu::kernels

#endif // NPU_KERNELS_INDEX_SCATTER_H
