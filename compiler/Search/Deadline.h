// SPDX-License-Identifier: Apache-2.0
//
// Until when to work: in steps that are counted, so that what is found is the
// same on every machine.
#ifndef NPU_COMPILER_SEARCH_DEADLINE_H
#define NPU_COMPILER_SEARCH_DEADLINE_H

#include <cstdint>
#include <functional>
#include <memory>

namespace npu::search {

/// A limit of work, shared by all that is given a part of it. The work is told
/// by who does it: a step is about one entry of a table. Seconds are another
/// name for so many steps, of which a usual processor does twice as many in a
/// second. Only where one is much slower is the time itself the limit: the last
/// guard, in processor time of the calling thread, so that one that waits for a
/// processor, or is stopped, loses nothing.
class Deadline {
public:
  static constexpr double stepsPerSecond = 7e7;
  /// How far the time may go beyond the limit.
  static constexpr double guardPart = 1.3;

  /// Seconds that have passed, of which only differences matter.
  using Clock = std::function<double()>;
  /// Processor time of the calling thread.
  static double threadSeconds();

  /// A limit of its own; `clock` tells its guard what time it is.
  explicit Deadline(double seconds, Clock clock = threadSeconds);
  /// A part of what is left.
  Deadline share(double part) const;
  /// Other work of so many seconds that ends, at the latest, when this does.
  Deadline within(double seconds) const;

  void count(double steps) const { budget->steps += steps; }
  /// Steps that are left.
  double left() const;
  /// Whether more than so many steps are left.
  bool allows(double steps) const;
  bool over() const { return !allows(0); }
  /// Whether the time was over before the steps were: what was found then
  /// depends on the machine.
  bool isStruck() const { return budget->isStruck; }
  /// Whether the time is over, looked at now.
  bool strikes() const;
  /// What passed on the clock since this limit was made, in seconds.
  double spent() const;

private:
  struct Budget {
    Clock clock;
    double steps = 0; // counted so far
    double guard = 0; // the clock's time when it is over
    /// The clock is looked at after so many steps, or questions.
    double nextSteps = 0;
    int questions = 0;
    bool isStruck = false;
  };

  Deadline(std::shared_ptr<Budget> budget, double end);

  std::shared_ptr<Budget> budget;
  double end; // in steps of the budget
  double begin;
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_DEADLINE_H
