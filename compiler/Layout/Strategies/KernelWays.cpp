// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/KernelWays.h"

#include "compiler/Dialect/NPU/LayoutAgreement.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Problem/LayoutMemo.h"

#include "llvm/ADT/StringSet.h"

#include <set>

using namespace npu;

SmallVector<LayoutAttr> npu::knownOf(const Candidates &known,
                                     const Slot &slot) {
  SmallVector<LayoutAttr> list;
  for (LayoutAttr layout :
       slot.accepted.empty() ? known.of(slot.value) : ArrayRef(slot.accepted))
    if (slot.accepts(layout) && known.find(slot.value, layout) >= 0 &&
        llvm::none_of(list, [&](LayoutAttr other) {
          return other.isEquivalent(layout, tensorType(slot.value).getShape());
        }))
      list.push_back(layout);
  return list;
}

namespace {

/// Spellings of layouts as numbers: the same for those that are stored alike.
/// Each pair of spellings is compared once, not once for each pair of ways.
class StoredAlike {
public:
  explicit StoredAlike(const OpSlots &slots)
      : slots(slots), firsts(slots.all().size()) {}

  std::vector<unsigned> of(const OpLayouts &way) {
    std::vector<unsigned> numbers;
    for (auto [index, slot] : llvm::enumerate(slots.all()))
      if (!slot.result)
        numbers.push_back(numberOf(index, way[index]));
    return numbers;
  }

  unsigned numberOf(size_t index, LayoutAttr layout) {
    auto [known, isNew] = numbers.try_emplace({index, layout});
    if (!isNew)
      return known->second;
    ArrayRef<int64_t> shape = tensorType(slots[index].value).getShape();
    SmallVector<LayoutAttr> &others = firsts[index];
    auto *same = llvm::find_if(others, [&](LayoutAttr other) {
      return layout == other ||
             (layout && other && layout.isEquivalent(other, shape));
    });
    known->second = static_cast<unsigned>(same - others.begin());
    if (same == others.end())
      others.push_back(layout);
    return known->second;
  }

private:
  const OpSlots &slots;
  std::vector<SmallVector<LayoutAttr>> firsts; // by slot and number
  llvm::DenseMap<std::pair<size_t, Attribute>, unsigned> numbers;
};

/// Combines what the op's values may be in. A value of ten dimensions of two
/// has thousands of spellings, most of which mean the same to the op's other
/// values; what follows from one is asked once for all that do.
class Combiner {
public:
  Combiner(const OpSlots &slots, const Candidates &known, bool hasReaders,
           size_t most)
      : slots(slots), known(known), hasReaders(hasReaders), most(most),
        stored(slots), listed(slots.all().size()), meanings(slots.all().size()),
        ofIndependent(slots.all().size()) {}

  KernelWays run() {
    unsigned anchor = slots.anchor();
    for (size_t place = 0; place < known.of(slots[anchor].value).size();
         ++place)
      addWays(spellings(anchor, place));
    return std::move(result);
  }

private:
  using List = SmallVector<LayoutAttr, 2>;
  using Lists = SmallVector<List, 4>; // by slot

  void addWays(ArrayRef<LayoutAttr> anchors);
  Lists listsFor(LayoutAttr anchor, bool isOnly, Question &question);
  List choices(unsigned slot, LayoutAttr anchor);
  List choicesOfIndependent(unsigned slot);
  std::vector<OpLayouts> combine(LayoutAttr anchor, ArrayRef<List> lists);
  List spellings(unsigned slot, size_t place) const;
  ArrayRef<List> meaningsOf(unsigned slot);
  Question traitOf(unsigned slot, LayoutAttr layout, unsigned other) const;

  const OpSlots &slots;
  const Candidates &known;
  const bool hasReaders;
  const size_t most; // ways of one of the anchor's layouts
  StoredAlike stored;
  /// Numbered, by slot and trait of the anchor in its present place.
  std::vector<llvm::StringMap<std::pair<unsigned, List>>> listed;
  /// By slot and place: what the anchor can tell apart.
  std::vector<SmallVector<List>> meanings;
  std::vector<std::optional<List>> ofIndependent;
  KernelWays result;
};

} // namespace

/// A layout of the value as the op may mean it.
Combiner::List Combiner::spellings(unsigned index, size_t place) const {
  const Slot &slot = slots[index];
  List list = slots.anchor() > fewOperands
                  ? List{known.of(slot.value)[place]}
                  : known.spellings(slot.value, static_cast<int>(place));
  llvm::erase_if(list,
                 [&](LayoutAttr layout) { return !slot.accepts(layout); });
  return list;
}

/// What of a slot's layout says with which of another slot's layouts it goes.
Question Combiner::traitOf(unsigned slot, LayoutAttr layout,
                           unsigned other) const {
  Question question;
  for (int64_t word : agreementTrait(slots.related(slot), toStoredOrder(layout),
                                     slots.related(other)))
    question.add(static_cast<uint64_t>(word));
  return question;
}

