// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/OpenRegions.h"

#include "compiler/Dialect/NPU/LayoutRelations.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Problem/Placement.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <algorithm>

using namespace npu;

/// Orders of a region that are looked at, times its ops.
static constexpr size_t mostSteps = 20000;

/// Whether the layout of the slot is the op's affair and nobody's list's.
static bool isOpen(const Slot &slot) {
  return !slot.constant && !slot.independent;
}

static bool isOpen(const OpSlots &op) {
  return llvm::all_of(op.all(), [](const Slot &slot) {
    return !isOpen(slot) || slot.accepted.empty();
  });
}

/// Whether a view splits or merges dimensions: others refuse no order.
static bool regroups(const OpSlots &op) {
  auto isPart = [](const RelatedDim &dim) { return !dim.isWhole; };
  const LayoutRelation &relation = op.getRelation();
  return op.isView() && (llvm::any_of(relation.operands.front(), isPart) ||
                         llvm::any_of(relation.results.front(), isPart));
}

namespace {
using Cuts = SmallVector<int64_t, 2>; // places within a dimension, least first

class OpenRegion {
public:
  explicit OpenRegion(ArrayRef<const OpSlots *> members) : ops(members) {
    for (auto [number, op] : llvm::enumerate(ops))
      for (auto [index, slot] : llvm::enumerate(op->all()))
        if (isOpen(slot))
          places[slot.value].push_back({number, index});
  }

  /// The ops that run on what follows for their values from one's layout.
  llvm::BitVector passed(Value start, LayoutAttr layout) const {
    llvm::BitVector passes(ops.size());
    llvm::SmallDenseMap<Value, LayoutAttr, 16> follows = {{start, layout}};
    SmallVector<Value> next = {start};
    while (!next.empty()) {
      Value value = next.pop_back_val();
      for (auto [number, from] : places.lookup(value))
        if (!passes[number] && passesOp(number, from, follows, next))
          passes.set(number);
    }
    return passes;
  }

  /// Puts what passes through most into `open`, where none of `known` passes
  /// through all.
  void findOpen(llvm::function_ref<ArrayRef<LayoutAttr>(Value)> known,
                OpenLayouts &open) {
    std::vector<llvm::BitVector> best;
    for (const OpSlots *op : ops) {
      if (!regroups(*op))
        continue;
      for (const Slot &slot : op->all())
        if (passesAll(slot.value, rowMajor(slot.value)))
          return;
    }
    findCuts();
    Value root = finest();
    for (LayoutAttr layout : known(root)) {
      if (passesAll(root, layout))
        return;
      best.push_back(passed(root, layout));
    }
    tryOrders(root, best, open);
  }

private:
  bool passesAll(Value value, LayoutAttr layout) const {
    return passed(value, layout).all();
  }

  /// Carries the layout of one slot to the others, and notes which are new.
  bool passesOp(unsigned number, unsigned from,
                llvm::SmallDenseMap<Value, LayoutAttr, 16> &follows,
                SmallVectorImpl<Value> &next) const {
    const OpSlots &op = *ops[number];
    LayoutAttr layout = follows.lookup(op[from].value);
    if (!op[from].accepts(layout))
      return false;
    SmallVector<std::pair<Value, LayoutAttr>, 2> found;
    for (auto [to, slot] : llvm::enumerate(op.all())) {
      if (to == from || !isOpen(slot))
        continue;
      LayoutAttr carried = op.carry(from, layout, to);
      if (!carried || !slot.accepts(carried))
        return false;
      LayoutAttr other = follows.lookup(slot.value);
      if (!other)
        found.push_back({slot.value, carried});
      else if (!other.isEquivalent(carried, tensorType(slot.value).getShape()))
        return false;
    }
    for (auto [value, carried] : found)
      if (follows.insert({value, carried}).second)
        next.push_back(value);
    return true;
  }

  /// Adds a place within a dimension at which some view cuts, if it divides.
  bool addCut(Value value, size_t dim, int64_t place) {
    int64_t extent = tensorType(value).getShape()[dim];
    std::vector<Cuts> &all = cuts[value];
    all.resize(tensorType(value).getRank());
    Cuts &list = all[dim];
    bool divides = extent % place == 0 && llvm::all_of(list, [&](int64_t cut) {
                     return cut % place == 0 || place % cut == 0;
                   });
    if (place <= 1 || place >= extent || !divides ||
        llvm::is_contained(list, place))
      return false;
    list.insert(llvm::upper_bound(list, place), place);
    return true;
  }

