// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"

#include "kernels/parallel.h"

#include <exception>
#include <mutex>
#include <new>
#include <unordered_map>

namespace npu::kernels {

using List = std::vector<Implementation>;

const Implementation adapter = {"adapter", createAdapter, false};
const Implementation splitDirect = {"split-direct", createSplitDirect, false};
const Implementation widened = {"widened", createWidened};
const Implementation strips = {"strips", createStrips};
const Implementation split = {"split", createSplit, false};

static Implementation reference(Create &create) {
  return {"reference", create, false};
}

static void addMatmulList(std::vector<List> &lists) {
  lists[NPU_OP_MATMUL] = {{"panels", createProductPanels},
                          {"packed", createMatmulPacked},
                          {"quantized", createMatmulQuantized},
                          {"ranged", createMatmulRanged},
                          {"onednn", createMatmulOnednn},
                          widened,
                          strips,
                          adapter,
                          split,
                          reference(createMatmulReference)};
}

/// What gathers and scatters, picks and adds up along an axis.
static void addIndexLists(std::vector<List> &lists) {
  lists[NPU_OP_GATHER] = {{"fast", createGatherFast},
                          adapter,
                          split,
                          reference(createGatherReference)};
  lists[NPU_OP_GATHER_ELEMENTS] = {{"fast", createGatherElementsFast},
                                   split,
                                   reference(createIndexReference)};
  lists[NPU_OP_GATHER_ND] = {
      {"fast", createGatherNdFast}, split, reference(createIndexReference)};
  lists[NPU_OP_SCATTER_ELEMENTS] = {{"fast", createScatterElementsFast},
                                    widened,
                                    split,
                                    reference(createIndexReference)};
  lists[NPU_OP_SCATTER_ND] = {{"fast", createScatterNdFast},
                              widened,
                              split,
                              reference(createIndexReference)};
  lists[NPU_OP_TOP_K] = {
      {"fast", createTopKFast}, split, reference(createTopKReference)};
  lists[NPU_OP_CUMULATE] = {{"fast", createCumulateFast},
                            widened,
                            split,
                            reference(createCumulateReference)};
}

static void addPoolLists(std::vector<List> &lists) {
  lists[NPU_OP_MAX_POOL] = {{"onednn, NaN kept", createPoolKeepingNan},
                            {"onednn", createPoolOnednn},
                            widened,
                            adapter,
                            split,
                            reference(createPoolReference)};
  lists[NPU_OP_AVG_POOL] = {{"whole image, rows", createPoolRows},
                            {"onednn", createPoolOnednn},
                            {"whole image", createPoolWhole},
                            widened,
                            adapter,
                            split,
                            reference(createPoolReference)};
  lists[NPU_OP_MAX_POOL_INDICES] = {reference(createPoolIndicesReference)};
}

/// What only moves elements.
static void addMovementLists(std::vector<List> &lists) {
  const List pieces = {
      {"copy", createPiecesFast}, split, reference(createPiecesReference)};
  for (npu_op op : {NPU_OP_CONCAT, NPU_OP_PAD, NPU_OP_SLICE, NPU_OP_RELAYOUT,
                    NPU_OP_TRANSPOSE, NPU_OP_BROADCAST, NPU_OP_IMG2COL,
                    NPU_OP_UNPOOL, NPU_OP_ROTATE})
    lists[op] = pieces;
  lists[NPU_OP_RESHAPE] = {{"copy", createPiecesFast},
                           adapter,
                           split,
                           reference(createPiecesReference)};
}

static void addConvLists(std::vector<List> &lists) {
  lists[NPU_OP_CONV] = {{"depthwise", createConvDepthwise},
                        {"signal", createConvSignal},
                        {"large-pixels", createConvLargePixels},
                        {"lanes", createConvLanes},
                        {"panels", createProductPanels},
                        {"short-im2col", createConvShortIm2col},
                        {"packed", createMatmulPacked},
                        {"onednn", createConvOnednn},
                        {"pixels", createConvPixels},
                        {"im2col", createConvIm2col},
                        widened,
                        strips,
                        splitDirect,
                        adapter,
                        split,
                        reference(createConvReference)};
  // Measured on blocked images of few channels: to channels last and back is
  // half of what a second pass over the padded result takes.
  lists[NPU_OP_CONV_TRANSPOSE] = {{"onednn", createConvTransposeOnednn},
                                  widened,
                                  strips,
                                  adapter,
                                  splitDirect,
                                  split,
                                  reference(createConvTransposeReference)};
}

/// The order is the preference.
static std::vector<List> makeLists() {
  std::vector<List> lists(NPU_OP_COUNT);
  lists[NPU_OP_ELTWISE] = {reference(createEltwiseReference)};
  addConvLists(lists);
  lists[NPU_OP_CONV_WINOGRAD] = {{"direct, NaN kept", createConvWinogradDirect},
                                 {"fast", createConvWinogradFast},
                                 splitDirect,
                                 adapter,
                                 split,
                                 reference(createConvWinogradReference)};
  // At load; a weight that is not constant is no case for Winograd.
  lists[NPU_OP_WINOGRAD_WEIGHT] = {{"fast", createWinogradWeightFast},
                                   reference(createWinogradWeightReference)};
  addPoolLists(lists);
  addMatmulList(lists);
  lists[NPU_OP_REDUCE] = {{"extremum", createReduceExtremum},
                          {"rows", createReduceRows},
                          {"onednn", createReduceOnednn},
                          {"fast", createReduceFast},
                          widened,
                          adapter,
                          split,
                          reference(createReduceReference)};
  lists[NPU_OP_SOFTMAX] = {{"rows", createSoftmaxRows},
                           {"onednn", createSoftmaxOnednn},
                           widened,
                           adapter,
                           split,
                           reference(createSoftmaxReference)};
  lists[NPU_OP_ATTENTION] = {{"tiles", createAttentionTiles},
                             {"blocks", createAttentionBlocks},
                             widened,
                             adapter,
                             split,
                             reference(createAttentionReference)};
  lists[NPU_OP_RESIZE] = {{"copy", createResizeFast},
                          {"onednn", createResizeOnednn},
                          {"linear", createResizeLinear},
                          widened,
                          adapter,
                          split,
                          reference(createResizeReference)};
  addIndexLists(lists);
  lists[NPU_OP_CONV_BPW] = {{"onednn", createConvBpwOnednn},
                            adapter,
                            split,
                            reference(createConvBpwReference)};
  lists[NPU_OP_MASKUNPOOL] = {{"fast", createMaskunpoolFast},
                              split,
                              reference(createMaskunpoolReference)};
  lists[NPU_OP_CUSTOM] = {reference(createCustomReference)};
  lists[NPU_OP_TENSORNORM] = {{"fast", createTensornormFast},
                              widened,
                              adapter,
                              split,
                              reference(createTensornormReference)};
  addMovementLists(lists);
  return lists;
}

/// The first implementation of the list that takes the problem.
static std::unique_ptr<Kernel>
createFirst(const Problem &problem, bool onlyDirect, std::string &refusals) {
  // Libraries divide their work when a kernel is made.
  ThreadScope scope(problem.threads);
  if (auto kernel = createOfPlugins(problem, refusals))
    return kernel;
  for (const Implementation &candidate : implementations(problem.op)) {
    if (onlyDirect && !candidate.isDirect)
      continue;
    std::string whyNot;
    try {
      if (auto kernel = candidate.create(problem, whyNot))
        return kernel;
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &error) { // what a library does not allow
      whyNot = error.what();
    }
    refusals += (refusals.empty() ? "" : "; ") + std::string(candidate.name) +
                ": " + whyNot;
  }
  return nullptr;
}

template <typename T>
static void append(std::string &key, const T &value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof value);
}

