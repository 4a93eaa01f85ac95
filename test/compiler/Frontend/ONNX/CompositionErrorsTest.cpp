// SPDX-License-Identifier: Apache-2.0
//
// As OpErrorsTest, for operators that are composed of others: losses, recurrent
// nets, signals, sampling, attention, control flow.
#include "test/compiler/Frontend/ONNX/BadNode.h"

using namespace npu::test;
using onnx::TensorProto;

namespace {

class CompositionErrors : public testing::TestWithParam<BadNode> {};

TEST_P(CompositionErrors, IsOneErrorThatNamesTheNode) {
  expectRefused(GetParam());
}

const BadNode losses[] = {
    {"ClassesShape",
     [](ModelBuilder &m) {
       m.node("NegativeLogLikelihoodLoss", {"x", "v"}, {"y"});
     },
     "found data of shape 1x4x6x6 and classes of shape 4"},
    {"UnknownClass",
     [](ModelBuilder &m) {
       m.input("p", {2, 3}).ints("c", {-1, 3});
       m.node("SoftmaxCrossEntropyLoss", {"p", "c"}, {"y"})
           .integer("ignore_index", 7);
     },
     "found the class 3, expected -3 to 2"},
    {"ClassWeights",
     [](ModelBuilder &m) {
       m.input("c", {1, 6, 6}, TensorProto::INT64).weight("u", {3});
       m.node("NegativeLogLikelihoodLoss", {"x", "c", "u"}, {"y"});
     },
     "found weights of shape 3, expected 4"},
    {"Reduction",
     [](ModelBuilder &m) {
       m.input("c", {1, 6, 6}, TensorProto::INT64);
       m.node("NegativeLogLikelihoodLoss", {"x", "c"}, {"y"})
           .text("reduction", "max");
     },
     "attribute 'reduction' is 'max'"},
};

/// Data of 5 steps, a batch of 2 and 3 numbers; an RNN of 4.
void recurrent(ModelBuilder &m) {
  m.input("s", {5, 2, 3}).weight("k", {1, 4, 3}).weight("r", {1, 4, 4});
}

void recurrentOfLengths(ModelBuilder &m, const Shape &lengths) {
  recurrent(m);
  m.ints("i", lengths);
  m.node("Cast", {"i"}, {"l"}).integer("to", TensorProto::INT32);
  m.node("RNN", {"s", "k", "r", "", "l"}, {"y"});
}

const BadNode recurrents[] = {
    {"Rank", [](ModelBuilder &m) { m.node("RNN", {"x", "w", "w"}, {"y"}); },
     "expected three dimensions each"},
    {"Weights",
     [](ModelBuilder &m) {
       recurrent(m);
       m.node("GRU", {"s", "k", "r"}, {"y"});
     },
     "found weights of shape 1x4x3, expected 1x12x3"},
    {"Biases",
     [](ModelBuilder &m) {
       recurrent(m);
       m.weight("b", {1, 4});
       m.node("RNN", {"s", "k", "r", "b"}, {"y"});
     },
     "found biases of shape 1x4, expected 1x8"},
    {"ScaleOfByteWeights",
     [](ModelBuilder &m) {
       m.input("s", {5, 2, 3}).input("k", {1, 3, 16}, TensorProto::UINT8);
       m.input("r", {1, 4, 16}, TensorProto::UINT8).weight("ks", {2});
       m.weight("rs", {1}).input("z", {1}, TensorProto::UINT8);
       NodeBuilder node = m.node(
           "DynamicQuantizeLSTM",
           {"s", "k", "r", "", "", "", "", "", "ks", "z", "rs", "z"}, {"y"});
       node->set_domain("com.microsoft");
     },
     "found a scale or zero point of shape 2, expected 1 or 1x16"},
    {"HiddenSize",
     [](ModelBuilder &m) {
       recurrent(m);
       m.node("RNN", {"s", "k", "r"}, {"y"}).integer("hidden_size", 5);
     },
     "attribute 'hidden_size' is 5, but the recurrent weights are for 4"},
    {"LengthBeyondTheData",
     [](ModelBuilder &m) { recurrentOfLengths(m, {5, 6}); },
     "found a sequence of length 6, expected 0 to 5"},
    {"NegativeLength", [](ModelBuilder &m) { recurrentOfLengths(m, {-1, 5}); },
     "found a sequence of length -1, expected 0 to 5"},
    {"InitialState",
     [](ModelBuilder &m) {
       recurrent(m);
       m.weight("h", {1, 1, 4});
       m.node("RNN", {"s", "k", "r", "", "", "h"}, {"y"});
     },
     "found an initial state of shape 1x1x4, expected 1x2x4"},
    {"Direction",
     [](ModelBuilder &m) {
       recurrent(m);
       m.node("RNN", {"s", "k", "r"}, {"y"}).text("direction", "back");
     },
     "attribute 'direction' is 'back'"},
    {"Activation",
     [](ModelBuilder &m) {
       recurrent(m);
       m.node("RNN", {"s", "k", "r"}, {"y"}).texts("activations", {"Gelu"});
     },
     "attribute 'activations' has 'Gelu'"},
    {"Activations",
     [](ModelBuilder &m) {
       recurrent(m);
       m.node("RNN", {"s", "k", "r"}, {"y"})
           .texts("activations", {"Tanh", "Tanh"});
     },
     "attribute 'activations' has 2 entries, expected 1"},
};

const BadNode signals[] = {
    {"Window",
     [](ModelBuilder &m) {
       m.number("n", 0);
       m.node("HannWindow", {"n"}, {"y"});
     },
     "found a window of 0, expected 1 or more"},
    {"LongWindow",
     [](ModelBuilder &m) {
       m.number("n", LLONG_MAX);
       m.node("HannWindow", {"n"}, {"y"});
     },
     "unsupported: takes at least 4611686018427387904 bytes of constants"},
    {"WindowOfData",
     [](ModelBuilder &m) { m.node("HannWindow", {"v"}, {"y"}); },
     "unsupported: takes the size from 'v', which depends on the model's data"},
    {"Edges",
     [](ModelBuilder &m) {
       m.number("n", 8).weight("low", {}, {5}).weight("high", {}, {1});
       m.node("MelWeightMatrix", {"n", "n", "n", "low", "high"}, {"y"});
     },
     "expected rising edges within the rate"},
    {"Parts", [](ModelBuilder &m) { m.node("DFT", {"x"}, {"y"}); },
     "expected a last dimension of 1 or 2"},
    {"PartsAxis",
     [](ModelBuilder &m) {
       m.input("s", {1, 8, 1});
       m.node("DFT", {"s"}, {"y"}).integer("axis", 2);
     },
     "axis 2 holds the parts of the numbers"},
    {"OneSided",
     [](ModelBuilder &m) {
       m.input("s", {1, 8, 2});
       m.node("DFT", {"s"}, {"y"}).integer("onesided", 1);
     },
     "found numbers of 2 parts, where one side of the spectrum needs 1"},
    {"StftRank",
     [](ModelBuilder &m) {
       m.input("s", {1, 2, 8, 1}).number("n", 4);
       m.node("STFT", {"s", "n", "", "n"}, {"y"});
     },
     "expected N, length and 1 part"},
    {"Frames",
     [](ModelBuilder &m) {
       m.input("s", {1, 8, 1}).number("n", 9);
       m.node("STFT", {"s", "n", "", "n"}, {"y"});
     },
     "found frames of 9 with steps of 9 in a signal of 8"},
    {"FrameWindow",
     [](ModelBuilder &m) {
       m.input("s", {1, 8, 1}).number("n", 4).weight("u", {3});
       m.node("STFT", {"s", "n", "u", "n"}, {"y"});
     },
     "found a window of shape 3, expected 4"},
    {"Grams",
     [](ModelBuilder &m) {
       m.node("TfIdfVectorizer", {"v"}, {"y"})
           .text("mode", "TF")
           .integer("min_gram_length", 1)
           .integer("max_gram_length", 1)
           .integer("max_skip_count", 0)
           .integers("pool_int64s", {2, 3})
           .integers("ngram_counts", {0})
           .integers("ngram_indexes", {0});
     },
     "attribute 'ngram_indexes' has 1 entries, expected 2"},
    {"GramCounts",
     [](ModelBuilder &m) {
       m.node("TfIdfVectorizer", {"v"}, {"y"})
           .text("mode", "TF")
           .integer("min_gram_length", 1)
           .integer("max_gram_length", 1)
           .integer("max_skip_count", 0)
           .integers("pool_int64s", {2, 3, 4})
           .integers("ngram_counts", {0, 0})
           .integers("ngram_indexes", {0, 1});
     },
     "does not divide the pool into grams"},
    {"GramWeights",
     [](ModelBuilder &m) {
       m.node("TfIdfVectorizer", {"v"}, {"y"})
           .text("mode", "IDF")
           .integer("min_gram_length", 1)
           .integer("max_gram_length", 1)
           .integer("max_skip_count", 0)
           .integers("pool_int64s", {2, 3})
           .integers("ngram_counts", {0})
           .integers("ngram_indexes", {0, 1})
           .numbers("weights", {1});
     },
     "attribute 'weights' has 1 entries, expected 2, one for each gram"},
    {"GramData",
     [](ModelBuilder &m) {
       m.input("e", {1, 2, 3}, TensorProto::INT64);
       m.node("TfIdfVectorizer", {"e"}, {"y"})
           .text("mode", "TF")
           .integer("min_gram_length", 1)
           .integer("max_gram_length", 1)
           .integer("max_skip_count", 0)
           .integers("pool_int64s", {2})
           .integers("ngram_counts", {0})
           .integers("ngram_indexes", {0});
     },
     "expected one or two dimensions"},
};

const BadNode samples[] = {
    {"Grid",
     [](ModelBuilder &m) {
       m.weight("g", {1, 2, 2, 3});
       m.node("GridSample", {"x", "g"}, {"y"});
     },
     "and a grid of shape 1x2x2x3, expected N, C, spatial"},
    {"Regions",
     [](ModelBuilder &m) {
       m.weight("r", {2, 3}).ints("b", {0, 0});
       m.node("RoiAlign", {"x", "r", "b"}, {"y"});
     },
     "expected N, C, H, W; R, 4 and R"},
    {"Samples",
     [](ModelBuilder &m) {
       m.input("r", {2, 4}).ints("b", {0, 0});
       m.node("RoiAlign", {"x", "r", "b"}, {"y"}).text("mode", "max");
     },
     "unsupported: attribute 'sampling_ratio' is 0"},
    {"RegionOfNoImage",
     [](ModelBuilder &m) {
       m.weight("r", {1, 4}).ints("b", {1});
       m.node("RoiAlign", {"x", "r", "b"}, {"y"});
     },
     "found a region of image 1, expected 0 to 0"},
    {"PooledRegionOfNoImage",
     [](ModelBuilder &m) {
       m.weight("r", {1, 5}, {-1, 0, 0, 3, 3});
       m.node("MaxRoiPool", {"x", "r"}, {"y"}).integers("pooled_shape", {1, 1});
     },
     "found a region of image -1, expected 0 to 0"},
    {"RegionSize",
     [](ModelBuilder &m) {
       m.weight("r", {1, 4}, {0, 0, 1e9f, 1}).ints("b", {0});
       m.node("RoiAlign", {"x", "r", "b"}, {"y"}).text("mode", "max");
     },
     "unsupported: expected a smaller one"},
    {"PooledShape",
     [](ModelBuilder &m) {
       m.weight("r", {2, 5});
       m.node("MaxRoiPool", {"x", "r"}, {"y"}).integers("pooled_shape", {2, 0});
     },
     "attribute 'pooled_shape' must have two positive entries"},
    {"PooledRegions",
     [](ModelBuilder &m) {
       m.weight("r", {2, 4});
       m.node("MaxRoiPool", {"x", "r"}, {"y"}).integers("pooled_shape", {2, 2});
     },
     "expected N, C, H, W and R, 5"},
    {"AffineSize",
     [](ModelBuilder &m) {
       m.weight("t", {1, 2, 3}).ints("n", {2, 3, 4, 4});
       m.node("AffineGrid", {"t", "n"}, {"y"});
     },
     "found matrices of shape 1x2x3 and the size 2x3x4x4", 20},
    {"DeformRank",
     [](ModelBuilder &m) {
       m.weight("f", {4}).node("DeformConv", {"x", "w", "f"}, {"y"});
     },
     "expected four dimensions each", 19},
    {"DeformOffsets",
     [](ModelBuilder &m) { m.node("DeformConv", {"x", "w", "x"}, {"y"}); },
     "found offsets of shape 1x4x6x6, expected 1x18x4x4", 19},
    {"DeformMask",
     [](ModelBuilder &m) {
       m.weight("o", {1, 18, 4, 4});
       m.node("DeformConv", {"x", "w", "o", "", "x"}, {"y"});
     },
     "found a mask of shape 1x4x6x6, expected 1x9x4x4", 19},
    {"LpPoolNorm",
     [](ModelBuilder &m) {
       m.node("LpPool", {"x"}, {"y"})
           .integer("p", 0)
           .integers("kernel_shape", {2, 2});
     },
     "attribute 'p' is 0.000000, expected a positive number"},
    {"LpPoolKernel",
     [](ModelBuilder &m) {
       m.node("LpPool", {"x"}, {"y"}).integers("kernel_shape", {2});
     },
     "attribute 'kernel_shape' must have 2 entries"},
    {"ColumnSizes",
     [](ModelBuilder &m) {
       m.ints("i", {4, 4}).ints("b", {2}).input("c", {1, 4, 9});
       m.node("Col2Im", {"c", "i", "b"}, {"y"});
     },
     "found 2 sizes of the image and 1 of the block", 18},
    {"Columns",
     [](ModelBuilder &m) {
       m.ints("i", {4, 4}).ints("b", {2, 2}).input("c", {1, 4, 8});
       m.node("Col2Im", {"c", "i", "b"}, {"y"});
     },
     "found columns of shape 1x4x8, expected N, channels times 4, 9", 18},
    {"CausalRank",
     [](ModelBuilder &m) {
       m.node("CausalConvWithState", {"x", "w"}, {"y", "z"});
     },
     "expected N, C, L and C, 1, k", 27},
    {"CausalState",
     [](ModelBuilder &m) {
       m.input("s", {1, 4, 6}).weight("k", {4, 1, 3}).weight("p", {1, 4, 3});
       m.node("CausalConvWithState", {"s", "k", "", "p"}, {"y", "z"});
     },
     "found a state of another shape than 1x4x2", 27},
    {"CropShape",
     [](ModelBuilder &m) {
       m.ints("n", {2, 3});
       m.node("CenterCropPad", {"x", "n"}, {"y"});
     },
     "found the shape 2x3, expected 4 sizes", 18},
};

/// A modifier of scores (1, 4, 6, 6) that casts them; its input may be missing.
onnx::GraphProto scoreGraph(const char *input, int type) {
  ModelBuilder body;
  if (*input)
    body.input(input, {1, 4, 6, 6});
  else
    body.weight("s", {1, 4, 6, 6});
  body.node("Cast", {"s"}, {"changed"}).integer("to", type);
  body.output("changed");
  return body.graph();
}

const BadNode products[] = {
    {"Det",
     [](ModelBuilder &m) { m.weight("f", {4}).node("Det", {"f"}, {"y"}); },
     "found data of shape 4, expected square matrices"},
    {"LargeDet",
     [](ModelBuilder &m) {
       m.input("large", {65, 65});
       m.node("Det", {"large"}, {"y"});
     },
     "unsupported: found data of shape 65x65, expected matrices of at most 64"},
    {"EyeLike", [](ModelBuilder &m) { m.node("EyeLike", {"x"}, {"y"}); },
     "found data of shape 1x4x6x6, expected a matrix"},
    {"EinsumOperands",
     [](ModelBuilder &m) {
       m.node("Einsum", {"x"}, {"y"}).text("equation", "ab,bc->ac");
     },
     "attribute 'equation' has 2 operands, expected 1"},
    {"EinsumRank",
     [](ModelBuilder &m) {
       m.node("Einsum", {"x"}, {"y"}).text("equation", "ab->a");
     },
     "attribute 'equation' gives 2 labels to an operand of shape 1x4x6x6"},
    {"EinsumLetter",
     [](ModelBuilder &m) {
       m.node("Einsum", {"v"}, {"y"}).text("equation", "1->");
     },
     "attribute 'equation' has '1', expected letters"},
    {"EinsumExtent",
     [](ModelBuilder &m) {
       m.node("Einsum", {"x"}, {"y"}).text("equation", "abbc->a");
     },
     "a label of attribute 'equation' has the extents 4 and 6"},
    {"EinsumResult",
     [](ModelBuilder &m) {
       m.node("Einsum", {"v"}, {"y"}).text("equation", "a->b");
     },
     "attribute 'equation' has a result label that no operand has"},
    {"AttentionRank",
     [](ModelBuilder &m) {
       m.weight("f", {4}).node("Attention", {"x", "x", "f"}, {"y"});
     },
     "expected three or four dimensions each", 23},
    {"AttentionTypes",
     [](ModelBuilder &m) {
       m.input("half", {1, 4, 6, 6}, TensorProto::FLOAT16);
       m.node("Attention", {"x", "x", "half"}, {"y"});
     },
     "unsupported: found keys of f32 and values of f16", 23},
    {"AttentionHeads",
     [](ModelBuilder &m) {
       m.input("q", {1, 2, 6});
       m.node("Attention", {"q", "q", "q"}, {"y"})
           .integer("q_num_heads", 4)
           .integer("kv_num_heads", 2);
     },
     "expected a last dimension that 4 heads divide", 23},
    {"AttentionCache",
     [](ModelBuilder &m) {
       m.node("Attention", {"x", "x", "x", "", "x"}, {"y"});
     },
     "has a past key or value without the other", 23},
    {"AttentionShapes",
     [](ModelBuilder &m) {
       m.input("k", {1, 4, 6, 5});
       m.node("Attention", {"x", "k", "x"}, {"y"});
     },
     "which do not fit one another", 23},
    {"AttentionPresentKeyOnly",
     [](ModelBuilder &m) { m.node("Attention", {"x", "x", "x"}, {"y", "k"}); },
     "gives a present key or value without the other, expected both or none",
     25},
    {"FlexRank",
     [](ModelBuilder &m) {
       m.weight("f", {4});
       m.node("FlexAttention", {"x", "x", "f"}, {"y"})
           ->set_domain("ai.onnx.preview");
     },
     "found data of shape 4, expected four dimensions", 23},
    {"FlexShapes",
     [](ModelBuilder &m) {
       m.input("k", {1, 4, 6, 5});
       m.node("FlexAttention", {"x", "k", "x"}, {"y"})
           ->set_domain("ai.onnx.preview");
     },
     "which do not fit one another", 23},
    {"FlexGraphInputs",
     [](ModelBuilder &m) {
       m.node("FlexAttention", {"x", "x", "x"}, {"y"})
           .graph("score_mod", scoreGraph("", TensorProto::FLOAT))
           ->set_domain("ai.onnx.preview");
     },
     "has a graph with 0 inputs and 1 outputs, expected 1 and 1", 23},
    {"FlexGraphType",
     [](ModelBuilder &m) {
       m.node("FlexAttention", {"x", "x", "x"}, {"y"})
           .graph("prob_mod", scoreGraph("s", TensorProto::FLOAT16))
           ->set_domain("ai.onnx.preview");
     },
     "attribute 'prob_mod' is a graph that gives tensor<1x4x6x6xf16>", 23},
    {"LinearHeads",
     [](ModelBuilder &m) {
       m.input("q", {1, 2, 6});
       m.node("LinearAttention", {"q", "q", "q"}, {"y", "z"})
           .integer("q_num_heads", 2)
           .integer("kv_num_heads", 4)
           .text("update_rule", "linear");
     },
     "for 2 and 4 heads, which do not fit one another", 27},
    {"LinearRule",
     [](ModelBuilder &m) {
       m.input("q", {1, 2, 6});
       m.node("LinearAttention", {"q", "q", "q"}, {"y", "z"})
           .integer("q_num_heads", 2)
           .integer("kv_num_heads", 2);
     },
     "has the update rule gated_delta, expected a decay and an update rate",
     27},
    {"LinearDecay",
     [](ModelBuilder &m) {
       m.input("q", {1, 2, 6}).input("d", {1, 2, 5});
       m.node("LinearAttention", {"q", "q", "q", "", "d"}, {"y", "z"})
           .integer("q_num_heads", 2)
           .integer("kv_num_heads", 2)
           .text("update_rule", "gated");
     },
     "found input 4 of shape 1x2x5, expected 1x2x2 or x6", 27},
    {"LinearState",
     [](ModelBuilder &m) {
       m.input("q", {1, 2, 6}).input("s", {1, 2, 3, 4});
       m.node("LinearAttention", {"q", "q", "q", "s"}, {"y", "z"})
           .integer("q_num_heads", 2)
           .integer("kv_num_heads", 2)
           .text("update_rule", "linear");
     },
     "found a past state of shape 1x2x3x4, expected 1x2x3x3", 27},
    {"RotaryHalf",
     [](ModelBuilder &m) {
       m.weight("c", {1, 6, 2});
       m.node("RotaryEmbedding", {"x", "c", "c"}, {"y"})
           .integer("rotary_embedding_dim", 3);
     },
     "rotates 3 of 6 numbers, expected an even number", 23},
    {"RotaryCache",
     [](ModelBuilder &m) {
       m.weight("c", {1, 6, 2});
       m.node("RotaryEmbedding", {"x", "c", "c"}, {"y"});
     },
     "found cosines or sines of shape 1x6x2, expected N, 6, 3", 23},
};

const BadNode choices[] = {
    {"Compress",
     [](ModelBuilder &m) {
       m.input("c", {4}, TensorProto::BOOL);
       m.node("Compress", {"x", "c"}, {"y"});
     },
     "unsupported: takes the condition from 'c', which depends on the model's "
     "data"},
    {"CompressLength",
     [](ModelBuilder &m) {
       m.ints("i", {1, 1, 0, 0, 1});
       m.node("Cast", {"i"}, {"c"}).integer("to", TensorProto::BOOL);
       m.node("Compress", {"x", "c"}, {"y"}).integer("axis", 1);
     },
     "found a condition of 5 entries, expected at most 4"},
    {"NonZero", [](ModelBuilder &m) { m.node("NonZero", {"x"}, {"y"}); },
     "unsupported: takes the data from 'x', which depends on the model's data"},
    {"Unique", [](ModelBuilder &m) { m.node("Unique", {"v"}, {"y"}); },
     "unsupported: takes the data from 'v', which depends on the model's data"},
    {"Boxes",
     [](ModelBuilder &m) { m.node("NonMaxSuppression", {"x", "x"}, {"y"}); },
     "expected N, boxes, 4 and N, classes, boxes"},
    {"BoxesOfData",
     [](ModelBuilder &m) {
       m.input("b", {1, 6, 4}).input("s", {1, 2, 6});
       m.node("NonMaxSuppression", {"b", "s"}, {"y"});
     },
     "unsupported: takes the boxes from 'b', which depends on the model's "
     "data"},
    {"ReverseLengths",
     [](ModelBuilder &m) {
       m.node("ReverseSequence", {"x", "v"}, {"y"})
           .integer("batch_axis", 0)
           .integer("time_axis", 1);
     },
     "expected one length for each entry of axis 0"},
    {"ReverseLengthOutOfRange",
     [](ModelBuilder &m) {
       m.ints("l", {-1})
           .node("ReverseSequence", {"x", "l"}, {"y"})
           .integer("batch_axis", 0)
           .integer("time_axis", 1);
     },
     "found a length -1, expected 0 to 4"},
    {"ScatterUpdate",
     [](ModelBuilder &m) {
       m.weight("f", {4}).node("TensorScatter", {"x", "f"}, {"y"});
     },
     "found a cache of shape 1x4x6x6 and an update of shape 4", 24},
    {"ScatterIndices",
     [](ModelBuilder &m) { m.node("TensorScatter", {"x", "x", "v"}, {"y"}); },
     "found write indices of shape 4, expected 1", 24},
    {"Shift",
     [](ModelBuilder &m) {
       m.node("BitShift", {"v", "v"}, {"y"}).text("direction", "UP");
     },
     "attribute 'direction' is 'UP'", 28},
};

/// A body that passes its state on; `condition` is its first result.
onnx::GraphProto loopBody(const char *condition) {
  ModelBuilder body;
  body.input("i", {}, TensorProto::INT64).input("go", {}, TensorProto::BOOL);
  body.input("state", {1, 4, 6, 6});
  body.node("Relu", {"state"}, {"next"});
  body.node("Identity", {condition}, {"on"});
  body.output("on").output("next");
  return body.graph();
}

const BadNode control[] = {
    {"LoopOfData",
     [](ModelBuilder &m) {
       m.input("n", {}, TensorProto::INT64);
       m.node("Loop", {"n", "", "x"}, {"y"}).graph("body", loopBody("go"));
     },
     "unsupported: takes the trip count from 'n', which depends on the model's "
     "data"},
    {"LoopCondition",
     [](ModelBuilder &m) {
       m.number("n", 3).input("c", {}, TensorProto::BOOL);
       m.node("Loop", {"n", "c", "x"}, {"y"}).graph("body", loopBody("go"));
     },
     "unsupported: has a condition that depends on the model's data, expected "
     "one that is known when compiling; it is computed from 'c', which can be "
     "made constant: use --bind-input=c=FILE.npy"},
    {"LoopForever",
     [](ModelBuilder &m) {
       m.node("Loop", {"", "", "x"}, {"y"}).graph("body", loopBody("go"));
     },
     "unsupported: takes at least 50001 nodes that loops, recurrent nets and "
     "functions are written out to, the budget is 50000"},
    {"LoopInputs",
     [](ModelBuilder &m) {
       m.number("n", 3);
       m.node("Loop", {"n", "", "x", "x"}, {"y", "z"})
           .graph("body", loopBody("go"));
     },
     "has a graph with 3 inputs and 2 outputs, expected 4 and 3"},
    {"LoopResults",
     [](ModelBuilder &m) {
       m.number("n", 3);
       m.node("Loop", {"n", "", "x"}, {"y", "z"}).graph("body", loopBody("go"));
     },
     "has a graph with 3 inputs and 2 outputs, expected 3 and 3"},
    {"LoopStates",
     [](ModelBuilder &m) {
       m.number("n", 3);
       m.node("Loop", {"n", "", "x", "x"}, {"y"}).graph("body", loopBody("go"));
     },
     "has 1 results, expected at least 2, one for each state"},
    {"ScanDirection",
     [](ModelBuilder &m) {
       ModelBuilder body;
       body.input("p", {4, 6, 6}).output("p");
       m.node("Scan", {"x"}, {"y"})
           .integer("num_scan_inputs", 1)
           .integers("scan_input_directions", {3})
           .graph("body", body.graph());
     },
     "attribute 'scan_input_directions' has the entry 3, expected 0 or 1"},
    {"ScanAxes",
     [](ModelBuilder &m) {
       ModelBuilder body;
       body.input("p", {4, 6, 6}).output("p");
       m.node("Scan", {"x"}, {"y"})
           .integer("num_scan_inputs", 1)
           .integers("scan_input_axes", {0, 1})
           .graph("body", body.graph());
     },
     "attribute 'scan_input_axes' has 2 entries, expected 1"},
};

INSTANTIATE_TEST_SUITE_P(Loss, CompositionErrors, testing::ValuesIn(losses),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Recurrent, CompositionErrors,
                         testing::ValuesIn(recurrents), rowName);
INSTANTIATE_TEST_SUITE_P(Signal, CompositionErrors, testing::ValuesIn(signals),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Sample, CompositionErrors, testing::ValuesIn(samples),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Product, CompositionErrors,
                         testing::ValuesIn(products), rowName);
INSTANTIATE_TEST_SUITE_P(Choice, CompositionErrors, testing::ValuesIn(choices),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Control, CompositionErrors, testing::ValuesIn(control),
                         rowName);

} // namespace