  /// Each dimension is cut where those that share its flat index begin, or are
  /// cut themselves. Ends: there are only so many divisors.
  void findCuts() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const OpSlots *op : ops)
        for (unsigned from = 0; from < op->all().size(); ++from)
          for (unsigned to = 0; to < op->all().size(); ++to)
            if (from != to && isOpen((*op)[from]) && isOpen((*op)[to]))
              changed |= cutAlike(*op, from, to);
    }
  }

  bool cutAlike(const OpSlots &op, unsigned from, unsigned to) {
    RelatedValue source = op.related(from), target = op.related(to);
    bool changed = false;
    for (auto [dim, related] : llvm::enumerate(source.dims)) {
      std::vector<Cuts> &known = cuts[op[from].value];
      SmallVector<int64_t> flat = {related.place};
      if (!known.empty())
        for (int64_t cut : known[dim])
          flat.push_back(related.place * cut);
      for (auto [other, begins] : llvm::enumerate(target.dims)) {
        bool isSame = begins.group == related.group &&
                      begins.group != RelatedDim::nowhere &&
                      (!begins.isWhole || !related.isWhole ||
                       source.shape[dim] == target.shape[other]);
        if (!isSame)
          continue;
        for (int64_t place : flat)
          if (place % begins.place == 0)
            changed |= addCut(op[to].value, other, place / begins.place);
      }
    }
    return changed;
  }

  /// The value's extents with each dimension apart where it is cut.
  SmallVector<int64_t> digitsOf(Value value) const {
    SmallVector<int64_t> digits;
    std::vector<Cuts> known = cuts.lookup(value);
    for (auto [dim, extent] : llvm::enumerate(tensorType(value).getShape())) {
      int64_t rest = extent;
      if (!known.empty())
        for (int64_t cut : llvm::reverse(known[dim])) {
          digits.push_back(rest / cut);
          rest = cut;
        }
      digits.push_back(rest);
    }
    return digits;
  }

  Value finest() const {
    Value best;
    size_t most = 0;
    for (const OpSlots *op : ops)
      for (const Slot &slot : op->all()) {
        if (!isOpen(slot))
          continue;
        SmallVector<int64_t> digits = digitsOf(slot.value);
        size_t count = digits.size() - llvm::count(digits, 1);
        if (count > most || !best) {
          best = slot.value;
          most = count;
        }
      }
    return best;
  }

  void tryOrders(Value root, std::vector<llvm::BitVector> &best,
                 OpenLayouts &open) const {
    SmallVector<int64_t> digits = digitsOf(root);
    ArrayRef<int64_t> shape = tensorType(root).getShape();
    LayoutRelation relation = relations::reshape(digits, shape);
    StoredOrder order = StoredOrder::rowMajor(digits.size());
    size_t steps = 0, first = best.size();
    std::vector<LayoutAttr> layouts;
    do {
      TransferResult result =
          transferLayout({relation.operands.front(), digits}, order,
                         {relation.results.front(), shape});
      if (!result.layout)
        continue;
      steps += ops.size();
      if (steps > mostSteps) {
        open.cut.push_back(root);
        break;
      }
      LayoutAttr layout = toLayout(root.getContext(), *result.layout);
      llvm::BitVector passes = passed(root, layout);
      if (passes.all()) {
        open.layouts.push_back({root, layout});
        return;
      }
      keepIfMore(passes, layout, first, best, layouts);
    } while (std::next_permutation(order.order.begin(), order.order.end()));
    for (LayoutAttr layout : layouts)
      open.layouts.push_back({root, layout});
  }

  /// Keeps what passes where none that is kept does; those of `best` from
  /// `first` on are of `layouts`.
  static void keepIfMore(const llvm::BitVector &passes, LayoutAttr layout,
                         size_t first, std::vector<llvm::BitVector> &best,
                         std::vector<LayoutAttr> &layouts) {
    auto isIn = [](const llvm::BitVector &a, const llvm::BitVector &b) {
      return !a.test(b);
    };
    if (llvm::any_of(best, [&](const llvm::BitVector &other) {
          return isIn(passes, other);
        }))
      return;
    for (size_t at = best.size(); at-- > first;)
      if (isIn(best[at], passes)) {
        best.erase(best.begin() + static_cast<std::ptrdiff_t>(at));
        layouts.erase(layouts.begin() +
                      static_cast<std::ptrdiff_t>(at - first));
      }
    best.push_back(passes);
    layouts.push_back(layout);
  }

  SmallVector<const OpSlots *> ops;
  llvm::DenseMap<Value, SmallVector<std::pair<unsigned, unsigned>, 4>> places;
  llvm::DenseMap<Value, std::vector<Cuts>> cuts; // by dimension
};
} // namespace

OpenLayouts
npu::openLayouts(ArrayRef<OpSlots> ops,
                 llvm::function_ref<ArrayRef<LayoutAttr>(Value)> known) {
  llvm::EquivalenceClasses<void *> joined;
  auto nameOf = [](Value value) { return value.getAsOpaquePointer(); };
  for (const OpSlots &op : ops)
    if (isOpen(op))
      for (const Slot &slot : op.all())
        if (isOpen(slot))
          joined.unionSets(nameOf(op.all().back().value), nameOf(slot.value));
  llvm::MapVector<void *, SmallVector<const OpSlots *>> regions;
  llvm::DenseMap<void *, int> regroupings;
  for (const OpSlots &op : ops)
    if (isOpen(op)) {
      void *leader = joined.getLeaderValue(nameOf(op.all().back().value));
      regions[leader].push_back(&op);
      regroupings[leader] += regroups(op);
    }
  OpenLayouts open;
  for (auto &[leader, members] : regions)
    // What passes through one passes through all that is around it.
    if (regroupings.lookup(leader) > 1)
      OpenRegion(members).findOpen(known, open);
  return open;
}
