// SPDX-License-Identifier: Apache-2.0
//
// Where a kernel takes the operation but not its fused instructions: the
// kernel without them, then one pass of the interpreter over the result.

#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

namespace npu::kernels {

namespace {

class Split : public ComposedKernel {
public:
  Split(const Problem &p, const Problem &bareProblem,
        std::unique_ptr<Kernel> kernel)
      : ComposedKernel(std::move(kernel)), problem(p),
        result(bareProblem.outputs[0]), epilogue(makeEpilogue(p, result)) {
    // The output itself can hold the result if nothing else lies there.
    isInOutput = p.inPlaceInput < 0 && result.dtype == p.outputs[0].dtype;
  }

  std::string implementation() const override {
    return inner->implementation() + "+split";
  }
  size_t scratchBytes() const override {
    return epilogueBytes() + resultBytes() + inner->scratchBytes();
  }
  size_t adapterBytes() const override {
    return inner->adapterBytes() + 2 * static_cast<size_t>(storedBytes(result));
  }

  int run(void *const *operands, void *scratch) const override {
    char *rows = static_cast<char *>(scratch);
    void *output = operands[problem.inputs.size()];
    void *temporary = isInOutput ? output : rows + epilogueBytes();
    std::vector<void *> some(operands, operands + problem.inputs.size());
    some.push_back(temporary);
    if (int status =
            inner->run(some.data(), rows + epilogueBytes() + resultBytes()))
      return status;
    std::vector<const void *> values(some.begin(), some.end());
    epilogue.run(values.data(), output, rows, problem.threads);
    return 0;
  }

private:
  size_t epilogueBytes() const {
    return aligned(epilogue.scratchBytes(problem.threads));
  }
  size_t resultBytes() const {
    return isInOutput ? 0 : aligned(static_cast<size_t>(storedBytes(result)));
  }

  Problem problem;
  npu_tensor_desc result;
  Elementwise epilogue;
  bool isInOutput;
};

} // namespace

/// Whether the instructions read elements of the data's own type though the op
/// is no movement that is known beforehand.
static bool keepsType(const Problem &problem) {
  const int32_t type = problem.inputs[0].dtype;
  switch (problem.op) {
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_GATHER_ND:
    return true;
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
    return !isFloat(type) || problem.attrs.index.reduction == NPU_SCATTER_NONE;
  case NPU_OP_CUMULATE:
    return !isFloat(type);
  default:
    return false;
  }
}

/// What the kernel without the instructions gives them.
static int32_t bareType(const Problem &problem) {
  if (givesPositions(problem))
    return NPU_I64;
  if (isMovement(problem) || keepsType(problem))
    return problem.inputs[0].dtype;
  return givesFloats(problem) ? NPU_F32 : NPU_I32;
}

/// The kernel without its instructions, by one of the given ways.
using CreateBare = std::unique_ptr<Kernel> (*)(const Problem &, std::string &);

static std::unique_ptr<Kernel> split(const Problem &problem,
                                     std::initializer_list<CreateBare> ways,
                                     std::string &whyNot) {
  if (problem.instrs.empty()) {
    whyNot = "no fused instructions";
    return nullptr;
  }
  Problem bare = problem;
  bare.instrs.clear();
  bare.inPlaceInput = -1;
  bare.outputs[0].dtype = bareType(problem);
  for (CreateBare create : ways)
    if (std::unique_ptr<Kernel> kernel = create(bare, whyNot))
      return std::make_unique<Split>(problem, bare, std::move(kernel));
  return nullptr;
}

std::unique_ptr<Kernel> createSplitDirect(const Problem &problem,
                                          std::string &whyNot) {
  return split(problem, {createSameOperands}, whyNot);
}

std::unique_ptr<Kernel> createSplit(const Problem &problem,
                                    std::string &whyNot) {
  return split(problem, {createSameOperands, createAdapter}, whyNot);
}

} // namespace npu::kernels
