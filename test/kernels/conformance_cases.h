// SPDX-License-Identifier: Apache-2.0
//
// What the conformance tests share: one problem run through every entry of the
// registry, and the chains that a convolution is fused with. For one test
// program only, so everything has internal linkage.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_CASES_H
#define NPU_TEST_KERNELS_CONFORMANCE_CASES_H

#include "kernels/registry.h"
#include "test/every_case.h"
#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace npu::kernels::testing {
namespace {

using Values = std::vector<double>;

struct Case {
  Problem problem;
  double tolerance = 0; // relative to 1 + |expected|
  int nanEach = 0;      // one element of so many of the data is NaN; 0: none
};

const char *const layouts4[] = {"abcd", "acdb", "aBcd16b", "aBcd8b"};

/// Cases that each entry ran and was right about; one without any is untested.
std::map<std::pair<int32_t, std::string>, int> tried;

struct Entry {
  std::string name;
  std::unique_ptr<Kernel> kernel;
};

/// The kernels that take the problem; where it is not in the sample, of those
/// alone that were not tried yet.
std::vector<Entry> entriesFor(const Problem &p, bool isInSample) {
  EXPECT_EQ(validate(p), "");
  std::vector<Entry> taking;
  for (const Implementation &entry : implementations(p.op)) {
    if (!isInSample && tried[{p.op, entry.name}] > 0)
      continue;
    std::string whyNot; // a reason of the last one would be this one's
    if (auto kernel = entry.create(p, whyNot))
      taking.push_back({entry.name, std::move(kernel)});
    else
      EXPECT_NE(whyNot, "") << entry.name;
  }
  return taking;
}

void compare(const Case &one, const std::vector<Entry> &entries,
             const std::vector<Values> &inputs) {
  if (entries.empty())
    return;
  const Problem &p = one.problem;
  std::string title = "op " + std::to_string(p.op);
  for (const npu_tensor_desc &input : p.inputs)
    title += ", " + describe(input);
  title += " -> " + describe(p.outputs[0]) + " with " +
           std::to_string(p.instrs.size()) + " instructions, threads " +
           std::to_string(p.threads);
  SCOPED_TRACE(title);
  Values expected = runReference(p, inputs);
  for (const Entry &entry : entries) {
    Values found = runKernel(*entry.kernel, p, inputs);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == expected[i] ||
          (std::isnan(found[i]) && std::isnan(expected[i])))
        continue;
      ASSERT_LE(std::fabs(found[i] - expected[i]),
                one.tolerance * (1 + std::fabs(expected[i])))
          << entry.kernel->implementation() << ", element " << i << ": "
          << found[i] << ", expected " << expected[i];
    }
    ++tried[{p.op, entry.name}];
  }
}

void compareAll(const Case &one, const std::vector<Values> &inputs) {
  compare(one, entriesFor(one.problem, true), inputs);
}

/// A third of all cases, drawn: each third would be some layouts'. Under
/// sanitizers, which take five times the time, a ninth, of the others.
bool isInSample() {
  static std::minstd_rand random; // the same cases in each run
  const auto ninth = random() % 9;
#if __has_feature(address_sanitizer)
  return test::isEveryCase() || ninth == 0;
#else
  return test::isEveryCase() || ninth >= 6;
#endif
}

void check(const Case &one, const std::vector<Values> &inputs) {
  compare(one, entriesFor(one.problem, isInSample()), inputs);
}

void check(const Case &one, uint32_t seed) {
  auto entries = entriesFor(one.problem, isInSample());
  if (entries.empty())
    return;
  auto inputs = inputsFor(one.problem, seed);
  if (one.nanEach)
    for (size_t i = seed % 5; i < inputs[0].size(); i += one.nanEach)
      inputs[0][i] = std::nan("");
  compare(one, entries, inputs);
}

/// The same with a cast fused behind it.
void checkWithCast(Case one, uint32_t seed) {
  Problem &p = one.problem;
  p.instrs = {
      unary(NPU_INSTR_cast, static_cast<int>(p.inputs.size()), 0, 0, NPU_F32)};
  p.outputs[0].dtype = NPU_F32;
  check(one, seed);
}

/// The chains that a convolution is fused with. `extra` is the number of the
/// first input behind the proper ones, `result` the number of the result.
struct Chain {
  const char *name;
  std::vector<npu_tensor_desc> extras;
  std::vector<npu_instr> instrs; // numbers relative, see addChain
  int inPlaceExtra = -1;
  double tolerance = 0;
};

