// SPDX-License-Identifier: Apache-2.0
//
// A layout plan as a file (docs/layout-plan.md): written by
// --write-layout-plan, edited by hand, read back by --layout-plan.
#ifndef NPU_COMPILER_LAYOUT_PLANFILE_H
#define NPU_COMPILER_LAYOUT_PLANFILE_H

#include "compiler/Layout/LayoutPlan.h"

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

/// Adds the file's pins to the problem, whose boundary is bound. Fails, with an
/// error that names the file's line, on a plan for another graph or target and
/// on pins that cannot be held.
LogicalResult bindPlan(LayoutProblem &problem, const PlanFile &plan);

/// The names by which a plan speaks of the ops of a function, in their order:
/// the model's nodes, the op's own name where there is none, "#2" behind the
/// second of a name. Constants and relayouts have none.
std::vector<std::pair<Operation *, std::string>>
planNames(mlir::func::FuncOp function);

/// What tells one graph from another: ops, attributes and shapes, not weights.
std::string graphFingerprint(mlir::func::FuncOp function);

/// Writes the plan that the stage arrives at.
class PlanWriter {
public:
  /// Takes note of the source's names, before the stage.
  explicit PlanWriter(mlir::func::FuncOp source);

  /// The plan of the same function behind the stage.
  std::string print(mlir::func::FuncOp decided, StringRef model,
                    const TargetSpec &target, StringRef strategy) const;

private:
  std::string graph;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PLANFILE_H
