// SPDX-License-Identifier: Apache-2.0
#include "cost/makespan.h"

#include <algorithm>

namespace npu::cost {

void Arrivals::add(double times, double cycles, double bytes) {
  if (times <= 0)
    return;
  size_t at = 0;
  while (at < count && kinds[at].times != times)
    ++at;
  // There are no more kinds than that; what would be another is rarer.
  at = std::min(at, kinds.size() - 1);
  count = std::max(count, at + 1);
  Kind &kind = kinds[at];
  kind.times = std::max(kind.times, times);
  kind.cycles += cycles / kind.times;
  kind.bytes += bytes / kind.times;
}

Arrivals::Kind Arrivals::together() const { return moreOftenThan(0); }

Arrivals::Kind Arrivals::moreOftenThan(double times) const {
  Kind sum;
  for (const Kind &kind : *this)
    if (kind.times > times) {
      sum.times = std::max(sum.times, kind.times);
      sum.cycles += kind.cycles;
      sum.bytes += kind.bytes;
    }
  return sum;
}

namespace {

/// What a step takes besides others.
class Step {
public:
  explicit Step(const Steps &steps)
      : steps(steps), computing(steps.computing / steps.number),
        bytes(steps.bytes / steps.number) {}

  /// Moving alone.
  double moving(const Arrivals::Kind &load, const Arrivals::Kind &store) const {
    double channels = steps.ownChannels ? std::max(load.cycles, store.cycles)
                                        : load.cycles + store.cycles;
    return std::max(channels, onChip(load.bytes + store.bytes));
  }
  double alone() const { return std::max(computing, onChip(bytes)); }
  double beside(const Arrivals::Kind &load, const Arrivals::Kind &store) const {
    return std::max({computing, moving(load, store),
                     onChip(bytes + load.bytes + store.bytes)});
  }

private:
  double onChip(double moved) const {
    return steps.onChip > 0 ? moved / steps.onChip : 0;
  }

  const Steps &steps;
  double computing, bytes;
};

} // namespace

/// Nothing at the same time.
static double inTurn(const Steps &steps) {
  Step step(steps);
  double sum = steps.number * step.alone();
  for (const Arrivals::Kind &load : steps.loads)
    sum += load.times * step.moving(load, {});
  for (const Arrivals::Kind &store : steps.stores)
    sum += store.times * step.moving({}, store);
  return sum;
}

double makespan(const Steps &steps, bool hasTwoBuffers) {
  if (!hasTwoBuffers)
    return inTurn(steps);
  Step step(steps);
  double sum = step.moving(steps.loads.together(), {}) +
               step.moving({}, steps.stores.together());
  if (steps.number <= 1)
    return sum + step.alone();
  // Beside the first tile nothing is stored, beside the last nothing is loaded:
  // what comes with each tile once less there. Of the rest, each n times in
  // n - 1 of the steps between, that rare things come together is the worst
  // case, for a step takes the longer of both.
  sum += step.beside(steps.loads.moreOftenThan(steps.number - 1), {}) +
         step.beside({}, steps.stores.moreOftenThan(steps.number - 1));
  double between = steps.number - 2, done = 0;
  while (done < between) {
    double until = between;
    for (const Arrivals *some : {&steps.loads, &steps.stores})
      for (const Arrivals::Kind &kind : *some)
        if (kind.times - 1 > done)
          until = std::min(until, kind.times - 1);
    sum += (until - done) * step.beside(steps.loads.moreOftenThan(done + 1),
                                        steps.stores.moreOftenThan(done + 1));
    done = until;
  }
  return sum;
}

} // namespace npu::cost
