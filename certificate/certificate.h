// SPDX-License-Identifier: Apache-2.0
//
// A certificate of a layout plan (docs/certificate.md): what it says, and
// whether that holds. Nothing here is shared with the search that found it.
#ifndef NPU_CERTIFICATE_CERTIFICATE_H
#define NPU_CERTIFICATE_CERTIFICATE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace npu::certificate {

using Numbers = std::vector<int64_t>;
constexpr int asStored = -1; // in a way: the operand is read as it is stored

struct Op {
  Numbers reads, makes; // values
};

/// Where a value, first of the list, and what views make of it lie on the chip.
struct Slot {
  Numbers values;
  int64_t offset = 0;
  int64_t place = 0;           // bytes for one layout
  int64_t bytes = 0;           // for all that it may have at once
  int64_t first = 0, last = 0; // ops

  int64_t end() const { return offset + bytes; }
};

/// The problem under one choice of what stays on the chip.
struct Case {
  Numbers relayouts; // by value: which of the certificate's it pays
  Numbers ways;      // by op: which of the certificate's are its own
  int64_t scale = 1; // parts of a price that are one unit of cost
  std::vector<std::vector<Numbers>> prices; // by op, operand and layout
  std::vector<Slot> slots = {};
};

struct Certificate {
  std::string model, target, unit;
  int64_t planCase = 0, planCost = 0;
  Numbers planWays = {};                   // by op
  std::vector<Numbers> planRelayouts = {}; // each: value, from, to

  Numbers planTiles = {}; // bytes on the chip, by op

  int64_t memory = 0;              // bytes on the chip
  Numbers values = {};             // how many layouts each has
  std::vector<Numbers> bytes = {}; // by value and layout, as stored
  std::vector<Op> ops = {};
  std::vector<Numbers> relayouts = {}; // costs, each: from * layouts + to
  /// Each way: its cost, a layout for each operand, then for each result.
  std::vector<std::vector<Numbers>> ways = {};
  std::vector<Case> cases = {};
};

/// One sentence: it is no certificate.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// One sentence: what it says is not so, or not shown.
struct Refuted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// So that no text, however small, takes long.
struct Work {
  int64_t left = int64_t(1) << 28; // steps
  void spend(int64_t steps);       // throws Malformed if these are too many
};

/// Above what a case's costs times its scale, and prices, add up to.
constexpr int64_t mostCost = int64_t(1) << 54;
constexpr size_t mostBytes = size_t(1) << 24;
constexpr const char *tooLarge = "has more than 16777216 bytes";

Certificate read(const std::string &text, Work &work);  // throws Malformed
void check(const Certificate &certificate, Work &work); // throws both
/// The part of it that is about on-chip memory.
void checkSlots(const Certificate &certificate, Work &work);

} // namespace npu::certificate

#endif // NPU_CERTIFICATE_CERTIFICATE_H