ArrayRef<Combiner::List> Combiner::meaningsOf(unsigned slot) {
  SmallVector<List> &places = meanings[slot];
  if (!places.empty())
    return places;
  for (size_t place = 0; place < known.of(slots[slot].value).size(); ++place) {
    List all = spellings(slot, place), some;
    if (all.size() > 1) {
      llvm::StringSet<> seen;
      for (LayoutAttr layout : all)
        if (seen.insert(traitOf(slot, layout, slots.anchor()).bytes()).second)
          some.push_back(layout);
      all = std::move(some);
    }
    places.push_back(std::move(all));
  }
  return places;
}

Combiner::List Combiner::choicesOfIndependent(unsigned index) {
  if (std::optional<List> &list = ofIndependent[index])
    return *list;
  const Slot &slot = slots[index];
  bool takesAll = slot.accepted.empty() &&
                  llvm::all_of(known.of(slot.value), [&](LayoutAttr layout) {
                    return slot.accepts(layout);
                  });
  List list = {LayoutAttr()};
  if (!takesAll)
    list = knownOf(known, slot);
  if (list.size() > 1 && !slot.accepted.empty() && hasReaders)
    list = {LayoutAttr()};
  ofIndependent[index] = list;
  return list;
}

/// The layouts in which a slot may be while the anchor is in one of its own.
Combiner::List Combiner::choices(unsigned index, LayoutAttr anchor) {
  if (slots[index].constant)
    return List(slots.placesOfConstant(anchor, index));
  if (slots[index].independent)
    return choicesOfIndependent(index);
  bool respelled = slots.anchor() <= fewOperands;
  List list;
  for (const List &place : meaningsOf(index)) {
    const LayoutAttr *fits = llvm::find_if(place, [&](LayoutAttr layout) {
      return slots.goTogether(anchor, index, layout, respelled);
    });
    if (fits != place.end())
      list.push_back(*fits);
  }
  return list;
}

/// The choices of each slot. `question`: how operands may be stored, the same
/// for spellings of the anchor with the same answer.
Combiner::Lists Combiner::listsFor(LayoutAttr anchor, bool isOnly,
                                   Question &question) {
  Lists lists(slots.all().size());
  for (unsigned index = 0; index < lists.size(); ++index) {
    const Slot &slot = slots[index];
    if (index == slots.anchor())
      continue;
    if (isOnly || slot.independent || slot.constant) {
      lists[index] = choices(index, anchor);
      if (isOnly || !slot.constant)
        continue;
      question.add(uint64_t(lists[index].size()));
      for (LayoutAttr layout : lists[index])
        question.add(uint64_t(stored.numberOf(index, layout)));
    } else {
      auto &numbered = listed[index];
      Question trait = traitOf(slots.anchor(), anchor, index);
      auto [found, isNew] = numbered.try_emplace(trait.bytes());
      if (isNew)
        found->second = {numbered.size(), choices(index, anchor)};
      question.add(uint64_t(found->second.first));
      lists[index] = found->second.second;
    }
  }
  return lists;
}

/// Every combination of what the slots may be in.
std::vector<OpLayouts> Combiner::combine(LayoutAttr anchor,
                                         ArrayRef<List> lists) {
  std::vector<OpLayouts> ways = {OpLayouts(slots.all().size())};
  ways[0][slots.anchor()] = anchor;
  for (auto [index, list] : llvm::enumerate(lists)) {
    if (index == slots.anchor())
      continue;
    std::vector<OpLayouts> longer;
    longer.reserve(std::min(most, ways.size() * list.size()));
    for (const OpLayouts &way : ways)
      for (LayoutAttr layout : list)
        if (longer.size() < most) {
          longer.push_back(way);
          longer.back()[index] = layout;
        } else {
          result.isCut = true;
        }
    ways = std::move(longer);
  }
  return ways;
}

/// Of spellings of one of the anchor's places.
void Combiner::addWays(ArrayRef<LayoutAttr> anchors) {
  bool isOnly = anchors.size() == 1;
  for (auto &lists : listed)
    lists.clear();
  llvm::StringSet<> asked;
  std::set<std::vector<unsigned>> before; // by other spellings
  for (LayoutAttr anchor : anchors) {
    Question question;
    Lists lists = listsFor(anchor, isOnly, question);
    if (!asked.insert(question.bytes()).second)
      continue;
    std::vector<std::vector<unsigned>> now;
    for (OpLayouts &way : combine(anchor, lists)) {
      if (!isOnly) {
        now.push_back(stored.of(way));
        if (before.count(now.back()))
          continue;
      }
      result.ways.push_back(std::move(way));
    }
    before.insert(now.begin(), now.end());
  }
}

KernelWays npu::kernelWays(const OpSlots &slots, const Candidates &known,
                           bool hasReaders, size_t most) {
  return Combiner(slots, known, hasReaders, most).run();
}
