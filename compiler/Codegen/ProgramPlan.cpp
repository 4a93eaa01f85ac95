// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ProgramPlan.h"

#include "compiler/Codegen/EltwiseEmitter.h"
#include "compiler/Codegen/MemoryPlanner.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/States.h"
#include "compiler/Kernel/KernelProblem.h"
#include "format/manifest.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include "llvm/ADT/SetVector.h"

using namespace npu;

namespace {

/// Bytes that one or several values share: views or parts of each other, or a
/// result written over an input.
struct Memory {
  Storage storage;
  int64_t begin = 0, end = 0, bytes = 0;
  int mergedInto = -1; // the buffer that holds this one,
  int64_t shift = 0;   // so many bytes behind its beginning
  bool hasParts = false;
};

class Planner {
public:
  Planner(mlir::func::FuncOp function, int threads,
          function_ref<std::optional<int64_t>(Operation *)> partOf,
          bool asksLibrary)
      : function(function), threads(threads), partOf(partOf),
        asksLibrary(asksLibrary) {}

  FailureOr<ProgramPlan> run();

private:
  LogicalResult checkResults();
  LogicalResult addStates();
  bool addPart(Operation *op);
  LogicalResult addKernel(Operation *op);
  LogicalResult addInput(PlannedKernel &kernel, size_t index, Value operand);
  void placeMade();
  void placeResults();
  void planInPlace();
  bool tryInPlace(PlannedKernel &kernel, int64_t step, size_t input,
                  size_t first);
  void placeArena();

  int root(int memory) const {
    while (memories[memory].mergedInto >= 0)
      memory = memories[memory].mergedInto;
    return memory;
  }

  Storage storageOf(int memory) const {
    int64_t shift = 0;
    for (; memories[memory].mergedInto >= 0;
         memory = memories[memory].mergedInto)
      shift += memories[memory].shift;
    Storage storage = memories[memory].storage;
    storage.offset += shift;
    return storage;
  }

  mlir::func::FuncOp function;
  int threads;
  function_ref<std::optional<int64_t>(Operation *)> partOf;
  bool asksLibrary;
  ProgramPlan plan;
  std::vector<Memory> memories;
  /// Memory of each value that is no constant.
  llvm::DenseMap<Value, int> memoryOf;
  /// Memory of each operand of each kernel, -1 for a constant.
  std::vector<SmallVector<int>> kernelMemories;
};

} // namespace

static void collectNames(Location location, llvm::SetVector<StringRef> &names) {
  if (auto name = dyn_cast<mlir::NameLoc>(location))
    names.insert(name.getName().getValue());
  else if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    for (Location part : fused.getLocations())
      collectNames(part, names);
}

std::string npu::nodesOf(Location location) {
  llvm::SetVector<StringRef> names;
  collectNames(location, names);
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "" : " + ") + name.str();
  return text;
}

/// Bit by bit: -0.0 is a number of its own.
static bool isAllZero(ElementsAttr elements) {
  std::vector<char> made;
  return llvm::all_of(elementBytes(elements, made),
                      [](char byte) { return byte == 0; });
}

/// Each function result must be a kernel's value of its own, to be written to.
LogicalResult Planner::checkResults() {
  llvm::DenseSet<Value> taken;
  for (auto [index, result] :
       llvm::enumerate(function.front().getTerminator()->getOperands())) {
    Value viewed = viewedValue(result);
    Operation *producer = viewed.getDefiningOp();
    bool isOwn =
        producer && !isa<ConstantOp>(producer) && taken.insert(viewed).second;
    if (!isOwn && tensorType(result).getNumElements() > 0)
      return function.emitError()
             << "output " << index
             << " shows memory of an input, of a constant or of another "
                "output; npu-assign-layout gives it a copy";
  }
  return success();
}

LogicalResult Planner::addInput(PlannedKernel &kernel, size_t index,
                                Value operand) {
  Value viewed = viewedValue(operand);
  kernel.splats.emplace_back();
  ElementsAttr constant = constantOf(viewed);
  if (!constant) {
    int memory = memoryOf.lookup(viewed);
    memories[root(memory)].end = plan.kernels.size();
    kernelMemories.back().push_back(memory);
    kernel.operands.emplace_back();
    return success();
  }
  FailureOr<WeightTable::Place> place =
      plan.weights.add(viewed.getDefiningOp<ConstantOp>());
  if (failed(place))
    return failure();
  kernel.problem.inputs[index].weights_offset = place->offset;
  kernel.operands.push_back(
      {place->isMade ? Storage::Made : Storage::Weights, place->offset});
  kernelMemories.back().push_back(-1);
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  if (!dense || !(dense.isSplat() || dense.getNumElements() == 1))
    return success();
  if (isa<mlir::FloatType>(dense.getElementType()))
    kernel.splats.back() =
        (*dense.value_begin<mlir::APFloat>()).convertToDouble();
  else if (dense.getElementType().isSignlessInteger(32))
    kernel.splats.back() = *dense.value_begin<int32_t>();
  return success();
}