/// Instruction operands of a Chain: extras count from 100, values from 200.
int16_t resolve(int16_t v, size_t inputs, size_t allInputs) {
  if (v >= 200)
    return static_cast<int16_t>(static_cast<size_t>(v - 200) + allInputs);
  if (v >= 100)
    return static_cast<int16_t>(static_cast<size_t>(v - 100) + inputs);
  return v;
}

void addChain(Case &one, const Chain &chain) {
  Problem &p = one.problem;
  size_t proper = p.inputs.size();
  for (const npu_tensor_desc &extra : chain.extras)
    p.inputs.push_back(extra);
  for (npu_instr instr : chain.instrs) {
    for (int16_t *v : {&instr.a, &instr.b, &instr.c})
      *v = resolve(*v, proper, p.inputs.size());
    p.instrs.push_back(instr);
  }
  if (chain.inPlaceExtra >= 0)
    p.inPlaceInput = chain.inPlaceExtra + static_cast<int>(proper);
  one.tolerance = std::max(one.tolerance, chain.tolerance);
}

std::vector<Chain> chainsFor(const npu_tensor_desc &y) {
  std::vector<int64_t> channel(static_cast<size_t>(y.rank), 1), image = channel;
  channel[1] = y.dims[1];
  image[0] = y.dims[0];
  image[1] = y.dims[1];
  npu_tensor_desc full = y, perChannel = tensor(NPU_F32, channel),
                  perImage = tensor(NPU_F32, image),
                  single = tensor(NPU_F32, {1});
  std::string rowMajor =
      std::string("abcde").substr(0, static_cast<size_t>(y.rank));
  npu_tensor_desc other =
      tensor(NPU_F32, std::vector<int64_t>(y.dims, y.dims + y.rank), rowMajor);
  return {
      {"none", {}, {}},
      {"relu", {}, {unary(NPU_INSTR_relu, 200)}},
      {"clip", {}, {unary(NPU_INSTR_clip, 200, -2.5f, 6)}},
      {"hard swish",
       {},
       {unary(NPU_INSTR_hard_swish, 200, 0.25f, 0.5f)},
       -1,
       1e-5},
      {"sigmoid", {}, {unary(NPU_INSTR_sigmoid, 200)}, -1, 1e-4},
      {"residual, relu",
       {full},
       {binary(NPU_INSTR_add, 200, 100), unary(NPU_INSTR_relu, 201)}},
      {"residual in place, relu",
       {full},
       {binary(NPU_INSTR_add, 100, 200), unary(NPU_INSTR_relu, 201)},
       0},
      {"relu, residual in place",
       {full},
       {unary(NPU_INSTR_relu, 200), binary(NPU_INSTR_add, 201, 100)},
       0},
      {"in place product", {full}, {binary(NPU_INSTR_mul, 200, 100)}, 0},
      {"residual in another layout",
       {other},
       {binary(NPU_INSTR_add, 200, 100)}},
      {"per channel",
       {perChannel, single},
       {binary(NPU_INSTR_mul, 200, 100), binary(NPU_INSTR_sub, 101, 201)}},
      {"per image", {perImage}, {binary(NPU_INSTR_mul, 200, 100)}},
      {"swish of itself",
       {},
       {unary(NPU_INSTR_hard_sigmoid, 200, 0.25f, 0.5f),
        binary(NPU_INSTR_mul, 201, 200)},
       -1,
       1e-5},
      {"not zero at zero", {}, {unary(NPU_INSTR_softplus, 200)}, -1, 1e-4},
      {"positive at zero",
       {},
       {unary(NPU_INSTR_hard_sigmoid, 200, 0.5f, 0.5f)}},
  };
}

/// A convolution whose windows are not pointwise.
struct WindowShape {
  std::vector<int64_t> dims, window;
  int64_t results, stride, pad, dilation;
  const char *layout;
};

/// What is fused behind such convolutions: every way in which it reads sums.
const char *const windowChains[] = {"none", "relu", "residual in place, relu",
                                    "per image", "swish of itself"};

/// In one to three threads, every second with a bias.
Case windowCase(const WindowShape &s, const std::string &chain, uint32_t seed) {
  Case one;
  one.problem =
      convProblem(tensor(NPU_F32, s.dims, s.layout), s.results, s.window,
                  s.stride, s.pad, 1, s.layout, seed % 2, s.dilation);
  one.problem.threads = 1 + static_cast<int>(seed % 3);
  for (const Chain &each : chainsFor(one.problem.outputs[0]))
    if (each.name == chain)
      addChain(one, each);
  return one;
}

npu_tensor_desc image(int64_t n, int64_t c, int64_t h, int64_t w,
                      const std::string &layout, int32_t dtype = NPU_F32) {
  return tensor(dtype, {n, c, h, w}, layout);
}

} // namespace
} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_CASES_H
