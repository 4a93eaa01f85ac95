// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"

#include "kernels/memory.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/support/reference.h"

#include <cstdlib>
#include <new>

namespace npu::kernels::onednn {

/// The memory objects of one call. Making them takes as long as a small kernel,
/// so they are kept, and only where their data lies is said anew; they are not
/// safe to share.
class CallMemory {
public:
  CallMemory() = default;
  CallMemory(const CallMemory &) = delete;
  CallMemory &operator=(const CallMemory &) = delete;
  ~CallMemory() {
    for (const dnnl_exec_arg_t &argument : arguments)
      dnnl_memory_destroy(argument.memory);
  }

  /// Before the arguments of a call are added; they are those of the last call.
  void restart() { next = 0; }

  bool add(int name, const Desc &desc, const void *data) {
    void *place = const_cast<void *>(data);
    if (next < arguments.size())
      return dnnl_memory_set_data_handle(arguments[next++].memory, place) ==
             dnnl_success;
    dnnl_memory_t memory = nullptr;
    if (dnnl_memory_create(&memory, desc.get(), engine().get(), place) !=
        dnnl_success)
      return false;
    arguments.push_back({name, memory});
    ++next;
    return true;
  }

  bool execute(const dnnl::primitive &primitive) {
    // A stream holds no work of its own on a processor; one per thread.
    thread_local dnnl::stream stream(engine());
    return dnnl_primitive_execute(primitive.get(), stream.get(),
                                  static_cast<int>(next),
                                  arguments.data()) == dnnl_success;
  }

private:
  std::vector<dnnl_exec_arg_t> arguments;
  size_t next = 0;
};

bool isReference(const std::string &name) {
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = std::min(name.find_first_of(":_+> ", begin), name.size());
    std::string word = name.substr(begin, end - begin);
    if (word == "ref" || word == "simple")
      return true;
    begin = end + 1;
  }
  return false;
}

static bool canReorderDirectly(const Desc &from, const Desc &to) {
  dnnl::reorder::primitive_desc found(engine(), from, engine(), to,
                                      dnnl::primitive_attr(), true);
  return static_cast<bool>(found) && !isReference(found.impl_info_str());
}

OnednnKernel::OnednnKernel(const Problem &p, dnnl::primitive_desc_base found)
    : problem(p), descriptor(std::move(found)),
      name(descriptor.impl_info_str()),
      scratchpad(descriptor.query_md(dnnl::query::scratchpad_md)) {
  scratchSize = aligned(scratchpad.get_size());
}

void OnednnKernel::addArgument(Argument argument) {
  arguments.push_back(std::move(argument));
}

void OnednnKernel::addZeroPoint(int argument, int32_t value) {
  zeroPoints.emplace_back(DNNL_ARG_ATTR_ZERO_POINTS | argument,
                          std::make_unique<const int32_t>(value));
}

void OnednnKernel::addWeights(int argument, int operand, const Desc &chosen,
                              bool isSwapped) {
  const npu_tensor_desc &tensor = problem.inputs[static_cast<size_t>(operand)];
  Weights added;
  added.name = argument;
  added.operand = operand;
  added.chosen = chosen;
  dnnl::memory::dims dims = chosen.get_dims();
  int64_t groups =
      static_cast<int>(dims.size()) == tensor.rank + 1 ? dims[0] : 0;
  npu_tensor_desc plain = makeTensor(tensor.dtype, tensor.dims, tensor.rank);
  added.rowMajor = describeWeight(plain, stridesOf(plain), groups, isSwapped);
  added.given = tensor.block_count ? added.rowMajor
                                   : describeWeight(tensor, stridesOf(tensor),
                                                    groups, isSwapped);
  bool isSame = tensor.block_count == 0 && added.given == chosen;
  if (!isSame && !problem.isConstant(static_cast<size_t>(operand))) {
    added.isReordered = true;
    added.scratchOffset = scratchSize;
    scratchSize += aligned(chosen.get_size());
    adapted += static_cast<size_t>(storedBytes(tensor)) + chosen.get_size();
  }
  weights.push_back(std::move(added));
}