/// The op that a kernel is named after: the root of a fused one.
static StringRef kernelOpName(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    if (Operation *root = fused.getRoot())
      op = root;
  if (auto custom = dyn_cast<CustomOp>(op))
    return custom.getDemandName();
  return isa<FusedOp>(op) ? "eltwise" : op->getName().stripDialect();
}

/// Lets a slice lie in its operand, if it is such a one.
bool Planner::addPart(Operation *op) {
  std::optional<int64_t> offset = partOf ? partOf(op) : std::nullopt;
  if (!offset)
    return false;
  const int holder = memoryOf.lookup(viewedValue(op->getOperand(0)));
  memories[root(holder)].hasParts = true;
  Memory memory;
  memory.mergedInto = holder;
  memory.shift = *offset;
  memoryOf[op->getResult(0)] = memories.size();
  memories.push_back(memory);
  return true;
}

LogicalResult Planner::addKernel(Operation *op) {
  int64_t step = plan.kernels.size();
  PlannedKernel kernel;
  kernel.op = op;
  kernel.problem = makeProblem(op, threads);
  kernelMemories.emplace_back();
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (failed(addInput(kernel, index, operand)))
      return failure();
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Memory memory;
    memory.begin = memory.end = step;
    memory.bytes = kernels::storedBytes(kernel.problem.outputs[index]);
    memoryOf[result] = memories.size();
    kernelMemories.back().push_back(memories.size());
    memories.push_back(memory);
    kernel.operands.emplace_back();
  }
  if (std::string wrong = kernels::validate(kernel.problem); !wrong.empty())
    return op->emitOpError("has no kernel: ") << wrong;
  if (!kernel.problem.custom.empty())
    kernel.problem.attrs.custom = {
        plan.weights.add(kernel.problem.custom),
        static_cast<int64_t>(kernel.problem.custom.size())};
  for (const auto *tensors : {&kernel.problem.inputs, &kernel.problem.outputs})
    for (const npu_tensor_desc &tensor : *tensors)
      kernel.bytes += kernels::storedBytes(tensor);
  kernel.generated = canEmitEltwise(kernel.problem);
  kernel.opName = kernelOpName(op).str();
  kernel.name = format::kernelName(static_cast<uint64_t>(step), kernel.opName);
  kernel.node = nodesOf(op->getLoc());
  plan.kernels.push_back(std::move(kernel));
  return success();
}

/// What is made at load lies behind all that is stored.
void Planner::placeMade() {
  for (PlannedKernel &kernel : plan.kernels)
    for (size_t i = 0; i < kernel.problem.inputs.size(); ++i)
      if (kernel.operands[i].place == Storage::Made)
        kernel.problem.inputs[i].weights_offset =
            plan.weights.madeBegin() + kernel.operands[i].offset;
}

/// Model outputs are written where the caller wants them.
void Planner::placeResults() {
  Operation *terminator = function.front().getTerminator();
  for (auto [index, operand] : llvm::enumerate(terminator->getOperands())) {
    if (tensorType(operand).getNumElements() == 0)
      continue;
    Memory &memory = memories[memoryOf.lookup(viewedValue(operand))];
    memory.storage = {Storage::Output, static_cast<int64_t>(index)};
    memory.end = plan.kernels.size();
  }
}

/// Whether the library runs the one as well as the other.
static bool isAsFast(const kernels::Problem &one,
                     const kernels::Problem &other) {
  kernels::Answer fast = kernels::query(one), known = kernels::query(other);
  return (!fast.slow || known.slow) && fast.adapterBytes <= known.adapterBytes;
}

/// Lets the kernel write over `input` if that is its last use, it is in the
/// arena, of the result's size and storage, and its operands allow it: a kernel
/// that cannot has scratch of its own. Operands from `first` on are read by its
/// elementwise part alone.
bool Planner::tryInPlace(PlannedKernel &kernel, int64_t step, size_t input,
                         size_t first) {
  ArrayRef<int> operands = kernelMemories[step];
  int from = operands[input] < 0 ? -1 : root(operands[input]);
  int to = operands[kernel.problem.inputs.size()];
  if (from < 0 || memories[from].end != step || memories[from].hasParts ||
      memories[from].storage.place != Storage::Arena ||
      memories[to].storage.place != Storage::Arena ||
      !kernels::sameStorage(kernel.problem.inputs[input],
                            kernel.problem.outputs[0]) ||
      kernel.problem.inputs[input].dtype != kernel.problem.outputs[0].dtype)
    return false;
  // Another operand in the same bytes is safe only if it is read alike, element
  // by element as the result is written.
  for (size_t other = 0; other < kernel.problem.inputs.size(); ++other)
    if (other != input && operands[other] >= 0 &&
        root(operands[other]) == from &&
        (other < first || !kernels::sameStorage(kernel.problem.inputs[other],
                                                kernel.problem.outputs[0])))
      return false;
  kernels::Problem inPlace = kernel.problem;
  inPlace.inPlaceInput = static_cast<int>(input);
  if (!kernel.generated &&
      (!kernels::validate(inPlace).empty() ||
       (asksLibrary && !isAsFast(inPlace, kernel.problem))))
    return false;
  kernel.problem.inPlaceInput = static_cast<int>(input);
  memories[from].end = std::max(memories[from].end, memories[to].end);
  memories[from].bytes = std::max(memories[from].bytes, memories[to].bytes);
  memories[to].mergedInto = from;
  memories[from].hasParts = memories[to].hasParts;
  return true;
}

