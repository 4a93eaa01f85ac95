// SPDX-License-Identifier: Apache-2.0
//
// npu-route-channels: a channel shuffle becomes an order of constant weights.
//
// Shuffles, slices and concats of channels only say which channel of which
// source is read. A convolution with constant weights takes its channels in any
// order, if its weights have them in the same one; another gives its results in
// any order, likewise; what treats each channel alone (pooling, a depthwise
// convolution, a function) passes an order on. So each such region is left out:
// every source gives its channels sorted by who reads them, and every reader
// reads the pieces that it needs, side by side.
//
// It is exact but for the order in which a convolution sums its channels.
//
// It makes no plan worse: a shuffle goes, and no more elements are copied than
// before, else nothing is changed. It ends: each rewrite removes a shuffle, and
// what it makes holds none.
#include "compiler/Fusion/ChannelOrder.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

using namespace npu;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_ROUTECHANNELS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// A channel of a source.
struct Channel {
  Value source;
  int64_t index;
};
using Route = SmallVector<Channel, 0>;

/// Consecutive channels of a source, in its new order.
struct Run {
  Value source;
  int64_t begin, extent;

  bool operator<(const Run &other) const {
    return std::tuple(source.getAsOpaquePointer(), begin, extent) <
           std::tuple(other.source.getAsOpaquePointer(), other.begin,
                      other.extent);
  }
};
using Runs = std::vector<Run>;

/// What a reader reads: where its channels come from; from where it will read
/// them, and which of the old ones each then is.
struct Reader {
  OpOperand *use;
  Route route;
  Runs runs = {};
  SmallVector<int64_t> order = {};
};

/// Ops that only route channels and hang together, with all who read what they
/// route.
class Routing {
public:
  /// Everything that hangs together with this routing op.
  explicit Routing(Operation *seed);

  /// Whether it is to be left out; then runs and orders are known.
  bool plan();
  LogicalResult rewrite(OpBuilder &builder);

  llvm::SetVector<Operation *> ops; ///< that route

private:
  void addUses(Value value);
  const Route &routeOf(Value value);
  bool findReaders();
  void sortSources();
  bool findRuns(Reader &reader);
  int64_t elementsBefore() const;
  int64_t elementsAfter() const;
  FailureOr<Value> makeData(OpBuilder &builder, const Reader &reader);

  llvm::SetVector<Value> sources;
  SmallVector<OpOperand *> uses; // by other ops
  std::map<void *, Route> routes;
  std::vector<Reader> readers;
  /// For each channel of a source its place in the new order.
  std::map<void *, SmallVector<int64_t>> places;
  std::map<Runs, Value> made;
};

} // namespace

static int64_t channelsOf(Value value) { return shapeOf(value)[channelDim]; }

/// The operands that a routing op reads channels of; empty: it is none.
static SmallVector<Value> routedOperands(Operation *op) {
  if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
    return {};
  if (std::optional<Shuffle> shuffle = shuffleOf(op))
    return {shuffle->input};
  if (auto slice = dyn_cast<SliceOp>(op); slice && slicesChannels(slice))
    return {slice.getInput()};
  auto concat = dyn_cast<ConcatOp>(op);
  return concat && static_cast<int64_t>(concat.getAxis()) == channelDim
             ? SmallVector<Value>(concat.getInputs())
             : SmallVector<Value>();
}

static bool isRouting(Operation *op) { return !routedOperands(op).empty(); }

Routing::Routing(Operation *seed) {
  SmallVector<Operation *> open = {seed};
  auto addReadersOf = [&](Value value) {
    for (Operation *user : value.getUsers()) {
      if (isRouting(user))
        open.push_back(user);
      // A shuffle is three ops; the last one stands for it.
      for (Operation *end : shufflesFrom(user))
        open.push_back(end);
    }
  };
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!ops.insert(op))
      continue;
    addReadersOf(op->getResult(0));
    for (Value operand : routedOperands(op)) {
      if (Operation *above = operand.getDefiningOp(); above && isRouting(above))
        open.push_back(above);
      else if (sources.insert(operand) && givesAnyOrder(operand))
        addReadersOf(operand);
    }
  }
  for (Value source : sources)
    if (givesAnyOrder(source))
      addUses(source);
  for (Operation *op : ops)
    addUses(op->getResult(0));
}

