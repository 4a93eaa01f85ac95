// SPDX-License-Identifier: Apache-2.0
//
// What one chip demands and costs: targets/<chip>.yaml, read and checked.
#ifndef NPU_COMPILER_TARGET_TARGETSPEC_H
#define NPU_COMPILER_TARGET_TARGETSPEC_H

#include "compiler/Dialect/NPU/LayoutTransfer.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "compiler/Support/LLVM.h"
#include "compiler/Target/ArraySpec.h"
#include "compiler/Target/Conditions.h"
#include "compiler/Target/Fuses.h"
#include "cost/cost_table.h"
#include "cost/machine.h"
#include "format/program_format.h"
#include "plugin/Plugin.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What is known of a value's dimensions where an op has it.
struct KnownDims {
  KnownDims(ImageAxes axes = {}, SmallVector<int64_t, 6> inner = {})
      : axes(std::move(axes)), inner(std::move(inner)) {}

  ImageAxes axes; ///< empty: not known
  /// By dimension, how many elements the inner of two pieces has into which the
  /// network cuts it; 0: it does not. Empty: no dimension is cut.
  SmallVector<int64_t, 6> inner;
};

/// One layout that a chip accepts, before it meets a value.
struct LayoutPattern {
  enum class Kind {
    Any,      // "any"
    RowMajor, // "row-major": logical order, any rank
    Roles,    // "NHWC", "HWOI", "NCHW16c": image axes, wherever they are
    Letters,  // "acdb": logical dimensions
    Pieces    // "ababc": the same, those named twice in two pieces
  };
  struct RoleBlock {
    AxisRole role;
    int64_t size;
  };

  Kind kind = Kind::Any;
  std::string text;
  /// Roles: outermost first, then blocks.
  ImageAxes roles;
  SmallVector<RoleBlock, 2> roleBlocks;
  /// Letters.
  StoredOrder letters;
  /// Pieces: dimensions, outermost first.
  SmallVector<int64_t, 8> pieces;

  /// Reads one; empty with a reason in `error` where the text is none.
  static std::optional<LayoutPattern> parse(StringRef text, std::string &error);

  /// The order that the pattern means for a value of this rank with these image
  /// axes (empty: not known). Nothing for "any", and where the pattern speaks
  /// of another rank or of axes that the value does not have.
  std::optional<StoredOrder> resolve(size_t rank, const ImageAxes &axes) const;
  /// The same of a value of this shape, also where the pattern speaks of
  /// pieces: nothing where the value is not known to be cut so.
  std::optional<StoredOrder> resolve(ArrayRef<int64_t> shape,
                                     const KnownDims &known) const;
};

/// The layouts that the chip accepts for each operand role of some op.
/// "result" is the role of results.
using OperandDemands = std::map<std::string, std::vector<LayoutPattern>>;

/// An accepted layout of an op's result, and how many times longer the op takes
/// in it than in the chip's best.
struct LayoutFactor {
  LayoutPattern layout;
  double factor = 1;
};

/// One entry of `demands` for an op: of which ops it speaks, the layouts that
/// their values have at once, and what their time is multiplied by then.
struct Signature {
  Conditions when;
  OperandDemands roles;
  double cost = 1;
  /// Further, where the result has a layout; 1 where none of these.
  std::vector<LayoutFactor> factors;
};

/// One entry of `unsupported` for an op.
struct Unsupported {
  Conditions when;
};

/// The processor beside the chip, which runs what the chip lacks.
struct Fallback {
  std::string target;    ///< whose machine says how long that takes
  double linkGBs = 0;    ///< bandwidth
  double linkStart = 0;  ///< cycles of the chip
  double linkEnergy = 0; ///< pJ/B
  cost::Machine machine; ///< that target's
  ArraySpec array;       ///< that target's
  /// It only quantizes the network's inputs and dequantizes its outputs: a chip
  /// without floats that names no processor has such a one.
  bool onlyConverts = false;
};