std::string OnednnKernel::prepare() {
  if (primitive)
    return "";
  ThreadScope scope(problem.threads);
  dnnl_primitive_t made = nullptr;
  if (dnnl_primitive_create(&made, descriptor.get()) != dnnl_success)
    return "oneDNN cannot make its kernel " + name;
  primitive.reset(made);
  return "";
}

/// Row-major copy of a blocked tensor.
static int toRowMajor(const npu_tensor_desc &tensor, const void *from, void *to,
                      int threads) {
  Problem relayout;
  relayout.op = NPU_OP_RELAYOUT;
  relayout.inputs = {tensor};
  relayout.outputs = {makeTensor(tensor.dtype, tensor.dims, tensor.rank)};
  relayout.threads = threads;
  void *operands[2] = {const_cast<void *>(from), to};
  return create(relayout)->run(operands, nullptr);
}

bool OnednnKernel::reorderWeights(const Weights &w, const void *from,
                                  void *to) const {
  const npu_tensor_desc &tensor =
      problem.inputs[static_cast<size_t>(w.operand)];
  Desc source = w.given;
  std::shared_ptr<void> copy;
  // oneDNN reorders some plain orders at a crawl; row-major goes well.
  if (tensor.block_count || !canReorderDirectly(w.given, w.chosen)) {
    copy = allocate(w.rowMajor.get_size());
    if (!copy || toRowMajor(tensor, from, copy.get(), problem.threads))
      return false;
    from = copy.get();
    source = w.rowMajor;
  }
  dnnl::reorder::primitive_desc found(engine(), source, engine(), w.chosen,
                                      dnnl::primitive_attr(), true);
  if (!found)
    return false;
  CallMemory call;
  return call.add(DNNL_ARG_FROM, source, from) &&
         call.add(DNNL_ARG_TO, w.chosen, to) &&
         call.execute(dnnl::reorder(found));
}

/// All that says how oneDNN stores weights that lie as `tensor` does. It has no
/// text of a descriptor with what it adds for bytes: kernels of one name add
/// the same, but for sums of the weights where the data have a zero point.
static std::string orderOf(const npu_tensor_desc &tensor, const Desc &given,
                           const Desc &chosen, const std::string &kernel,
                           bool hasZeroPoint) {
  std::string order = "onednn, " + kernel + ", " + describe(tensor) +
                      (hasZeroPoint ? ", zero point" : "");
  for (const Desc &desc : {given, chosen}) {
    order += ", " + std::to_string(static_cast<int>(desc.get_data_type()));
    for (const dnnl::memory::dims &numbers :
         {desc.get_dims(), desc.get_padded_dims(), desc.get_strides(),
          desc.get_inner_blks(), desc.get_inner_idxs()}) {
      order += ":";
      for (int64_t number : numbers)
        order += " " + std::to_string(number);
    }
  }
  return order + ", " + std::to_string(chosen.get_size());
}

size_t OnednnKernel::pack(const void *const *operands) {
  ThreadScope scope(problem.threads);
  if (!prepare().empty())
    return 0;
  size_t bytes = 0;
  for (Weights &w : weights) {
    const auto input = static_cast<size_t>(w.operand);
    bool isUsable =
        problem.inputs[input].block_count == 0 && w.given == w.chosen;
    if (!problem.isConstant(input) || !operands[input] || isUsable)
      continue;
    w.packed = packOnce(
        operands[input],
        orderOf(problem.inputs[input], w.given, w.chosen, name,
                !zeroPoints.empty()),
        w.chosen.get_size(),
        [&](void *to) { return reorderWeights(w, operands[input], to); },
        bytes);
  }
  return bytes;
}

bool OnednnKernel::isPacked(size_t input) const {
  for (const Weights &w : weights)
    if (static_cast<size_t>(w.operand) == input)
      return w.packed != nullptr;
  return false;
}

bool OnednnKernel::losesNan() const {
  return problem.op == NPU_OP_SOFTMAX ||
         onednn::losesNan(descriptor.get_primitive_attr().get_post_ops());
}

int OnednnKernel::run(void *const *operands, void *scratch) const {
  if (!primitive)
    return 1;
  ThreadScope scope(problem.threads);
  return execute(operands, static_cast<char *>(scratch));
}

OnednnKernel::~OnednnKernel() { delete idle.load(); }

