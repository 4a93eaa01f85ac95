// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of convolutions of images by floats.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_CONV_H
#define NPU_TEST_KERNELS_CONFORMANCE_CONV_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {

TEST(Conformance, ConvLayoutsAndShapes) {
  const struct {
    int64_t c, o, size, kernel, stride, pad, groups, dilation;
  } shapes[] = {{3, 16, 11, 3, 2, 1, 1, 1},  {16, 32, 7, 1, 1, 0, 1, 1},
                {20, 20, 9, 3, 1, 1, 20, 1}, {32, 32, 8, 5, 2, 2, 32, 1},
                {8, 12, 6, 3, 1, 2, 4, 2},   {17, 5, 5, 1, 2, 0, 1, 1},
                {32, 16, 1, 1, 1, 0, 1, 1},  {6, 9, 10, 7, 1, 3, 3, 1}};
  uint32_t seed = 1;
  for (const auto &s : shapes)
    for (const char *in : layouts4)
      for (const char *out : layouts4)
        for (int64_t batch : {1, 3}) {
          Case one;
          one.problem = convProblem(image(batch, s.c, s.size, s.size + 1, in),
                                    s.o, {s.kernel, s.kernel}, s.stride, s.pad,
                                    s.groups, out, seed % 3 != 0, s.dilation);
          one.problem.threads = 1 + static_cast<int>(seed % 2);
          const char *orders[] = {"abcd", "cdba", "acdb", "ABcd4b4a",
                                  "ABcd16b16a"};
          one.problem.inputs[1] =
              tensor(NPU_F32, {s.o, s.c / s.groups, s.kernel, s.kernel},
                     orders[seed % 5]);
          if (seed % 4)
            makeConstant(one.problem, 1);
          check(one, seed++);
        }
}

/// Several filters for each channel, with and without gaps.
TEST(Conformance, ConvFiltersOfChannels) {
  uint32_t seed = 1200;
  for (int64_t filters : {2, 3, 5})
    for (int64_t channels : {2, 21, 32})
      for (int64_t dilation : {1, 2})
        for (const char *layout : {"acdb", "abcd", "ABcd16b"}) {
          Case one;
          one.problem = convProblem(image(2, channels, 9, 8, layout),
                                    channels * filters, {3, 2}, 2 - seed % 2, 1,
                                    channels, layout, seed % 3 != 0, dilation);
          one.problem.threads = 1 + static_cast<int>(seed % 2);
          check(one, seed++);
          addChain(one, chainsFor(one.problem.outputs[0])[0]);
          check(one, seed++);
        }
}

/// Rows for several bands of the kernel, or shorter than a vector; 1 to 3 axes.
TEST(Conformance, ConvDepthwise) {
  uint32_t seed = 900;
  for (int64_t stride : {1, 2, 3})
    for (int64_t dilation : {1, 2, 3})
      for (int64_t pad : {0, 1, 3}) {
        const struct {
          std::vector<int64_t> dims, kernel;
          const char *layout;
        } shapes[] = {{{2, 6, 150, 70}, {5, 3}, "abcd"},
                      {{1, 40, 14, 13}, {3, 5}, "abcd"},
                      {{3, 9, 200}, {4}, "abc"},
                      {{1, 7, 8, 9, 40}, {2, 3, 3}, "abcde"},
                      {{2, 83, 9, 21}, {3, 3}, "acdb"},
                      {{1, 16, 33}, {4}, "acb"},
                      {{1, 21, 6, 9, 12}, {2, 3, 3}, "acdeb"}};
        for (const auto &s : shapes) {
          Case one;
          one.problem = convProblem(tensor(NPU_F32, s.dims, s.layout),
                                    s.dims[1], s.kernel, stride, pad, s.dims[1],
                                    s.layout, seed % 3 != 0, dilation);
          one.problem.threads = 1 + static_cast<int>(seed % 2);
          check(one, seed++);
          addChain(one, chainsFor(one.problem.outputs[0])[0]);
          check(one, seed++);
        }
      }
}