/// The uses by ops that are not of the region.
void Routing::addUses(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    SmallVector<Operation *> shuffles = shufflesFrom(user);
    if (!ops.contains(user) &&
        (shuffles.empty() || !llvm::all_of(shuffles, [&](Operation *op) {
           return ops.contains(op);
         })))
      uses.push_back(&use);
  }
}

const Route &Routing::routeOf(Value value) {
  auto [place, isNew] = routes.try_emplace(value.getAsOpaquePointer());
  Route &route = place->second;
  if (!isNew)
    return route;
  Operation *op = value.getDefiningOp();
  if (!op || !ops.contains(op)) {
    for (int64_t channel = 0; channel < channelsOf(value); ++channel)
      route.push_back({value, channel});
    return route;
  }
  Route all;
  for (Value operand : routedOperands(op))
    llvm::append_range(all, routeOf(operand));
  if (std::optional<Shuffle> shuffle = shuffleOf(op)) {
    for (int64_t channel : shuffle->from)
      route.push_back(all[channel]);
    return route;
  }
  auto slice = dyn_cast<SliceOp>(op);
  const int64_t start = slice ? toInts(slice.getStarts())[channelDim] : 0,
                step = slice ? toInts(slice.getSteps())[channelDim] : 1;
  for (int64_t channel = 0; channel < channelsOf(value); ++channel)
    route.push_back(all[start + channel * step]);
  return route;
}

/// False where one needs the channels as they are.
bool Routing::findReaders() {
  llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
    Operation *first = a->getOwner(), *second = b->getOwner();
    return first == second ? a->getOperandNumber() < b->getOperandNumber()
                           : first->isBeforeInBlock(second);
  });
  for (OpOperand *use : uses) {
    if (!takesAnyOrder(*use))
      return false;
    readers.push_back({use, routeOf(use->get())});
  }
  return true;
}

/// Sorts the channels of each source by who reads them; of one that cannot
/// change its order they stay.
void Routing::sortSources() {
  std::map<std::pair<void *, int64_t>, SmallVector<size_t>> whoReads;
  for (auto [number, reader] : llvm::enumerate(readers))
    for (const Channel &channel : reader.route)
      whoReads[{channel.source.getAsOpaquePointer(), channel.index}].push_back(
          number);
  for (Value source : sources) {
    void *key = source.getAsOpaquePointer();
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, channelsOf(source)));
    if (givesAnyOrder(source))
      llvm::sort(order, [&](int64_t a, int64_t b) {
        return std::tie(whoReads[{key, a}], a) <
               std::tie(whoReads[{key, b}], b);
      });
    places[key] = inversePermutation(order);
  }
}

/// False where a channel is read twice, or in too many pieces.
bool Routing::findRuns(Reader &reader) {
  constexpr size_t most = 32;
  llvm::DenseMap<Value, size_t> rank;
  for (const Channel &channel : reader.route)
    rank.try_emplace(channel.source, rank.size());
  auto placeOf = [&](int64_t channel) {
    const Channel &from = reader.route[channel];
    return std::pair(rank[from.source],
                     places[from.source.getAsOpaquePointer()][from.index]);
  };
  llvm::append_range(reader.order,
                     llvm::seq<int64_t>(0, channelsOf(reader.use->get())));
  llvm::sort(reader.order,
             [&](int64_t a, int64_t b) { return placeOf(a) < placeOf(b); });
  for (int64_t channel : reader.order) {
    Value source = reader.route[channel].source;
    const int64_t place = placeOf(channel).second;
    Run *last = reader.runs.empty() ? nullptr : &reader.runs.back();
    if (last && last->source == source && place < last->begin + last->extent)
      return false;
    if (last && last->source == source && place == last->begin + last->extent)
      ++last->extent;
    else
      reader.runs.push_back({source, place, 1});
  }
  return reader.runs.size() <= most;
}