std::string keyOf(const Problem &problem) {
  std::string key;
  append(key, problem.op);
  append(key, problem.inPlaceInput);
  append(key, problem.threads);
  append(key, problem.keepsNan);
  append(key, problem.narrow ? problem.narrow->numbers.dtype : -1);
  append(key, problem.plugins);
  append(key, problem.custom.size());
  key += problem.custom;
  append(key, problem.inputs.size());
  for (const auto *tensors : {&problem.inputs, &problem.outputs})
    for (npu_tensor_desc tensor : *tensors) {
      tensor.weights_offset = tensor.weights_offset < 0 ? -1 : 0;
      append(key, tensor);
    }
  for (const npu_instr &instr : problem.instrs)
    append(key, instr);
  append(key, problem.attrs);
  return key;
}

const std::vector<Implementation> &implementations(int32_t op) {
  static const std::vector<List> lists = makeLists();
  return lists[static_cast<size_t>(op)];
}

std::unique_ptr<Kernel> createSameOperands(const Problem &problem,
                                           std::string &whyNot) {
  return createFirst(problem, true, whyNot);
}

std::unique_ptr<Kernel> createDirect(const Problem &problem,
                                     std::string &whyNot) {
  Problem inside = problem;
  inside.narrow.reset();
  return createSameOperands(inside, whyNot);
}

Answer query(const Problem &problem) {
  static std::mutex mutex;
  static std::unordered_map<std::string, Answer> known;
  std::string key = keyOf(problem);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto it = known.find(key); it != known.end())
      return it->second;
  }
  Answer answer;
  auto kernel = createFirst(problem, false, answer.refusals);
  if (kernel) {
    answer.implementation = kernel->implementation();
    answer.slow = kernel->isSlow();
    answer.plugin = kernel->plugin();
    answer.adapterBytes = kernel->adapterBytes();
  }
  std::lock_guard<std::mutex> lock(mutex);
  return known.emplace(std::move(key), std::move(answer)).first->second;
}

std::unique_ptr<Kernel> create(const Problem &problem) {
  std::string refusals;
  auto kernel = createFirst(problem, false, refusals);
  auto *prepared = dynamic_cast<PreparedKernel *>(kernel.get());
  if (prepared && !prepared->prepare().empty())
    return createReference(problem);
  return kernel;
}

std::unique_ptr<Kernel> createReference(const Problem &problem) {
  std::string whyNot;
  return implementations(problem.op).back().create(problem, whyNot);
}

} // namespace npu::kernels
