// SPDX-License-Identifier: Apache-2.0
//
// What all oneDNN kernels share: descriptors, the run of a primitive with
// several threads in it at once, packing of constants. dnnl headers appear only
// here and in *_onednn.cpp.
#ifndef NPU_KERNELS_ONEDNN_ONEDNN_H
#define NPU_KERNELS_ONEDNN_ONEDNN_H

#include "kernels/registry.h"
#include "kernels/tensor.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <atomic>

namespace npu::kernels::onednn {

const dnnl::engine &engine();

using Desc = dnnl::memory::desc;

/// Whether products of 8-bit numbers are added in 32 bits. Processors without
/// such instructions add pairs in 16 bits and saturate: other numbers.
bool addsInFull();

/// oneDNN's type, `undef` where it has none.
dnnl::memory::data_type typeOf(int32_t dtype);

/// The tensor as oneDNN describes it, strides or blocks and all; as
/// channels-last where it can be. False where
/// oneDNN has no such type or block order.
bool describeTensor(const npu_tensor_desc &tensor, Desc &desc,
                    std::string &whyNot);
/// The same, units in their place: a matrix product takes a row of a matrix
/// that is described as channels-last for a column, and fails when it runs.
bool describeAsStored(const npu_tensor_desc &tensor, Desc &desc,
                      std::string &whyNot);

/// `tensor` as channels-last where that is the same storage (then oneDNN finds
/// its better kernels), else as it is.
npu_tensor_desc preferChannelsLast(const npu_tensor_desc &tensor);

/// A weight's logical elements stored as `strides` says, in the dimensions that
/// the primitive sees: groups in front, the next two swapped or not.
Desc describeWeight(const npu_tensor_desc &tensor, const Strides &strides,
                    int64_t groups, bool isSwapped);

/// One argument of a primitive.
struct Argument {
  int name;    // DNNL_ARG_...
  int operand; // of the problem; inputs first, then the output
  Desc desc;   // what the primitive expects
};

/// Attributes from a problem's instructions: user scratchpad and post-ops, with
/// the arguments that binary post-ops read.
struct Fusion {
  dnnl::primitive_attr attributes;
  std::vector<Argument> arguments;
};

/// Whether post-ops may lose NaN: all that are more than sums and products. A
/// maximum gives its other operand, a function its value at an end of its
/// table.
bool losesNan(const dnnl::post_ops &ops);

/// Translates all instructions. False with a reason where one of them cannot be
/// said in post-ops.
bool translate(const Problem &problem, Fusion &fusion, std::string &whyNot);

class CallMemory;

/// Runs one primitive. Weights (see addWeights) are brought into the order that
/// the primitive chose; other arguments go in as they are.
class OnednnKernel : public PreparedKernel {
public:
  OnednnKernel(const Problem &p, dnnl::primitive_desc_base found);
  ~OnednnKernel() override;

  std::string implementation() const override { return name; }
  size_t scratchBytes() const override { return scratchSize; }
  size_t adapterBytes() const override { return adapted; }
  size_t pack(const void *const *operands) override;
  bool isPacked(size_t input) const override;
  bool losesNan() const override;
  int run(void *const *operands, void *scratch) const override;
  std::string prepare() override;

  void addArgument(Argument argument);
  /// The zero point of an operand whose attributes have a mask for one.
  void addZeroPoint(int argument, int32_t value);
  /// An input whose order the primitive chose: packed at load if constant,
  /// reordered in each run if not.
  /// The primitive may see one more dimension, groups, in front, and the first
  /// two of each group changed for each other.
  void addWeights(int argument, int operand, const Desc &chosen,
                  bool isSwapped = false);

private:
  struct Weights {
    int name;
    int operand;
    Desc given, chosen;       // equal: used as it is
    Desc rowMajor;            // the tensor's logical order
    bool isReordered = false; // in each run, at scratchOffset
    size_t scratchOffset = 0;
    std::shared_ptr<void> packed;
  };

  int execute(void *const *operands, char *scratch) const;
  /// False where memory is short.
  bool giveArguments(CallMemory &call, void *const *operands,
                     char *scratch) const;
  bool reorderWeights(const Weights &weights, const void *from, void *to) const;

  Problem problem;
  dnnl::primitive_desc_base descriptor;
  dnnl::primitive primitive;
  std::string name;
  std::vector<Argument> arguments;
  /// By argument; what they point to stays where it is.
  std::vector<std::pair<int, std::unique_ptr<const int32_t>>> zeroPoints;
  std::vector<Weights> weights;
  Desc scratchpad;
  /// Of a run that has ended; null: none has, or one is running.
  mutable std::atomic<CallMemory *> idle{nullptr};
  size_t scratchSize = 0, adapted = 0;
};

/// Whether the name of a oneDNN implementation says that it is a plain loop:
/// there is no other way to know. Words of it stand between : _ + > and spaces.
bool isReference(const std::string &name);

/// Whether an implementation multiplies in AMX's tiles, by its name.
bool usesTiles(const dnnl::primitive_desc &found);

/// Goes on to the next implementation that oneDNN lists for the same without
/// tiles, no reference and no gemm; false where there is none, and `found` is
/// spent.
bool skipTiles(dnnl::primitive_desc &found);

/// Makes the kernel of a primitive descriptor, unless the descriptor is empty
/// or a reference.
std::unique_ptr<OnednnKernel> makeKernel(const Problem &problem,
                                         const dnnl::primitive_desc_base &found,
                                         std::string &whyNot);

/// The same for a primitive that reads the first input, what post-ops want, and
/// nothing else.
std::unique_ptr<OnednnKernel>
makeUnaryKernel(const Problem &problem, const dnnl::primitive_desc_base &found,
                const Desc &data, const Desc &result, const Fusion &fusion,
                std::string &whyNot);

} // namespace npu::kernels::onednn

#endif // NPU_KERNELS_ONEDNN_ONEDNN_H
