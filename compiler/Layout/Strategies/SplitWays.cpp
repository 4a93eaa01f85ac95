// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/SplitWays.h"

#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/KernelWays.h"

using namespace npu;

/// So many combinations of both kernels' ways are looked at.
static constexpr size_t mostPairs = size_t(1) << 14;

/// Of each of a kernel's signatures.
static std::vector<OpLayouts> waysOf(const OpSlots &slots,
                                     const Candidates &known, bool hasReaders,
                                     size_t most, bool &isCut) {
  std::vector<OpLayouts> ways;
  for (const OpSlots &signature : slots.signatures()) {
    KernelWays found = kernelWays(signature, known, hasReaders, most);
    isCut |= found.isCut;
    llvm::append_range(ways, std::move(found.ways));
  }
  return ways;
}

/// Takes a kernel's layout of an op's slot; fails where both kernels read the
/// operand in different orders.
static bool take(LayoutAttr &whole, LayoutAttr layout) {
  if (!whole)
    whole = layout;
  return !layout || whole == layout;
}

/// The layouts of the op's values; nothing where the kernels contradict each
/// other.
static std::optional<OpLayouts> layoutsOfWhole(const OpSlots &whole,
                                               const TwoKernels &kernels,
                                               const SplitLayouts &two) {
  OpLayouts layouts(whole.all().size());
  layouts[whole.anchor()] = two.rest.back();
  auto takeAll = [&](ArrayRef<int> reads, const OpLayouts &given) {
    for (auto [operand, layout] : llvm::zip(reads, given))
      if (operand != TwoKernels::between && !take(layouts[operand], layout))
        return false;
    return true;
  };
  if (!takeAll(kernels.firstReads, two.first) ||
      !takeAll(kernels.restReads, two.rest))
    return std::nullopt;
  return layouts;
}

SplitWays npu::splitWays(const LayoutProblem &problem, const OpSlots &whole,
                         const SplitSlots &split, const Candidates &known,
                         bool hasReaders, size_t most, bool all) {
  const TwoKernels &kernels = split.kernels->kernels();
  const bool hasCache = problem.target.machine.cacheKiB > 0;
  const auto between =
      static_cast<size_t>(llvm::find(kernels.restReads, TwoKernels::between) -
                          kernels.restReads.begin());
  SplitWays found;
  const auto firsts = waysOf(split.first, known, hasReaders, most, found.isCut);
  const auto rests = waysOf(split.rest, known, hasReaders, most, found.isCut);
  for (const OpLayouts &first : firsts)
    for (const OpLayouts &rest : rests) {
      if (found.looked++ >= mostPairs) {
        found.isCut = true;
        return found;
      }
      SplitLayouts two{first, rest, first.back(), rest[between]};
      if (!two.read) // in any order
        two.read = two.rest[between] = two.stored;
      const bool isMoved =
          !sameStorage(whole[whole.anchor()].value, two.stored, two.read);
      if (!isMoved && hasCache && !all)
        continue;
      auto layouts = layoutsOfWhole(whole, kernels, two);
      if (!layouts)
        continue;
      if (found.ways.size() >= most) {
        found.isCut = true;
        return found;
      }
      OpWay way{std::move(*layouts)};
      way.split = std::make_shared<SplitWay>(
          SplitWay{split.kernels.get(), std::move(two)});
      found.ways.push_back(std::move(way));
    }
  return found;
}
