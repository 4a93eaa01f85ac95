// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Deadline.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace npu::search {

double Deadline::threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

Deadline::Deadline(std::shared_ptr<Budget> of, double end)
    : budget(std::move(of)), end(end), begin(budget->clock()) {}

Deadline::Deadline(double seconds, Clock clock)
    : Deadline(std::make_shared<Budget>(Budget{std::move(clock)}),
               std::max(0.0, seconds) * stepsPerSecond) {
  budget->guard = begin + guardPart * std::max(0.0, seconds);
}

Deadline Deadline::share(double part) const {
  return {budget, budget->steps + std::max(0.0, left() * part)};
}

Deadline Deadline::within(double seconds) const {
  return {budget, std::min(end, budget->steps + seconds * stepsPerSecond)};
}

double Deadline::left() const { return end - budget->steps; }

bool Deadline::strikes() const {
  budget->isStruck |= budget->clock() >= budget->guard;
  return budget->isStruck;
}

bool Deadline::allows(double steps) const {
  if (left() <= steps)
    return false;
  // To ask for the time takes as long as some hundred steps.
  constexpr double manySteps = 1 << 16;
  constexpr int manyQuestions = 64;
  if (budget->steps >= budget->nextSteps ||
      ++budget->questions >= manyQuestions) {
    budget->nextSteps = budget->steps + manySteps;
    budget->questions = 0;
    strikes();
  }
  return !budget->isStruck;
}

double Deadline::spent() const { return budget->clock() - begin; }

} // namespace npu::search