/// Of some orders, how many bytes the DMA takes in one transfer.
struct TransferRun {
  std::vector<LayoutPattern> layouts;
  /// Shorter rows are gathered, longer ones are taken in parts.
  double least = 1, most = 0;
};

/// Where the numbers of a real machine's target were measured.
struct Measured {
  std::string processor, library; ///< as the system and oneDNN call themselves
  double threads = 1;
  bool ofThisMachine = false; ///< read from its table (Calibration.h)
};

/// Measured kernels of the chip (docs/measured-costs.md).
struct Costs {
  std::string file; ///< as the target names it, beside its own
  int line = 0;     ///< of the target, which names it
  cost::CostTable table;
};

/// Which of the libraries that a target's file names may be loaded. They are
/// code, and files of chips pass from hand to hand: those that the caller names
/// himself, or all, if he says so (SECURITY.md).
struct AllowedPlugins {
  std::vector<const plugin::Plugin *> named;
  bool all = false;
};

class TargetSpec {
public:
  std::string name, summary, file;
  SmallVector<npu_dtype> types;
  /// Those of `types` that the chip stores and does not compute in.
  SmallVector<npu_dtype> storageTypes;
  /// Sizes of inner blocks that the chip's kernels know.
  SmallVector<int64_t> blocks;
  cost::Machine machine;
  ArraySpec array;
  std::vector<TransferRun> runs; // the first that fits counts
  Fuses fuses;                   // which groups are one kernel
  /// By getDemandName(). An op runs as one of its signatures says, whole.
  std::map<std::string, std::vector<Signature>> demands;
  /// By getDemandName().
  std::map<std::string, std::vector<Unsupported>> unsupported;
  std::optional<Fallback> fallback;
  std::optional<Measured> measured;
  std::optional<Costs> costs;
  /// Other algorithms that the chip has for some ops (Layout/Alternatives.h).
  std::vector<std::string> algorithms;
  std::vector<const plugin::Plugin *> plugins; // that its file names

  /// The chip likes the first best; empty: any layouts.
  ArrayRef<Signature> signatures(StringRef op) const;
  /// Where the table of `costs` lies; empty: there is none.
  std::string costsPath() const;
  /// A file that the target's names, from here.
  std::string pathOf(StringRef named) const;
  /// Whether the chip lists accepted layouts for the op.
  bool isDemanding(StringRef op) const;
  /// Whether it lists layouts of dimensions in pieces for some op.
  bool listsPieces() const;
  /// Whether the chip computes with, and moves, elements of this type.
  bool supports(mlir::Type element) const;
  /// Whether the processor moves values of this type for the chip.
  bool isMovedBeside(mlir::Type element) const;
  /// Whether all is said that energy takes.
  bool saysEnergy() const { return machine.saysEnergy(); }
};

/// What is wrong with `storageTypes`; empty: nothing.
std::string wrongStorageType(const TargetSpec &spec);

/// What demands may speak of: the op's operands and "result".
SmallVector<StringRef> demandRoles(const OpWords &words);

/// The names that `algorithms` may list.
ArrayRef<StringRef> algorithmVocabulary();

/// Reads and checks a target's text, and the machine of its fallback; `file` is
/// for messages, which say "FILE:LINE: what was found, what is allowed".
std::optional<TargetSpec> parseTarget(StringRef text, StringRef file,
                                      std::string &error,
                                      const AllowedPlugins &allowed = {});

/// A target by name (a file in ../targets beside the program, or in the source
/// tree) or by path (ends in .yaml or holds a slash).
std::optional<TargetSpec> loadTarget(StringRef nameOrPath, std::string &error,
                                     const AllowedPlugins &allowed = {});

/// Gives a target another fallback than its own: "none", or a target whose
/// link is that of its own fallback; without one like the DRAM. Empty: its
/// own stays.
bool chooseFallback(TargetSpec &target, StringRef nameOrPath,
                    std::string &error, const AllowedPlugins &allowed = {});

/// The names of the shipped targets, sorted.
std::vector<std::string> targetNames();

} // namespace npu

#endif // NPU_COMPILER_TARGET_TARGETSPEC_H
