// SPDX-License-Identifier: Apache-2.0
//
// As OpErrorsTest, for what onnxruntime's optimizer and its exporters of
// language models write.
#include "test/compiler/Frontend/ONNX/BadNode.h"

using namespace npu::test;
using onnx::TensorProto;

namespace {

class RuntimeOpErrors : public testing::TestWithParam<BadNode> {};

TEST_P(RuntimeOpErrors, IsOneErrorThatNamesTheNode) {
  expectRefused(GetParam());
}

/// A node of onnxruntime's domain with the results "y" and `more`.
NodeBuilder add(ModelBuilder &m, const std::string &op, const Names &inputs,
                const Names &more = {}) {
  Names results{"y"};
  results.insert(results.end(), more.begin(), more.end());
  NodeBuilder node = m.node(op, inputs, results);
  node->set_domain("com.microsoft");
  return node;
}

/// An int32 constant or input.
void lengths(ModelBuilder &m, const std::string &name, const Shape &values) {
  m.ints(name + "64", values);
  m.node("Cast", {name + "64"}, {name}).integer("to", TensorProto::INT32);
}

const BadNode steps[] = {
    {"Bias",
     [](ModelBuilder &m) {
       m.weight("b", {4});
       add(m, "BiasGelu", {"x", "b"});
     },
     "found input 1 'B' of shape 4 for data of shape 1x4x6x6, expected a "
     "vector for the last dimension"},
    {"Activation",
     [](ModelBuilder &m) {
       m.input("a", {2, 3}).weight("b", {3, 4});
       add(m, "FusedGemm", {"a", "b"}).text("activation", "Selu");
     },
     "unsupported: attribute 'activation' is 'Selu', expected one of Clip, "
     "Elu, HardSigmoid, LeakyRelu, Relu, Sigmoid, Softplus, Tanh"},
    {"ActivationParameters",
     [](ModelBuilder &m) {
       add(m, "FusedConv", {"x", "w"})
           .text("activation", "Clip")
           .numbers("activation_params", {1});
     },
     "has 1 parameters for Clip, expected 2"},
    {"ActivationOfGemm",
     [](ModelBuilder &m) {
       m.input("a", {2, 3}).weight("b", {3, 4});
       add(m, "FusedGemm", {"a", "b"}).text("activation", "LeakyRelu");
     },
     "has 0 parameters for LeakyRelu, expected 1"},
    {"Summand",
     [](ModelBuilder &m) {
       m.input("z", {1, 8, 6, 6});
       add(m, "FusedConv", {"x", "w", "", "z"});
     },
     "found a summand of shape 1x8x6x6, expected that of the result, 1x8x4x4"},
    {"ConvWeight",
     [](ModelBuilder &m) {
       m.weight("flat", {4, 4});
       add(m, "FusedConv", {"x", "flat"});
     },
     "found a weight of shape 4x4, expected 1 to 3 spatial dimensions"},
    {"GemmRank", [](ModelBuilder &m) { add(m, "FusedGemm", {"x", "x"}); },
     "found operands of shape 1x4x6x6 and 1x4x6x6, expected matrices"},
    {"Scalar",
     [](ModelBuilder &m) {
       m.weight("s", {}, {1});
       add(m, "FusedMatMul", {"s", "x"});
     },
     "found an operand of shape scalar, expected a vector or matrices"},
    {"BatchInside",
     [](ModelBuilder &m) {
       m.weight("b", {3, 4});
       add(m, "FusedMatMul", {"x", "b"}).integer("transBatchB", 1);
     },
     "found an operand of shape 3x4, expected three dimensions or more"},
};

/// Data of 2 samples, 3 tokens and 4 numbers, and a scale.
NodeBuilder addSkip(ModelBuilder &m, const std::string &op, Names inputs,
                    const Names &more = {}) {
  m.input("d", {2, 3, 4}).input("few", {2, 1, 4}).weight("g", {4});
  m.weight("wide", {5}).input("row", {4});
  return add(m, op, inputs, more);
}

/// Tokens of 2 samples; tables of 7 words and 9 places.
void addEmbedding(ModelBuilder &m, const Names &inputs) {
  for (const char *name : {"ids", "segments", "mask"})
    m.input(name, {2, 3}, TensorProto::INT32);
  m.input("cut", {2, 2}, TensorProto::INT32);
  m.input("flat", {6}, TensorProto::INT32);
  m.weight("words", {7, 4}).weight("places", {9, 4}).weight("g", {4});
  m.weight("cube", {7, 4, 1});
  add(m, "EmbedLayerNormalization", inputs, {"counts"});
}

const BadNode norms[] = {
    {"Skip",
     [](ModelBuilder &m) {
       addSkip(m, "SkipLayerNormalization", {"d", "few", "g"});
     },
     "found data of shape 2x3x4 and a skipped part of shape 2x1x4, expected "
     "the same, or one for all samples"},
    {"SkipOfRows",
     [](ModelBuilder &m) {
       addSkip(m, "SkipLayerNormalization", {"row", "row", "g"});
     },
     "found data of shape 4 and a skipped part of shape 4"},
    {"Gamma",
     [](ModelBuilder &m) {
       addSkip(m, "SkipSimplifiedLayerNormalization", {"d", "d", "wide"});
     },
     "found input 2 'gamma' of shape 5 for data of shape 2x3x4"},
    {"Beta",
     [](ModelBuilder &m) {
       addSkip(m, "SkipLayerNormalization", {"d", "d", "g", "wide"});
     },
     "found input 3 'beta' of shape 5 for data of shape 2x3x4"},
    {"SkipBias",
     [](ModelBuilder &m) {
       addSkip(m, "SkipLayerNormalization", {"d", "d", "g", "g", "wide"});
     },
     "found input 4 'bias' of shape 5 for data of shape 2x3x4"},
    {"Mean",
     [](ModelBuilder &m) {
       addSkip(m, "SkipLayerNormalization", {"d", "d", "g"}, {"mean"});
     },
     "unsupported: gives the mean or the inverse deviation as result 1 or 2"},
    {"Tokens",
     [](ModelBuilder &m) {
       addEmbedding(m, {"flat", "", "words", "places", "", "g", "g"});
     },
     "found tokens of shape 6, expected batch and sequence"},
    {"Segments",
     [](ModelBuilder &m) {
       addEmbedding(m, {"ids", "segments", "words", "places", "", "g", "g"});
     },
     "has segments or their table without the other"},
    {"SegmentsShape",
     [](ModelBuilder &m) {
       addEmbedding(m, {"ids", "cut", "words", "places", "words", "g", "g"});
     },
     "found tokens of shape 2x2, expected 2x3"},
    {"Table",
     [](ModelBuilder &m) {
       addEmbedding(m, {"ids", "", "cube", "places", "", "g", "g"});
     },
     "found a table of shape 7x4x1, expected two dimensions"},
    {"Counts",
     [](ModelBuilder &m) {
       addEmbedding(m, {"ids", "", "words", "places", "", "g", "g", "cut"});
     },
     "found a mask of shape 2x2, expected 2x3"},
    {"EmbeddingScale",
     [](ModelBuilder &m) {
       m.weight("wide", {5});
       addEmbedding(m, {"ids", "", "words", "places", "", "wide", "g"});
     },
     "found a scale or bias of shape 5, expected 4, the last dimension"},
};

/// Attention of 2 samples, 3 tokens, 8 numbers; as many of queries, keys and
/// values.
NodeBuilder attend(ModelBuilder &m, const Names &inputs,
                   const Names &more = {}) {
  m.input("d", {2, 3, 8}).weight("ws", {8, 24}).weight("bs", {24});
  m.weight("flat", {24}).input("past", {2, 2, 2, 5, 4});
  m.input("oldpast", {2, 2, 2, 5, 3});
  lengths(m, "five", {1, 2, 3, 4, 5});
  m.input("mask", {2, 4}, TensorProto::INT32);
  m.input("large", {2, 1, 8, 8}, TensorProto::INT32);
  m.input("bias", {2, 2, 3, 4});
  return add(m, "Attention", inputs, more).integer("num_heads", 2);
}

const BadNode attentions[] = {
    {"Weights", [](ModelBuilder &m) { attend(m, {"d", "d", "bs"}); },
     "found data of shape 2x3x8 and weights of shape 2x3x8"},
    {"Sizes",
     [](ModelBuilder &m) {
       attend(m, {"d", "ws", "bs"}).integers("qkv_hidden_sizes", {8, 6, 10});
     },
     "found weights of shape 8x24 for queries, keys and values of 8x6x10 "
     "columns"},
    {"Heads",
     [](ModelBuilder &m) {
       m.input("d", {2, 3, 8}).weight("ws", {8, 24});
       add(m, "Attention", {"d", "ws"}).integer("num_heads", 3);
     },
     "3 heads to divide each"},
    {"Bias", [](ModelBuilder &m) { attend(m, {"d", "ws", "past"}); },
     "found a bias of shape 2x2x2x5x4, expected 24, one for each column"},
    {"Rotary",
     [](ModelBuilder &m) {
       attend(m, {"d", "ws", "bs"}).integer("do_rotary", 1);
     },
     "unsupported: attribute 'do_rotary' is 1, expected 0"},
    {"SharedBuffer",
     [](ModelBuilder &m) {
       attend(m, {"d", "ws", "bs"}).integer("past_present_share_buffer", 1);
     },
     "unsupported: attribute 'past_present_share_buffer' is 1, expected 0: "
     "npuc gives the cache as a result of its own"},
    {"Lengths", [](ModelBuilder &m) { attend(m, {"d", "ws", "bs", "five"}); },
     "found lengths of shape 5, expected 2, twice that or 2 more than three "
     "times that"},
    {"Mask", [](ModelBuilder &m) { attend(m, {"d", "ws", "bs", "mask"}); },
     "found a mask of shape 2x4, expected lengths, 2x3 or 2x3x3"},
    {"LargeMask",
     [](ModelBuilder &m) { attend(m, {"d", "ws", "bs", "large"}); },
     "found a mask of shape 2x1x8x8, expected lengths"},
    {"Past",
     [](ModelBuilder &m) {
       attend(m, {"d", "ws", "bs", "", "oldpast"}, {"now"});
     },
     "found a cache of shape 2x2x2x5x3, expected 2, 2, 2, any, 4"},
    {"PastOfWideValues",
     [](ModelBuilder &m) {
       attend(m, {"d", "ws", "bs", "", "past"}, {"now"})
           .integers("qkv_hidden_sizes", {8, 8, 8})
           .integer("unidirectional", 2);
     },
     "attribute 'unidirectional' is 2, expected 0 to 1"},
    {"PresentOfWideValues",
     [](ModelBuilder &m) {
       attend(m, {"d", "ws", "bs"}, {"now"})
           .integers("qkv_hidden_sizes", {6, 6, 12});
     },
     "gives a cache of keys of shape 2x2x3x3 and values of shape 2x2x3x6"},
    {"ScoreBias",
     [](ModelBuilder &m) { attend(m, {"d", "ws", "bs", "", "", "bias"}); },
     "found a bias of scores of shape 2x2x3x4, expected 2x2x3x3, where the "
     "first two may be 1"},
};

/// MultiHeadAttention of 2 samples and 2 heads of 4: queries of 3 tokens, keys
/// and values of 5.
NodeBuilder attendApart(ModelBuilder &m, const Names &inputs,
                        const Names &more = {}) {
  m.input("q", {2, 3, 8}).input("k", {2, 5, 8}).input("vs", {2, 5, 6});
  m.input("kh", {2, 2, 5, 4}).input("vh", {2, 2, 6, 4}).input("qk", {2, 3, 9});
  m.input("past", {2, 2, 7, 4}).input("pastv", {2, 2, 6, 3});
  m.input("packed", {2, 3, 2, 2, 4}).weight("b", {22}).weight("few", {21});
  lengths(m, "four", {1, 2, 3, 4});
  return add(m, "MultiHeadAttention", inputs, more).integer("num_heads", 2);
}

const BadNode multiHeads[] = {
    {"QueriesAlone", [](ModelBuilder &m) { attendApart(m, {"q"}); },
     "found queries, keys and values of shapes 2x3x8, none and none"},
    {"PackedTwice", [](ModelBuilder &m) { attendApart(m, {"packed"}); },
     "found queries, keys and values of shapes 2x3x2x2x4, none and none"},
    {"Ranks", [](ModelBuilder &m) { attendApart(m, {"q", "k", "vh"}); },
     "found queries, keys and values of shapes 2x3x8, 2x5x8 and 2x2x6x4"},
    {"Fit", [](ModelBuilder &m) { attendApart(m, {"q", "kh", "vh"}); },
     "found queries, keys and values of heads of shapes 2x2x3x4, 2x2x5x4 and "
     "2x2x6x4, which do not fit one another"},
    {"Heads", [](ModelBuilder &m) { attendApart(m, {"qk", "k", "vs"}); },
     "found data of shape 2x3x9, expected a last dimension that 2 heads "
     "divide"},
    {"Bias", [](ModelBuilder &m) { attendApart(m, {"q", "k", "vs", "few"}); },
     "found a bias of shape 21, expected one number for each"},
    {"BiasOfHeads",
     [](ModelBuilder &m) { attendApart(m, {"q", "kh", "kh", "b"}); },
     "found a bias of shape 22, expected one number for each"},
    {"Lengths",
     [](ModelBuilder &m) { attendApart(m, {"q", "k", "vs", "", "four"}); },
     "found lengths of shape 4, expected 2 or 2 more than three times that"},
    {"HalfAPast",
     [](ModelBuilder &m) {
       attendApart(m, {"q", "k", "vs", "", "", "", "past"});
     },
     "has a past key or value without the other"},
    {"Past",
     [](ModelBuilder &m) {
       attendApart(m, {"q", "k", "vs", "", "", "", "past", "pastv"});
     },
     "found a cache of shape 2x2x6x3 for heads of shape 2x2x5x3"},
    {"PastLength",
     [](ModelBuilder &m) {
       attendApart(m, {"q", "k", "vs", "", "", "", "", "", "four"});
     },
     "unsupported: has input 8 'past_sequence_length', expected none"},
    {"Beams",
     [](ModelBuilder &m) {
       m.input("beams", {2, 1, 7}, TensorProto::INT32);
       attendApart(m, {"q", "k", "vs", "", "", "", "", "", "", "beams"});
     },
     "unsupported: has input 9 'cache_indirection', expected none"},
    {"Scores",
     [](ModelBuilder &m) {
       attendApart(m, {"q", "k", "vs"}, {"", "", "scores"});
     },
     "unsupported: gives scores as result 3 'qk'"},
    {"Causal",
     [](ModelBuilder &m) {
       attendApart(m, {"q", "k", "vs"}).integer("unidirectional", 1);
     },
     "unsupported: is unidirectional with 3 queries and 5 keys, expected as "
     "many of both"},
};

const BadNode rotaries[] = {
    {"Rank",
     [](ModelBuilder &m) {
       m.input("d", {3, 8}).weight("c", {9, 4});
       add(m, "RotaryEmbedding", {"d", "v", "c", "c"});
     },
     "found data of shape 3x8 and cosines of shape 9x4"},
    {"Places",
     [](ModelBuilder &m) {
       m.input("d", {2, 3, 8}).weight("c", {9, 4});
       add(m, "RotaryEmbedding", {"d", "v", "c", "c"});
     },
     "found places of shape 4, expected 1 or 2x3"},
    {"Tables",
     [](ModelBuilder &m) {
       m.input("d", {2, 3, 8}).weight("c", {9, 4}).weight("s", {9, 3});
       add(m, "RotaryEmbedding", {"d", "v", "c", "s"});
     },
     "found cosines and sines of shapes 9x4 and 9x3, expected the same of "
     "both and at most 4 columns"},
    {"Part",
     [](ModelBuilder &m) {
       m.input("d", {2, 3, 8}).weight("c", {9, 2});
       add(m, "RotaryEmbedding", {"d", "v", "c", "c"})
           .integer("rotary_embedding_dim", 4);
     },
     "rotates 4 numbers of 0 heads by 2 angles, expected two numbers for each "
     "and num_heads"},
    {"UnnamedPart",
     [](ModelBuilder &m) {
       m.input("d", {2, 2, 3, 8}).weight("c", {9, 2}).ints("p", {1});
       add(m, "RotaryEmbedding", {"d", "p", "c", "c"});
     },
     "rotates 4 of 8 numbers, expected all of them or 'rotary_embedding_dim'"},
    {"Scale",
     [](ModelBuilder &m) {
       m.input("d", {2, 3, 8}).weight("c", {9, 4});
       add(m, "RotaryEmbedding", {"d", "v", "c", "c"}).number("scale", 2);
     },
     "unsupported: attribute 'scale' is not 1"},
    {"PlaceBeyondTheTable",
     [](ModelBuilder &m) {
       m.input("d", {2, 3, 8}).weight("c", {9, 4}).ints("p", {7});
       add(m, "RotaryEmbedding", {"d", "p", "c", "c"});
     },
     "index 9 at [0, 2] of its indices is outside"},
};

/// GroupQueryAttention of 2 samples and 4 heads of 8 on 2 of keys; 3 tokens, or
/// one behind a cache of 5. "" for the first operands stands for packed ones.
NodeBuilder attendInGroups(ModelBuilder &m, const Names &inputs,
                           const Names &more = {"key", "value"}) {
  m.input("q", {2, 3, 32}).input("k", {2, 3, 16}).input("one", {2, 1, 64});
  m.input("odd", {2, 3, 17}).input("short", {2, 2, 16});
  m.input("past", {2, 2, 5, 8}).input("other", {2, 2, 5, 4});
  m.input("free", {1}, TensorProto::INT32).weight("angles", {9, 4});
  lengths(m, "two", {2, 2});
  lengths(m, "far", {5, 9});
  lengths(m, "three", {3});
  lengths(m, "six", {6});
  lengths(m, "nine", {9});
  return add(m, "GroupQueryAttention", inputs, more)
      .integer("num_heads", 4)
      .integer("kv_num_heads", 2);
}

const BadNode groups[] = {
    {"Multiple",
     [](ModelBuilder &m) {
       lengths(m, "two", {2, 2});
       add(m, "GroupQueryAttention", {"x", "x", "x", "", "", "two", "two"})
           .integer("num_heads", 3)
           .integer("kv_num_heads", 2);
     },
     "has 3 heads of queries and 2 of keys, expected a multiple of these"},
    {"Rank",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "x", "k", "", "", "two", "three"});
     },
     "found queries, keys or values of shape 1x4x6x6, expected three "
     "dimensions"},
    {"KeysAlone",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "", "", "", "two", "three"});
     },
     "has keys or values without the other"},
    {"Divide",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "odd", "k", "", "", "two", "three"});
     },
     "found data of shape 2x3x17, expected a last dimension that 2 heads "
     "divide"},
    {"Fit",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "short", "", "", "two", "three"});
     },
     "found heads of queries, keys and values of shapes 2x3x4x8, 2x3x2x8 and "
     "2x2x2x8"},
    {"Total",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "free"});
     },
     "unsupported: takes the total length of sequences from 'free', which "
     "depends on the model's data, expected a constant; it is computed from "
     "'free', which can be made constant: use --bind-input=free=FILE.npy"},
    {"TotalBeyondTheCache",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "six"});
     },
     "found a total length of 6, expected 3 to 3, the new tokens and those of "
     "the cache"},
    {"Lengths",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "three", "three"});
     },
     "found lengths of shape 1, expected 2"},
    {"LengthBeyondTheTotal",
     [](ModelBuilder &m) {
       attendInGroups(m, {"one", "", "", "past", "past", "far", "six"});
     },
     "found a sequence of 10 tokens, expected 1 to 6, the total length"},
    {"HalfAPast",
     [](ModelBuilder &m) {
       attendInGroups(m, {"one", "", "", "past", "", "far", "six"});
     },
     "has a past key or value without the other"},
    {"Past",
     [](ModelBuilder &m) {
       attendInGroups(m, {"one", "", "", "past", "other", "far", "six"});
     },
     "found a cache of shape 2x2x5x4, expected 2, 2, any, 8"},
    {"Angles",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "three"})
           .integer("do_rotary", 1);
     },
     "attribute 'do_rotary' is 1, but there are no cosines and sines"},
    {"Places",
     [](ModelBuilder &m) {
       attendInGroups(
           m, {"q", "k", "k", "", "", "two", "three", "angles", "angles", "v"})
           .integer("do_rotary", 1);
     },
     "found places of shape 4, expected 2x3"},
    {"ScoreBias",
     [](ModelBuilder &m) {
       attendInGroups(
           m, {"q", "k", "k", "", "", "two", "three", "", "", "", "past"});
     },
     "found a bias of scores of shape 2x2x5x8, expected 2x4x3x3"},
    {"Sink",
     [](ModelBuilder &m) {
       m.weight("sink", {2});
       attendInGroups(
           m, {"q", "k", "k", "", "", "two", "three", "", "", "", "", "sink"});
     },
     "found a sink of shape 2, expected 4, one for each head"},
    {"HalfANorm",
     [](ModelBuilder &m) {
       m.weight("norm", {8});
       attendInGroups(m, {"q", "k", "k", "", "", "two", "three", "", "", "", "",
                          "", "", "", "norm"});
     },
     "has a norm of queries or keys without the other"},
    {"QuantizedCache",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "three"})
           .integer("kv_cache_bit_width", 8);
     },
     "unsupported: has a quantized cache"},
    {"SlidingCache",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "three"})
           .integer("sliding_window_cache", 1);
     },
     "unsupported: attribute 'sliding_window_cache' is 1"},
    {"Scores",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "three"},
                      {"key", "value", "scores"})
           .integer("qk_output", 1);
     },
     "unsupported: gives scores as result 3 'output_qk'"},
    {"WindowBothWays",
     [](ModelBuilder &m) {
       attendInGroups(m, {"q", "k", "k", "", "", "two", "three"})
           .integer("causal", 0)
           .integer("local_window_size", 2);
     },
     "has a window of 2 keys and is not causal"},
};

