// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Doubles.h"

using namespace npu;

static thread_local Doubles *currentDoubles = nullptr;

Doubles::Doubles(bool asF32) : asF32(asF32), outer(currentDoubles) {
  currentDoubles = this;
}
Doubles::~Doubles() { currentDoubles = outer; }
Doubles *Doubles::current() { return currentDoubles; }
