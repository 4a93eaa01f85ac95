// SPDX-License-Identifier: Apache-2.0
//
// Numbers of 16 bits where nothing computes on them: a kernel of f32 does, on
// copies in scratch, and its result is rounded once. Constants are made f32
// when they are packed.

#include "kernels/memory.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

#include <algorithm>
#include <new>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 16384;

static int32_t widened(int32_t dtype) {
  return isHalfWide(dtype) ? static_cast<int32_t>(NPU_F32) : dtype;
}

/// Whether the kernel reads the input: of what was fused to it some may be left
/// that only a pass behind it reads (split.cpp).
static bool isRead(const Problem &problem, size_t input) {
  const auto index = static_cast<int>(input);
  return index < properInputs(problem) ||
         std::any_of(
             problem.instrs.begin(), problem.instrs.end(),
             [&](const npu_instr &instr) {
               return instr.a == index || instr.b == index || instr.c == index;
             });
}

namespace {
/// An operand of 16 bits and its copy.
struct Copied {
  size_t operand;
  int32_t dtype;
  int64_t count; // elements, padding among them
  size_t offset; // of the copy, in scratch
};

class Widened : public ComposedKernel {
public:
  Widened(const Problem &p, std::unique_ptr<Kernel> kernel)
      : ComposedKernel(std::move(kernel)), problem(p),
        constants(p.inputs.size()), bytes(aligned(inner->scratchBytes())) {
    for (size_t i = 0; i < p.inputs.size(); ++i)
      if (isHalfWide(p.inputs[i].dtype) && !p.isConstant(i) && isRead(p, i))
        before.push_back(copyOf(i, p.inputs[i]));
    if (isHalfWide(p.outputs[0].dtype))
      behind.push_back(copyOf(p.inputs.size(), p.outputs[0]));
  }

  std::string implementation() const override {
    return "widened+" + inner->implementation();
  }
  size_t scratchBytes() const override { return bytes; }
  size_t adapterBytes() const override { return moved + inner->adapterBytes(); }

  size_t pack(const void *const *operands) override {
    std::vector<const void *> inside(operands,
                                     operands + problem.inputs.size());
    for (size_t i = 0; i < inside.size(); ++i) {
      const npu_tensor_desc &tensor = problem.inputs[i];
      if (!inside[i] || !isHalfWide(tensor.dtype) || !isRead(problem, i))
        continue;
      const int64_t count = storedElements(tensor);
      constants[i] = allocate(static_cast<size_t>(count) * sizeof(float));
      if (!constants[i])
        throw std::bad_alloc();
      widen(tensor.dtype, static_cast<const uint16_t *>(inside[i]),
            static_cast<float *>(constants[i].get()), count);
      inside[i] = constants[i].get();
    }
    size_t total = inner->pack(inside.data());
    for (size_t i = 0; i < inside.size(); ++i) {
      const bool isKept = constants[i] && !inner->isPacked(i);
      if (isKept)
        total += static_cast<size_t>(storedElements(problem.inputs[i])) *
                 sizeof(float);
      else
        constants[i].reset();
    }
    return total;
  }

  bool isPacked(size_t input) const override {
    return constants[input] || inner->isPacked(input);
  }

  int run(void *const *operands, void *scratch) const override {
    const size_t output = problem.inputs.size();
    char *base = static_cast<char *>(scratch);
    std::vector<void *> inside(operands, operands + output + 1);
    for (size_t i = 0; i < output; ++i)
      if (constants[i])
        inside[i] = constants[i].get();
    for (const std::vector<Copied> *side : {&before, &behind})
      for (const Copied &one : *side)
        inside[one.operand] = base + one.offset;
    // The in-place input goes where the inner kernel expects it: its output.
    if (problem.inPlaceInput >= 0)
      inside[static_cast<size_t>(problem.inPlaceInput)] = inside[output];
    for (const Copied &one : before)
      each(one.count, [&](Range part) {
        widen(one.dtype,
              static_cast<const uint16_t *>(operands[one.operand]) + part.begin,
              static_cast<float *>(inside[one.operand]) + part.begin,
              part.end - part.begin);
      });
    if (int status = inner->run(inside.data(), scratch))
      return status;
    for (const Copied &one : behind)
      each(one.count, [&](Range part) {
        narrow(one.dtype,
               static_cast<const float *>(inside[one.operand]) + part.begin,
               static_cast<uint16_t *>(operands[one.operand]) + part.begin,
               part.end - part.begin);
      });
    return 0;
  }

private:
  Copied copyOf(size_t operand, const npu_tensor_desc &tensor) {
    const int64_t count = storedElements(tensor);
    Copied copied = {operand, tensor.dtype, count, bytes};
    const size_t wide = static_cast<size_t>(count) * sizeof(float);
    bytes += aligned(wide);
    moved += wide + static_cast<size_t>(storedBytes(tensor));
    return copied;
  }

  template <typename Body>
  void each(int64_t count, const Body &body) const {
    parallelFor(teamFor(count, minElementsPerThread, problem.threads),
                [&](int thread, int threads) {
                  body(shareOf(count, thread, threads));
                });
  }

  Problem problem;
  std::vector<std::shared_ptr<void>> constants; // by input; null: none is kept
  std::vector<Copied> before, behind;
  size_t bytes, moved = 0;
};
} // namespace

std::unique_ptr<Kernel> createWidened(const Problem &problem,
                                      std::string &whyNot) {
  Problem inside = problem;
  bool isChanged = false;
  for (std::vector<npu_tensor_desc> *side : {&inside.inputs, &inside.outputs})
    for (npu_tensor_desc &tensor : *side) {
      isChanged |= isHalfWide(tensor.dtype);
      tensor.dtype = widened(tensor.dtype);
    }
  for (npu_instr &instr : inside.instrs)
    instr.dtype = widened(instr.dtype);
  if (!isChanged)
    whyNot = "nothing of 16 bits";
  else if (problem.op == NPU_OP_MATMUL && hasPackedWeights(problem))
    whyNot = "packed weights";
  else if (!validate(inside).empty())
    whyNot = "types that f32 does not stand for";
  if (!whyNot.empty())
    return nullptr;
  std::unique_ptr<Kernel> inner = createDirect(inside, whyNot);
  return inner ? std::make_unique<Widened>(problem, std::move(inner)) : nullptr;
}

} // namespace npu::kernels