int OnednnKernel::execute(void *const *operands, char *scratch) const {
  // Those of the last run, unless another thread is in one.
  std::unique_ptr<CallMemory> call(idle.exchange(nullptr));
  if (!call)
    call = std::make_unique<CallMemory>();
  call->restart();
  bool isGiven = giveArguments(*call, operands, scratch);
  int status = isGiven && call->execute(primitive) ? 0 : 1;
  if (isGiven)
    delete idle.exchange(call.release());
  return status;
}

bool OnednnKernel::giveArguments(CallMemory &call, void *const *operands,
                                 char *scratch) const {
  for (const Argument &argument : arguments)
    if (!call.add(argument.name, argument.desc, operands[argument.operand]))
      return false;
  static const Desc oneInteger({1}, dnnl::memory::data_type::s32,
                               dnnl::memory::format_tag::a);
  for (const auto &[name, value] : zeroPoints)
    if (!call.add(name, oneInteger, value.get()))
      return false;
  for (const Weights &w : weights) {
    const void *data = operands[w.operand];
    if (w.packed) {
      data = w.packed.get();
    } else if (w.isReordered) {
      if (!reorderWeights(w, data, scratch + w.scratchOffset))
        return false;
      data = scratch + w.scratchOffset;
    } else if (w.given != w.chosen ||
               problem.inputs[static_cast<size_t>(w.operand)].block_count) {
      return false; // a constant that was never packed
    }
    if (!call.add(w.name, w.chosen, data))
      return false;
  }
  return call.add(DNNL_ARG_SCRATCHPAD, scratchpad, scratch);
}

/// The sigmoid behind oneDNN's products by gemm gives 0 for NaN, and no flag is
/// raised by which a run would know.
static bool losesNanInSilence(const std::string &name,
                              const dnnl::post_ops &ops) {
  if (name.find("gemm") == std::string::npos ||
      name.find("brgemm") != std::string::npos)
    return false;
  for (int i = 0; i < ops.len(); ++i) {
    if (ops.kind(i) != dnnl::primitive::kind::eltwise)
      continue;
    dnnl::algorithm algorithm;
    float alpha, beta;
    ops.get_params_eltwise(i, algorithm, alpha, beta);
    if (algorithm == dnnl::algorithm::eltwise_logistic)
      return true;
  }
  return false;
}

bool usesTiles(const dnnl::primitive_desc &found) {
  return std::string(found.impl_info_str()).find("_amx") != std::string::npos;
}

bool skipTiles(dnnl::primitive_desc &found) {
  while (found.next_impl()) {
    const std::string name = found.impl_info_str();
    if (!usesTiles(found) && !isReference(name) &&
        name.find("gemm") == std::string::npos)
      return true;
  }
  return false;
}

std::unique_ptr<OnednnKernel> makeKernel(const Problem &problem,
                                         const dnnl::primitive_desc_base &found,
                                         std::string &whyNot) {
  if (!found) {
    whyNot = "oneDNN does not take it";
    return nullptr;
  }
  std::string name = found.impl_info_str();
  if (isReference(name)) {
    whyNot = "would run on " + name;
    return nullptr;
  }
  auto made = std::make_unique<OnednnKernel>(problem, found);
  if (problem.keepsNan && made->losesNan()) {
    whyNot = "loses NaN";
    return nullptr;
  }
  if (losesNanInSilence(name, found.get_primitive_attr().get_post_ops())) {
    whyNot = "sigmoid of NaN would be 0 in " + name;
    return nullptr;
  }
  return made;
}

std::unique_ptr<OnednnKernel>
makeUnaryKernel(const Problem &problem, const dnnl::primitive_desc_base &found,
                const Desc &data, const Desc &result, const Fusion &fusion,
                std::string &whyNot) {
  auto made = makeKernel(problem, found, whyNot);
  if (!made)
    return nullptr;
  made->addArgument({DNNL_ARG_SRC, 0, data});
  made->addArgument(
      {DNNL_ARG_DST, static_cast<int>(problem.inputs.size()), result});
  for (const Argument &argument : fusion.arguments)
    made->addArgument(argument);
  return made;
}

} // namespace npu::kernels::onednn