/// Bytes that are constants.
void bytes(ModelBuilder &m, const std::string &name, const Shape &shape,
           int type = TensorProto::UINT8) {
  onnx::TensorProto &tensor = *m.graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  size_t count = 1;
  for (int64_t extent : shape) {
    tensor.add_dims(extent);
    count *= static_cast<size_t>(extent);
  }
  tensor.set_raw_data(std::string(count, '\7'));
}

/// A table of 5 rows of 32 numbers of 4 bits in blocks of 16.
NodeBuilder gatherBlocks(ModelBuilder &m, const Names &inputs) {
  bytes(m, "table", {5, 16});
  bytes(m, "zeros", {5, 2});
  m.weight("scales", {5, 2}).weight("few", {5, 1});
  m.input("bytes", {5, 16}, TensorProto::UINT8);
  return add(m, "GatherBlockQuantized", inputs).integer("block_size", 16);
}

/// Bytes of 3 x 4 and 4 x 5, scales and zero points.
NodeBuilder multiplyBytes(ModelBuilder &m, const std::string &op,
                          const Names &inputs) {
  m.input("a", {3, 4}, TensorProto::UINT8).input("real", {3, 4});
  bytes(m, "b", {4, 5});
  bytes(m, "z", {});
  bytes(m, "zeros", {6});
  m.weight("s", {}, {0.5}).weight("six", {6}).weight("scalar", {}, {1});
  return add(m, op, inputs);
}

