// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one program share what they pack of one constant.

#include "kernels/packed.h"
#include "kernels/support/vectors.h"
#include "test/kernels/testing.h"

#include <gtest/gtest.h>
#include <set>

namespace npu::kernels::testing {
namespace {

constexpr int64_t rows = 20, depth = 48, columns = 80;

/// Rows times a constant matrix in `layout`.
Problem product(int64_t count, const std::string &layout,
                int32_t dtype = NPU_F32) {
  Problem problem;
  problem.op = NPU_OP_MATMUL;
  problem.threads = 2;
  const bool isBytes = dtype != NPU_F32;
  problem.inputs = {tensor(isBytes ? NPU_U8 : NPU_F32, {count, depth}),
                    tensor(dtype, {depth, columns}, layout)};
  problem.outputs = {tensor(isBytes ? NPU_I32 : NPU_F32, {count, columns})};
  makeConstant(problem, 1);
  return problem;
}

/// Floats times the same bytes, read as int8.
Problem packedProduct(int64_t count) {
  Problem problem = product(count, "ab");
  problem.inputs[1].dtype = NPU_I8;
  return problem;
}

/// A program of several kernels of one constant.
class Program {
public:
  explicit Program(const npu_tensor_desc &constant)
      : data(static_cast<size_t>(storedBytes(constant))) {
    known.cover(data.data(), data.size());
    storeValues(constant, randomValues(constant, -5, 5, 3), data.data());
  }

  /// Bytes that packing it takes.
  size_t add(const Problem &problem, const void *constant = nullptr) {
    PackedScope scope(known);
    kernels.push_back(create(problem));
    const void *operands[] = {nullptr, constant ? constant : data.data()};
    return kernels.back()->pack(operands);
  }

