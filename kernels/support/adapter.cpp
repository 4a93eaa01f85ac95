// SPDX-License-Identifier: Apache-2.0
//
// Where no fast kernel takes the layouts as they are: the operands are brought
// into an order that a fast kernel takes, in scratch, and the result back.

#include "kernels/registry.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

namespace npu::kernels {

namespace {
/// One operand that goes through scratch.
struct Moved {
  size_t operand;
  size_t offset;
  std::unique_ptr<Kernel> mover;
};
} // namespace

static std::unique_ptr<Kernel>
makeMover(const npu_tensor_desc &from, const npu_tensor_desc &to, int threads) {
  Problem relayout;
  relayout.op = NPU_OP_RELAYOUT;
  relayout.inputs = {from};
  relayout.outputs = {to};
  relayout.threads = threads;
  return create(relayout);
}

namespace {
class Adapter : public ComposedKernel {
public:
  Adapter(const Problem &p, const Problem &inside,
          std::unique_ptr<Kernel> kernel)
      : ComposedKernel(std::move(kernel)), problem(p),
        bytes(inner->scratchBytes()) {
    bytes = aligned(bytes);
    for (size_t i = 0; i < p.inputs.size(); ++i)
      add(i, p.inputs[i], inside.inputs[i], false);
    add(p.inputs.size(), p.outputs[0], inside.outputs[0], true);
  }

  std::string implementation() const override {
    return "adapter+" + inner->implementation();
  }
  size_t scratchBytes() const override { return bytes; }
  size_t adapterBytes() const override { return moved + inner->adapterBytes(); }

  int run(void *const *operands, void *scratch) const override {
    size_t output = problem.inputs.size();
    char *base = static_cast<char *>(scratch);
    std::vector<void *> inside(operands, operands + output + 1);
    for (const Moved &one : before)
      inside[one.operand] = base + one.offset;
    for (const Moved &one : behind)
      inside[one.operand] = base + one.offset;
    // The in-place input goes where the inner kernel expects it: its output.
    if (problem.inPlaceInput >= 0)
      inside[static_cast<size_t>(problem.inPlaceInput)] = inside[output];
    for (const Moved &one : before) {
      void *pair[2] = {operands[one.operand], inside[one.operand]};
      if (int status = one.mover->run(pair, nullptr))
        return status;
    }
    if (int status = inner->run(inside.data(), scratch))
      return status;
    for (const Moved &one : behind) {
      void *pair[2] = {inside[one.operand], operands[one.operand]};
      if (int status = one.mover->run(pair, nullptr))
        return status;
    }
    return 0;
  }

private:
  void add(size_t operand, const npu_tensor_desc &outside,
           const npu_tensor_desc &inside, bool isOutput) {
    if (sameStorage(outside, inside))
      return;
    Moved one;
    one.operand = operand;
    one.offset = bytes;
    one.mover = isOutput ? makeMover(inside, outside, problem.threads)
                         : makeMover(outside, inside, problem.threads);
    bytes += aligned(static_cast<size_t>(storedBytes(inside)));
    moved += static_cast<size_t>(storedBytes(inside) + storedBytes(outside));
    (isOutput ? behind : before).push_back(std::move(one));
  }

  Problem problem;
  std::vector<Moved> before, behind;
  size_t bytes, moved = 0;
};
} // namespace

std::unique_ptr<Kernel> adaptTo(const Problem &problem, const Problem &inside,
                                std::unique_ptr<Kernel> kernel) {
  return std::make_unique<Adapter>(problem, inside, std::move(kernel));
}

static npu_tensor_desc rowMajor(const npu_tensor_desc &tensor) {
  return makeTensor(tensor.dtype, tensor.dims, tensor.rank);
}

/// `tensor` in the order that the op's fast kernels take.
static npu_tensor_desc preferred(const Problem &problem,
                                 const npu_tensor_desc &tensor) {
  if (problem.op == NPU_OP_MATMUL || problem.op == NPU_OP_REDUCE ||
      problem.op == NPU_OP_ATTENTION || problem.op == NPU_OP_TENSORNORM ||
      problem.op == NPU_OP_GATHER || problem.op == NPU_OP_RESHAPE)
    return rowMajor(tensor);
  if (problem.op != NPU_OP_SOFTMAX)
    return channelsLast(rowMajor(tensor));
  npu_tensor_desc result = rowMajor(tensor);
  int axis = static_cast<int>(problem.attrs.axis.axis);
  for (int place = axis; place + 1 < tensor.rank; ++place)
    result.order[place] = static_cast<int8_t>(place + 1);
  result.order[tensor.rank - 1] = static_cast<int8_t>(axis);
  return result;
}

static bool sameExtents(const npu_tensor_desc &a, const npu_tensor_desc &b) {
  if (a.rank != b.rank)
    return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.dims[d] != b.dims[d])
      return false;
  return true;
}

/// Changes one operand; whether it changed.
static bool change(npu_tensor_desc &tensor, const npu_tensor_desc &better) {
  if (sameStorage(better, tensor))
    return false;
  tensor = better; // and no constant any more: it lies in scratch
  tensor.weights_offset = -1;
  return true;
}

/// Whether its fast kernels want all operands in one order, not the data alone.
static bool needsAllAlike(int32_t op) {
  return op == NPU_OP_MATMUL || op == NPU_OP_CONV_BPW ||
         op == NPU_OP_ATTENTION || op == NPU_OP_TENSORNORM ||
         op == NPU_OP_GATHER;
}

/// All operands in the preferred order.
static bool changeAll(const Problem &problem, Problem &inside) {
  bool isChanged = false;
  int proper = properInputs(problem);
  for (int i = 0; i < static_cast<int>(inside.inputs.size()); ++i) {
    npu_tensor_desc &input = inside.inputs[static_cast<size_t>(i)];
    // Packed numbers are no tensor to bring into order.
    bool isPacked = i > 0 && i < proper && problem.op == NPU_OP_MATMUL &&
                    hasPackedWeights(problem);
    bool isExtra = i >= proper && sameExtents(input, problem.outputs[0]);
    if (isPacked)
      continue;
    if (i == 0 || (needsAllAlike(problem.op) && i < proper) || isExtra)
      isChanged |= change(input, preferred(problem, input));
  }
  if (problem.op == NPU_OP_CONV_BPW) // its kernel stores any weight
    return isChanged;
  return change(inside.outputs[0], preferred(problem, inside.outputs[0])) ||
         isChanged;
}

static std::unique_ptr<Kernel>
adapt(const Problem &problem, const Problem &inside, std::string &whyNot) {
  std::unique_ptr<Kernel> inner = createDirect(inside, whyNot);
  if (!inner)
    return nullptr;
  return adaptTo(problem, inside, std::move(inner));
}

std::unique_ptr<Kernel> createAdapter(const Problem &problem,
                                      std::string &whyNot) {
  // The first convolution of a network: few channels, for which kernels of
  // blocked layouts read the plain order.
  Problem inside = problem;
  if (problem.op == NPU_OP_CONV &&
      change(inside.inputs[0], rowMajor(problem.inputs[0]))) {
    std::string ignored;
    if (auto kernel = adapt(problem, inside, ignored))
      return kernel;
  }
  inside = problem;
  if (changeAll(problem, inside))
    return adapt(problem, inside, whyNot);
  whyNot = "the layouts are already the preferred ones";
  return nullptr;
}

} // namespace npu::kernels