const BadNode quantized[] = {
    {"Axes",
     [](ModelBuilder &m) {
       gatherBlocks(m, {"table", "v", "scales"}).integer("gather_axis", 1);
     },
     "unsupported: gathers along axis 1 what is in blocks along 1, expected 0 "
     "and the last, 1"},
    {"Bits",
     [](ModelBuilder &m) {
       gatherBlocks(m, {"table", "v", "scales"}).integer("bits", 3);
     },
     "found 3 bits, expected 2, 4 or 8"},
    {"RuntimeTable",
     [](ModelBuilder &m) { gatherBlocks(m, {"bytes", "v", "scales"}); },
     "unsupported: takes a table that depends on the model's data"},
    {"Scales", [](ModelBuilder &m) { gatherBlocks(m, {"table", "v", "few"}); },
     "found scales of shape 5x1, expected 5x2"},
    {"ZeroPoints",
     [](ModelBuilder &m) {
       gatherBlocks(m, {"table", "v", "scales", "zeros"});
     },
     "found zero points of shape 5x2, expected 5x1"},
    {"DynamicScale",
     [](ModelBuilder &m) {
       multiplyBytes(m, "DynamicQuantizeMatMul", {"real", "b", "six"});
     },
     "found a scale or zero point of shape 6, expected one number or 1x5"},
    {"DynamicBias",
     [](ModelBuilder &m) {
       multiplyBytes(m, "DynamicQuantizeMatMul", {"real", "b", "s", "", "six"});
     },
     "found a bias of shape 6, expected 5, the number of columns"},
    {"DynamicScalar",
     [](ModelBuilder &m) {
       multiplyBytes(m, "DynamicQuantizeMatMul", {"scalar", "b", "s"});
     },
     "found a scalar operand, expected vectors or matrices"},
    {"ZeroPoint",
     [](ModelBuilder &m) {
       multiplyBytes(m, "MatMulIntegerToFloat",
                     {"a", "b", "s", "s", "", "zeros"});
     },
     "found a scale or zero point of shape 6, expected one number or 1x5"},
    {"QuantizedAttention",
     [](ModelBuilder &m) {
       m.input("d", {1, 3, 4}, TensorProto::UINT8).weight("s", {}, {1});
       bytes(m, "ws", {4, 12});
       m.weight("bias", {11});
       add(m, "QAttention", {"d", "ws", "bias", "s", "s"})
           .integer("num_heads", 2);
     },
     "found a bias of shape 11, expected 12, one for each column"},
    {"QuantizedAttentionScale",
     [](ModelBuilder &m) {
       m.input("d", {1, 3, 4}, TensorProto::UINT8).weight("s", {}, {1});
       bytes(m, "ws", {4, 12});
       m.weight("bias", {12}).weight("few", {5});
       add(m, "QAttention", {"d", "ws", "bias", "s", "few"})
           .integer("num_heads", 2);
     },
     "found a scale or zero point of shape 5, expected 12, one for each "
     "column"},
    {"QuantizedAttentionRotary",
     [](ModelBuilder &m) {
       m.input("d", {1, 3, 4}, TensorProto::UINT8).weight("s", {}, {1});
       bytes(m, "ws", {4, 12});
       m.weight("bias", {12});
       add(m, "QAttention", {"d", "ws", "bias", "s", "s"})
           .integer("num_heads", 2)
           .integer("do_rotary", 1);
     },
     "unsupported: attribute 'do_rotary' is 1, expected 0"},
};

INSTANTIATE_TEST_SUITE_P(Step, RuntimeOpErrors, testing::ValuesIn(steps),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Norm, RuntimeOpErrors, testing::ValuesIn(norms),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Attention, RuntimeOpErrors,
                         testing::ValuesIn(attentions), rowName);
INSTANTIATE_TEST_SUITE_P(MultiHead, RuntimeOpErrors,
                         testing::ValuesIn(multiHeads), rowName);
INSTANTIATE_TEST_SUITE_P(Rotary, RuntimeOpErrors, testing::ValuesIn(rotaries),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Group, RuntimeOpErrors, testing::ValuesIn(groups),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Quantized, RuntimeOpErrors,
                         testing::ValuesIn(quantized), rowName);

} // namespace