/// Elementwise kernels write over any operand; a kernel with a root over an
/// operand that only its elementwise part reads (a residual); a plugin's op
/// over the one that its plugin names.
void Planner::planInPlace() {
  for (auto [step, kernel] : llvm::enumerate(plan.kernels)) {
    size_t first = 0;
    if (kernel.problem.op != NPU_OP_ELTWISE) {
      auto fused = dyn_cast<FusedOp>(kernel.op);
      if (!fused && kernel.problem.op != NPU_OP_CUSTOM)
        continue;
      first = fused ? fused.getRoot()->getNumOperands()
                    : kernel.problem.inputs.size();
    }
    for (size_t input = 0; input < kernel.problem.inputs.size(); ++input)
      if ((input >= first ||
           kernels::canBeInPlace(kernel.problem, static_cast<int>(input))) &&
          tryInPlace(kernel, step, input, first))
        break;
  }
}

void Planner::placeArena() {
  std::vector<BufferLifetime> buffers;
  std::vector<int> owners;
  for (auto [index, memory] : llvm::enumerate(memories)) {
    if (memory.storage.place != Storage::Arena || memory.mergedInto >= 0)
      continue;
    buffers.push_back({memory.begin, memory.end, memory.bytes});
    owners.push_back(index);
  }
  ArenaPlan arena = planArena(buffers, NPU_VALUE_ALIGNMENT);
  for (auto [owner, offset] : llvm::zip(owners, arena.offsets))
    memories[owner].storage.offset = offset;
  plan.arenaBytes = arena.bytes;
  plan.arenaLowerBound = arena.lowerBound;
  for (auto [kernel, operands] : llvm::zip(plan.kernels, kernelMemories))
    for (auto [storage, memory] : llvm::zip(kernel.operands, operands))
      if (memory >= 0)
        storage = storageOf(memory);
}

static std::string nameAttr(mlir::DictionaryAttr attributes, StringRef prefix,
                            size_t index) {
  auto name = attributes ? attributes.getAs<StringAttr>("npu.name") : nullptr;
  return name ? name.str() : (prefix + Twine(index)).str();
}

/// Both sides are stored alike, so both are described alike.
LogicalResult Planner::addStates() {
  for (const State &state : statesOf(function)) {
    PlannedState planned{state.name.str()};
    plan.outputs[state.result] = plan.inputs[state.argument];
    const bool isZeros = !state.beginsAs || isAllZero(state.beginsAs) ||
                         plan.inputs[state.argument].getNumElements() == 0;
    if (!isZeros) {
      FailureOr<int64_t> place = plan.weights.add(
          function.getLoc(), plan.inputs[state.argument], state.beginsAs);
      if (failed(place))
        return failure();
      planned.begins = *place;
    }
    plan.states.push_back(std::move(planned));
  }
  return success();
}

FailureOr<ProgramPlan> Planner::run() {
  if (failed(checkResults()))
    return failure();
  for (BlockArgument argument : function.getArguments()) {
    size_t index = argument.getArgNumber();
    Memory memory;
    memory.storage = {Storage::Input, static_cast<int64_t>(index)};
    memoryOf[argument] = memories.size();
    memories.push_back(memory);
    plan.inputs.push_back(tensorType(argument));
    plan.inputNames.push_back(
        nameAttr(function.getArgAttrDict(index), "input", index));
  }
  Operation *terminator = function.front().getTerminator();
  for (auto [index, result] : llvm::enumerate(terminator->getOperands())) {
    plan.outputs.push_back(tensorType(result));
    plan.outputNames.push_back(
        nameAttr(function.getResultAttrDict(index), "output", index));
  }
  if (failed(addStates()))
    return failure();
  // Who runs the program in C sees what stands before it.
  for (const auto *names : {&plan.inputNames, &plan.outputNames})
    for (StringRef name : *names)
      if (name.contains('\0'))
        return function.emitError()
               << "input or output '" << name
               << "' has a zero character in its name; give it another";
  for (Operation &op : function.front().without_terminator())
    if (isKernel(&op) && !addPart(&op) && failed(addKernel(&op)))
      return failure();
  placeMade();
  placeResults();
  planInPlace();
  placeArena();
  return std::move(plan);
}

FailureOr<ProgramPlan>
npu::planProgram(mlir::func::FuncOp function, int threads,
                 function_ref<std::optional<int64_t>(Operation *)> partOf,
                 bool asksLibrary) {
  return Planner(function, threads, partOf, asksLibrary).run();
}
