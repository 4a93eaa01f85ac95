// SPDX-License-Identifier: Apache-2.0
//
// What kernels may read of the arena: values that are there, and parts of them.

#include "runtime/Loader/Rehearsal.h"

#include <gtest/gtest.h>

namespace npu::runtime {
namespace {

constexpr int64_t line = NPU_VALUE_ALIGNMENT;

/// A row of so many bytes.
npu_tensor_desc row(int64_t bytes) {
  npu_tensor_desc tensor = {};
  tensor.dtype = NPU_U8;
  tensor.rank = 1;
  tensor.dims[0] = bytes;
  tensor.weights_offset = -1;
  return tensor;
}

/// Bytes of the arena.
struct Place {
  int64_t offset, bytes;
};

/// Kernels that each read one place and write another; the first one reads the
/// program's input.
class Copies {
public:
  explicit Copies(std::vector<std::pair<Place, Place>> moves)
      : moves(std::move(moves)) {}

  std::string rehearse() {
    std::vector<npu_tensor_desc> tensors;
    std::vector<npu_kernel_desc> kernels;
    int64_t reach = 0;
    for (const auto &[from, to] : moves) {
      npu_kernel_desc kernel = {};
      kernel.n_inputs = kernel.n_outputs = 1;
      kernel.first_tensor = static_cast<uint32_t>(tensors.size());
      kernel.in_place_input = -1;
      kernels.push_back(kernel);
      tensors.insert(tensors.end(), {row(from.bytes), row(to.bytes)});
      reach = std::max(reach, to.offset + to.bytes);
    }
    const npu_io_desc input = {row(moves[0].first.bytes),
                               static_cast<uint64_t>(moves[0].first.bytes)};
    npu_program program = {};
    program.kernels = kernels.data();
    program.n_kernels = static_cast<uint32_t>(kernels.size());
    program.tensors = tensors.data();
    program.n_tensors = static_cast<uint32_t>(tensors.size());
    program.inputs = &input;
    program.n_inputs = 1;
    program.arena_bytes = static_cast<uint64_t>(reach);
    program.run = run;
    running = this;
    return runtime::rehearse(program, ImageBounds());
  }

private:
  static int32_t run(const npu_frame *frame) {
    uint32_t kernel = 0;
    for (const auto &[from, to] : running->moves) {
      void *operands[] = {kernel == 0 ? frame->inputs[0]
                                      : frame->arena + from.offset,
                          frame->arena + to.offset};
      if (int32_t status =
              frame->imports->call_kernel(frame->exec, kernel++, operands))
        return status;
    }
    return 0;
  }

  static const Copies *running;
  std::vector<std::pair<Place, Place>> moves;
};

const Copies *Copies::running = nullptr;

constexpr Place input = {0, 4 * line}, whole = {0, 4 * line},
                behind = {4 * line, line};

TEST(Rehearsal, ReadsValuesAndTheirParts) {
  EXPECT_EQ(Copies({{input, whole}, {whole, {4 * line, 4 * line}}}).rehearse(),
            "");
  for (int64_t first = 0; first < 4; ++first)
    EXPECT_EQ(
        Copies({{input, whole}, {{first * line, line}, behind}}).rehearse(), "")
        << first;
}

TEST(Rehearsal, NothingBeyondAValue) {
  for (Place from : {Place{3 * line, 2 * line}, Place{4 * line, line},
                     Place{line, 4 * line}, Place{8 * line, line}}) {
    std::string wrong =
        Copies({{input, whole}, {from, {16 * line, 4 * line}}}).rehearse();
    EXPECT_NE(wrong.find("where no kernel wrote a value"), std::string::npos)
        << from.offset << " " << wrong;
  }
}

TEST(Rehearsal, NoPartOfAValueThatIsGone) {
  const Place second = {line, line}, third = {2 * line, line};
  // Of what was written over a part of the value, it is read.
  EXPECT_EQ(
      Copies({{input, whole}, {third, second}, {second, behind}}).rehearse(),
      "");
  for (Place from : {whole, third, Place{0, line}}) {
    std::string wrong =
        Copies({{input, whole}, {third, second}, {from, behind}}).rehearse();
    EXPECT_NE(wrong.find("where no kernel wrote a value"), std::string::npos)
        << from.offset << " " << wrong;
  }
}

} // namespace
} // namespace npu::runtime