/// The same of bf16, rounded behind what a tile's registers do or do not.
inline void checkBfloats(Case one, uint32_t seed) {
  Problem &p = one.problem;
  p.inputs[0].dtype = p.inputs[1].dtype = p.outputs[0].dtype = NPU_BF16;
  const auto proper = static_cast<int>(p.inputs.size());
  p.instrs = {seed % 2 ? unary(NPU_INSTR_clip, proper, 0, 6)
                       : unary(NPU_INSTR_swish, proper, 1),
              unary(NPU_INSTR_cast, proper + 1, 0, 0, NPU_BF16)};
  one.tolerance = 0.005;
  check(one, seed);
}

/// Tiles of a few pixels, images narrower than one, a last row alone, channels
/// that fill no vector, what is fused in registers and behind them.
TEST(Conformance, ConvPixels) {
  uint32_t seed = 950;
  for (int64_t window : {3, 5, 7})
    for (int64_t stride : {1, 2})
      for (int64_t pad : {int64_t{0}, int64_t{1}, window / 2, window}) {
        const std::vector<int64_t> shapes[] = {
            {1, 48, 11, 30}, {2, 300, 8, 9}, {1, 24, 7, 70}};
        for (const auto &dims : shapes) {
          Case bare;
          bare.problem = convProblem(tensor(NPU_F32, dims, "acdb"), dims[1],
                                     {window, window}, stride, pad, dims[1],
                                     "acdb", seed % 3 != 0);
          bare.problem.threads = 1 + static_cast<int>(seed % 2);
          check(bare, seed++);
          const std::vector<Chain> chains = chainsFor(bare.problem.outputs[0]);
          Case one = bare;
          addChain(one, chains[seed % chains.size()]);
          check(one, seed++);
          checkBfloats(bare, seed++);
        }
      }
}

/// Windows beyond an image narrower than they are, of more floats than a
/// vector, several panels of channels, and such as fill no vector.
TEST(Conformance, ConvFewChannels) {
  uint32_t seed = 970;
  const struct {
    std::vector<int64_t> dims, kernel;
    const char *layout;
  } shapes[] = {{{1, 3, 11, 40}, {3, 3}, "acdb"},
                {{2, 4, 9, 5}, {5, 7}, "acdb"},
                {{1, 1, 3, 90}, {2, 8}, "acdb"},
                {{2, 2, 60}, {6}, "acb"},
                {{1, 2, 5, 6, 12}, {2, 3, 3}, "acdeb"}};
  for (int64_t columns : {7, 20, 32, 150})
    for (int64_t stride : {1, 2, 4})
      for (int64_t pad : {0, 1, 4})
        for (const auto &s : shapes) {
          if (s.dims.back() + 2 * pad < s.kernel.back())
            continue;
          Case bare;
          bare.problem =
              convProblem(tensor(NPU_F32, s.dims, s.layout), columns, s.kernel,
                          stride, pad, 1, s.layout, seed % 3 != 0);
          bare.problem.threads = 1 + static_cast<int>(seed % 2);
          check(bare, seed++);
          const std::vector<Chain> chains = chainsFor(bare.problem.outputs[0]);
          Case one = bare;
          addChain(one, chains[seed % chains.size()]);
          check(one, seed++);
        }
}

TEST(Conformance, ConvChains) {
  uint32_t seed = 1000;
  for (const char *layout : layouts4)
    for (int64_t batch : {1, 3})
      for (bool depthwise : {false, true}) {
        Problem bare = convProblem(image(batch, 20, 6, 5, layout), 20, {3, 3},
                                   1, 1, depthwise ? 20 : 1, layout);
        for (const Chain &chain : chainsFor(bare.outputs[0])) {
          SCOPED_TRACE(chain.name);
          Case one;
          one.problem = bare;
          one.problem.threads = 2;
          addChain(one, chain);
          check(one, seed++);
        }
      }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_CONV_H
