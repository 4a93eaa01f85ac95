// SPDX-License-Identifier: Apache-2.0
//
// A layout plan as a file (docs/layout-plan.md): written by
// --write-layout-plan, edited by hand, read back by --layout-plan.
#ifndef NPU_COMPILER_LAYOUT_PLANFILE_PLANFILE_H
#define NPU_COMPILER_LAYOUT_PLANFILE_PLANFILE_H

#include "compiler/Target/TargetSpec.h"

namespace npu {

/// What the file says of one op, graph input or graph output.
struct PlanEntry {
  enum class Kind { Input, Op, Output };
  struct Order {
    LayoutPattern pattern; // Kind::Any: left open
    int line = 0;
  };

  Kind kind = Kind::Op;
  std::string name;
  int line = 0;
  bool pin = false;
  /// The order of the op's result, or of the boundary value.
  std::optional<Order> stored;
  /// Empty, or one for each operand.
  std::vector<Order> reads;
  /// The algorithm that computes the op, `ownAlgorithm` if no other one does;
  /// empty: left open.
  std::string algorithm;
  int algorithmLine = 0;
  /// Whether the op's result stays on the chip.
  std::optional<bool> resident;
  int residentLine = 0;
};

/// What a plan calls the algorithm that an op stands for.
constexpr StringRef ownAlgorithm = "direct";

/// A plan's file before it meets a graph.
struct PlanFile {
  std::string file;
  std::string target;
  int targetLine = 0;
  std::string graph; // fingerprint; empty: names alone decide
  int graphLine = 0;
  std::vector<PlanEntry> entries;
};

/// Reads and checks a plan's text; `file` is for messages, which say
/// "FILE:LINE: what was found, what is allowed".
std::optional<PlanFile> parsePlanFile(StringRef text, StringRef file,
                                      std::string &error);

/// The same from a path.
std::optional<PlanFile> loadPlanFile(StringRef path, std::string &error);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PLANFILE_PLANFILE_H