int64_t Routing::elementsBefore() const {
  int64_t count = 0;
  for (Operation *op : ops)
    count += tensorType(op->getResult(0)).getNumElements();
  return count;
}

int64_t Routing::elementsAfter() const {
  int64_t count = 0;
  std::set<Runs> made; // equal ones are shared later on
  for (const Reader &reader : readers) {
    if (!made.insert(reader.runs).second)
      continue;
    const int64_t whole = tensorType(reader.use->get()).getNumElements();
    for (const Run &run : reader.runs)
      if (run.extent != channelsOf(run.source))
        count += whole / channelsOf(reader.use->get()) * run.extent;
    if (reader.runs.size() > 1)
      count += whole;
  }
  return count;
}

bool Routing::plan() {
  if (!findReaders())
    return false;
  sortSources();
  return llvm::all_of(readers,
                      [&](Reader &reader) { return findRuns(reader); }) &&
         elementsAfter() <= elementsBefore();
}

/// Behind the last of these values.
static void goBehind(OpBuilder &builder, ArrayRef<Value> values) {
  Value last = values.front();
  for (Value value : values)
    if (Operation *op = value.getDefiningOp();
        op &&
        (!last.getDefiningOp() || last.getDefiningOp()->isBeforeInBlock(op)))
      last = value;
  builder.setInsertionPointAfterValue(last);
}

/// The channels of these runs, side by side.
FailureOr<Value> Routing::makeData(OpBuilder &builder, const Reader &reader) {
  if (auto known = made.find(reader.runs); known != made.end())
    return known->second;
  const Location location = reader.use->get().getLoc();
  SmallVector<Value> pieces;
  for (const Run &run : reader.runs) {
    Value &piece = made[{run}];
    goBehind(builder, run.source);
    FailureOr<Value> part = piece;
    if (!piece)
      part = makePart(builder, location, run.source,
                      {channelDim, run.begin, run.extent});
    if (failed(part))
      return failure();
    piece = *part;
    pieces.push_back(piece);
  }
  goBehind(builder, pieces);
  FailureOr<Value> data = makeConcat(builder, location, pieces, channelDim);
  if (succeeded(data))
    made[reader.runs] = *data;
  return data;
}

LogicalResult Routing::rewrite(OpBuilder &builder) {
  for (Value source : sources) {
    SmallVector<int64_t> order =
        inversePermutation(places[source.getAsOpaquePointer()]);
    if (!isIdentity(order))
      giveInOrder(builder, source, order);
  }
  for (Reader &reader : readers) {
    FailureOr<Value> data = makeData(builder, reader);
    if (failed(data))
      return failure();
    takeInOrder(builder, *reader.use, *data, reader.order);
  }
  return success();
}

namespace {

struct RouteChannelsPass : npu::impl::RouteChannelsBase<RouteChannelsPass> {
  void runOnOperation() override {
    if (failed(routeChannels(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::routeChannels(Operation *root) {
  llvm::SetVector<Operation *> shuffles;
  root->walk([&](ReshapeOp op) {
    if (shuffleOf(op))
      shuffles.insert(op);
  });
  bool changed = false;
  while (!shuffles.empty()) {
    Routing region(shuffles.front());
    for (Operation *op : region.ops)
      shuffles.remove(op);
    if (!region.plan())
      continue;
    OpBuilder builder(root->getContext());
    if (failed(region.rewrite(builder)))
      return failure();
    changed = true;
  }
  // Removes what nobody reads any more, and its bytes.
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns);
  return changed ? apply(root, std::move(patterns)) : success();
}
