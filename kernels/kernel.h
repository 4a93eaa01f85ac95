// SPDX-License-Identifier: Apache-2.0
//
// What a kernel is: a Problem says what is to be computed, an Implementation
// may accept it, and the Kernel it makes runs it any number of times. The
// compiler asks the same lists (query) that the runtime loads from (create), so
// that it knows what will run before it chooses a layout.
#ifndef NPU_KERNELS_KERNEL_H
#define NPU_KERNELS_KERNEL_H

#include "format/program_format.h"
#include "kernels/narrow.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace npu::plugin {
struct Plugin;
struct Use;
} // namespace npu::plugin

namespace npu::kernels {

/// A kernel to be made. Plain data: npu_kernel_desc with its table rows.
struct Problem {
  int32_t op = NPU_OP_ELTWISE; // npu_op; validate() checks it
  std::vector<npu_tensor_desc> inputs;
  std::vector<npu_tensor_desc> outputs;
  std::vector<npu_instr> instrs;
  npu_attrs attrs = {};
  /// Of CUSTOM, in place of attrs: the op and its attributes, as
  /// format/custom_op.h encodes them.
  std::string custom;
  /// What plugins bring, for which target; null: nothing. Lives for ever.
  const plugin::Use *plugins = nullptr;
  /// Input that shares its memory with output 0, or -1.
  int inPlaceInput = -1;
  /// Threads that one run may use; part of the choice and of packed weights.
  int threads = 1;
  /// No implementation that loses NaN (Kernel::losesNan): slower, for a run
  /// again after NaN was seen.
  bool keepsNan = false;
  /// Of what input 1, a constant, is made when the program is loaded; of a
  /// Winograd kernel, of what the taps behind it are made.
  std::optional<Narrow> narrow;

  bool isConstant(size_t input) const {
    return inputs[input].weights_offset >= 0;
  }
};

/// A made kernel. Immutable after pack(), so several threads may run it, each
/// with scratch of its own.
class Kernel {
public:
  virtual ~Kernel() = default;

  /// What computes, for profiles: "brgconv:avx512_core", "reference", ...
  virtual std::string implementation() const = 0;

  /// Whether it is a plain reference, or runs one inside.
  virtual bool isSlow() const { return false; }

  /// Whose code it is, or runs inside; null: ours.
  virtual const plugin::Plugin *plugin() const { return nullptr; }

  /// Bytes that run() needs at `scratch`, aligned to NPU_VALUE_ALIGNMENT.
  virtual size_t scratchBytes() const { return 0; }

  /// Bytes that hidden data movement takes in one run: layout changes of
  /// adapters, second passes over a result.
  virtual size_t adapterBytes() const { return 0; }

  /// Whether run() may give numbers where NaN (or an infinity whose function is
  /// not NaN) went in. If it does, the processor's flag for invalid operations
  /// is set in the thread that did it (parallel.h).
  virtual bool losesNan() const { return false; }

  /// Brings constants into the implementation's own order, once, at load.
  /// `operands[i]` is the stored bytes of input i where the problem says it is
  /// constant, else null. Returns the bytes newly allocated.
  virtual size_t pack(const void *const * /*operands*/) { return 0; }

  /// Whether pack() reads Problem::narrow in place of input 1, whose operand
  /// may be null then.
  virtual bool readsNarrow() const { return false; }

  /// After pack(), whether run() never reads the original of this constant.
  virtual bool isPacked(size_t /*input*/) const { return false; }

  /// After pack(), what a thread of a run reads first of what was packed.
  struct Bytes {
    const char *first = nullptr;
    size_t count = 0;
  };
  virtual Bytes readsFirst(int /*thread*/) const { return {}; }

  /// Tells, once and before any run, which kernel runs soon after this one and
  /// reads what was packed, so that the end of a run may bring the first of it
  /// nearer. It lives as long as this one.
  virtual void announce(const Kernel & /*next*/) {}

  /// Inputs, then outputs, in stored order. Throws nothing; errors that only
  /// show here (out of memory inside a library) end in a status other than 0.
  virtual int run(void *const *operands, void *scratch) const = 0;
};

/// The cycles of the chip that the first kernel of a plugin that takes the
/// problem says it needs, and its name ("acme:rows"); no name: none takes it.
struct PluginAnswer {
  std::string implementation;
  double cycles = 0; ///< 0: nothing is said
};
PluginAnswer queryPlugins(const Problem &problem);

/// One entry of an op's ordered list. `create` returns null where it does not
/// take the problem and then says why in one clause ("dilated max pooling").
struct Implementation {
  const char *name;
  std::unique_ptr<Kernel> (*create)(const Problem &problem,
                                    std::string &whyNot);
  /// Computes the op itself; false for what is composed around another kernel,
  /// and for the reference.
  bool isDirect = true;
};

/// Our own implementations of `op`, best first; the last, the plain reference,
/// accepts every valid problem. Those of plugins stand before them.
const std::vector<Implementation> &implementations(int32_t op);

/// How a problem would run.
struct Answer {
  /// Empty: a plugin's op whose reference gave an answer that it may not.
  std::string implementation;
  bool slow = false;                      ///< Kernel::isSlow()
  const plugin::Plugin *plugin = nullptr; ///< Kernel::plugin()
  /// Data movement hidden inside the kernel, in bytes per run.
  size_t adapterBytes = 0;
  /// Why each better implementation refused, "name: reason; ...".
  std::string refusals;
};

/// Empty if the problem is well formed (ranks, extents, types and attributes
/// fit the op), else what is wrong with it. create() and query() take only
/// well-formed problems.
std::string validate(const Problem &problem);

/// Bytes that are equal for problems with equal answers: where constants lie is
/// left out, that they are constant is not.
std::string keyOf(const Problem &problem);

Answer query(const Problem &problem);
/// Null where query() finds no implementation.
std::unique_ptr<Kernel> create(const Problem &problem);

/// Only the reference: the compiler's evaluator and the tests' oracle.
std::unique_ptr<Kernel> createReference(const Problem &problem);

/// What in the operands ended a run of this problem's kernel with a status: an
/// index that lies outside, and its limit. Empty where it was something else.
std::string describeFault(const Problem &problem, void *const *operands);

/// "oneDNN 3.2.0", or "own kernels 0.1.0" without oneDNN: what computes, and
/// the version of it.
std::string libraryVersion();
inline constexpr const char *oneDnn = "oneDNN";
inline constexpr const char *ownKernels = "own kernels";

} // namespace npu::kernels

#endif // NPU_KERNELS_KERNEL_H