  Buffer data;
  PackedConstants known;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

/// What the kernel gives for the problem's data, and what is right.
void expectRight(const Problem &problem, Program &program, size_t kernel) {
  std::vector<double> values = randomValues(problem.inputs[0], 0, 7, 11);
  Buffer x(static_cast<size_t>(storedBytes(problem.inputs[0]))),
      y(static_cast<size_t>(storedBytes(problem.outputs[0]))),
      scratch(program.kernels[kernel]->scratchBytes());
  storeValues(problem.inputs[0], values, x.data());
  void *operands[] = {x.data(), program.data.data(), y.data()};
  ASSERT_EQ(program.kernels[kernel]->run(operands, scratch.data()), 0);
  EXPECT_EQ(loadValues(problem.outputs[0], y.data()),
            runReference(problem, {values, loadValues(problem.inputs[1],
                                                      program.data.data())}));
}

TEST(Sharing, OneCopyForAllKernelsThatWantOneOrder) {
  for (int32_t dtype : {NPU_F32, NPU_I8}) {
    Problem problem = product(rows, "ab", dtype);
    Program program(problem.inputs[1]);
    const size_t first = program.add(problem);
    EXPECT_GT(first, 0u) << dtype;
    EXPECT_EQ(program.add(problem), 0u) << dtype;
    EXPECT_TRUE(program.kernels[1]->isPacked(1));
    expectRight(problem, program, 1);
    // It stays as long as one of them.
    program.kernels[0].reset();
    expectRight(problem, program, 1);
    program.kernels.pop_back();
    EXPECT_EQ(program.add(problem), first);
    expectRight(problem, program, program.kernels.size() - 1);
  }
}

TEST(Sharing, AnotherOrderIsAnotherCopy) {
  Problem straight = product(rows, "ab"), turned = product(rows, "ba");
  Program program(straight.inputs[1]);
  EXPECT_GT(program.add(straight), 0u);
  // The same bytes, read as the matrix of the other order.
  EXPECT_GT(program.add(turned), 0u);
  expectRight(straight, program, 0);
  expectRight(turned, program, 1);
}

TEST(Sharing, AnotherTypeIsAnotherCopy) {
  Problem floats = product(rows, "ab"), bytes = packedProduct(rows);
  Program program(floats.inputs[1]);
  EXPECT_GT(program.add(floats), 0u);
  EXPECT_GT(program.add(bytes), 0u);
  EXPECT_EQ(program.add(bytes), 0u);
  expectRight(floats, program, 0);
  expectRight(bytes, program, 2);
}

/// Where the data have a zero point, oneDNN stores sums of the weights beside
/// them: an average of bytes and a product of the same weights in one program.
TEST(Sharing, AnotherZeroPointIsAnotherCopy) {
  std::vector<Problem> problems;
  for (int32_t zero : {0, -128, 0, 7}) {
    Problem problem = convProblem(tensor(NPU_I8, {1, 3, 7, 8}, "acdb"), 3,
                                  {3, 2}, 1, 0, 3, "acdb", false);
    problem.outputs[0].dtype = NPU_I32;
    problem.attrs.conv.data_zero_point = zero;
    makeConstant(problem, 1);
    problems.push_back(problem);
  }
  Program program(problems[0].inputs[1]);
  for (const Problem &problem : problems)
    program.add(problem);
  for (size_t i = 0; i < problems.size(); ++i)
    expectRight(problems[i], program, i);
}

/// Memory that is gone when the next constant is there, at the same place, is
/// no constant of the program.
TEST(Sharing, OnlyConstantsOfTheProgram) {
  Problem problem = product(rows, "ab");
  Program program(problem.inputs[1]);
  Buffer other(static_cast<size_t>(storedBytes(problem.inputs[1])));
  const size_t first = program.add(problem, other.data());
  EXPECT_GT(first, 0u);
  EXPECT_EQ(program.add(problem, other.data()), first);
}

TEST(Sharing, NothingWithoutAScope) {
  Problem problem = product(rows, "ab");
  Program program(problem.inputs[1]);
  EXPECT_GT(program.add(problem), 0u);
  std::unique_ptr<Kernel> alone = create(problem);
  const void *operands[] = {nullptr, program.data.data()};
  EXPECT_GT(alone->pack(operands), 0u);
}

/// One copy for all kernels that want one order of the numbers; the taps of a
/// Winograd kernel and of the convolution that it is are in two.
TEST(Sharing, NumbersThatConstantsAreMadeOf) {
  if (!hasWideRegisters())
    GTEST_SKIP() << "without registers of 512 bits numbers are made real";
  Narrow narrow;
  narrow.numbers = tensor(NPU_I8, {64, 64, 3, 3});
  Buffer data(static_cast<size_t>(storedBytes(narrow.numbers)));
  storeValues(narrow.numbers, randomValues(narrow.numbers, -50, 50, 1),
              data.data());
  std::vector<float> each(64, 0.5F);
  each[3] = 2; // else one would do for all
  narrow.data = data.data();
  narrow.scales = each.data();
  const npu_tensor_desc x = tensor(NPU_F32, {1, 64, 9, 9}, "acdb");
  Problem winograd = winogradProblem(x, 64, 2, 1, "acdb", "cdab", false);
  winograd.narrow = narrow;
  Problem direct = convProblem(x, 64, {3, 3}, 1, 1, 1, "acdb", false);
  direct.narrow = narrow;
  PackedConstants known;
  known.cover(data.data(), data.size());
  PackedScope scope(known);
  std::vector<std::unique_ptr<Kernel>> kernels;
  auto pack = [&](const Problem &problem) {
    kernels.push_back(create(problem));
    const void *operands[3] = {};
    return kernels.back()->pack(operands);
  };
  const size_t scales = 64 * sizeof(float);
  EXPECT_EQ(pack(winograd), data.size() + scales);
  EXPECT_EQ(pack(winograd), scales);
  EXPECT_EQ(pack(direct), data.size() + scales);
  Problem kept = winograd;
  kept.keepsNan = true;
  EXPECT_EQ(pack(kept), scales);
}

} // namespace
} // namespace npu::kernels::testing
