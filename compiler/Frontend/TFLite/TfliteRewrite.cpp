// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteRewrite.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

using namespace npu;
using flatbuffers::Offset;

namespace {

class Rewriter {
public:
  Rewriter(StringRef bytes, const tflite::Model &model)
      : model(model), graph(*model.subgraphs()->Get(0)), start(bytes.data()) {
    // Data of buffers lies at multiples of 16, from either end.
    constexpr size_t alignment = 16;
    std::string padded(bytes);
    padded.resize(llvm::alignTo(bytes.size(), alignment));
    size = padded.size();
    builder.PushBytes(reinterpret_cast<const uint8_t *>(padded.data()), size);
    builder.Align(alignment);
    copyOffsets(model.operator_codes(), codes);
    copyOffsets(graph.tensors(), tensors);
  }

  std::string rewrite(ArrayRef<TfliteReplacement> replacements) {
    llvm::DenseMap<const tflite::Operator *, const TfliteReplacement *> changed;
    for (const TfliteReplacement &replacement : replacements)
      changed[replacement.source] = &replacement;
    for (const tflite::Operator *op : *graph.operators())
      if (const TfliteReplacement *replacement = changed.lookup(op))
        replace(*op, *replacement);
      else
        operators.push_back(old(op));
    tflite::FinishModelBuffer(builder, newModel(newGraph()));
    return {reinterpret_cast<const char *>(builder.GetBufferPointer()),
            builder.GetSize()};
  }

private:
  /// What was in the file, by its distance from the end.
  template <typename Table>
  Offset<Table> old(const Table *table) const {
    if (!table)
      return 0;
    return static_cast<flatbuffers::uoffset_t>(
        size - (reinterpret_cast<const char *>(table) - start));
  }

  template <typename Table>
  void copyOffsets(const flatbuffers::Vector<Offset<Table>> *from,
                   std::vector<Offset<Table>> &to) const {
    for (size_t i = 0; from && i < from->size(); ++i)
      to.push_back(old(from->Get(i)));
  }

  uint32_t codeOf(tflite::BuiltinOperator kind, StringRef custom) {
    auto [place, isNew] = newCodes.try_emplace(
        custom.empty() ? EnumNameBuiltinOperator(kind) : custom, codes.size());
    if (isNew)
      codes.push_back(tflite::CreateOperatorCode(
          builder, static_cast<int8_t>(kind),
          custom.empty() ? 0 : builder.CreateString(custom.str()), 1, kind));
    return place->second;
  }

  /// A tensor like a result, for what stands in front of it now.
  int32_t tensorLike(int32_t index, const std::string &name) {
    const tflite::Tensor &like = *graph.tensors()->Get(index);
    auto ownName = name.empty() ? old(like.name()) : builder.CreateString(name);
    tflite::TensorBuilder made(builder);
    made.add_shape(old(like.shape()));
    made.add_shape_signature(old(like.shape_signature()));
    made.add_name(ownName);
    made.add_quantization(old(like.quantization()));
    made.add_type(like.type());
    made.add_has_rank(like.has_rank());
    tensors.push_back(made.Finish());
    return static_cast<int32_t>(tensors.size() - 1);
  }

  Offset<flatbuffers::Vector<int32_t>> indices(ArrayRef<int32_t> numbers) {
    return builder.CreateVector(numbers.data(), numbers.size());
  }

  static tflite::BuiltinOperator operatorOf(tflite::Activation activation) {
    switch (activation) {
    case tflite::Activation::RELU:
      return tflite::BuiltinOperator::RELU;
    case tflite::Activation::RELU6:
      return tflite::BuiltinOperator::RELU6;
    default:
      return tflite::BuiltinOperator::RELU_N1_TO_1;
    }
  }

  void replace(const tflite::Operator &op,
               const TfliteReplacement &replacement) {
    bool isSplit = replacement.behind != tflite::Activation::NONE ||
                   !replacement.name.empty();
    auto results = old(op.outputs());
    if (isSplit)
      results = indices(tensorLike(op.outputs()->Get(0), replacement.name));
    if (replacement.custom.empty())
      addChanged(op, replacement, results);
    else
      addCustom(op, replacement, results);
    if (isSplit)
      addBehind(op, replacement.behind, results);
  }

  /// The activation, or a RESHAPE to the same shape.
  void addBehind(const tflite::Operator &op, tflite::Activation activation,
                 Offset<flatbuffers::Vector<int32_t>> results) {
    bool isReshape = activation == tflite::Activation::NONE;
    uint32_t code = codeOf(isReshape ? tflite::BuiltinOperator::RESHAPE
                                     : operatorOf(activation),
                           "");
    Offset<tflite::ReshapeOptions> options;
    if (isReshape) {
      const tflite::Tensor &result =
          *graph.tensors()->Get(op.outputs()->Get(0));
      options = tflite::CreateReshapeOptions(
          builder, old(result.shape_signature() ? result.shape_signature()
                                                : result.shape()));
    }
    tflite::OperatorBuilder made(builder);
    made.add_opcode_index(code);
    made.add_inputs(results);
    made.add_outputs(old(op.outputs()));
    if (isReshape) {
      made.add_builtin_options_type(tflite::BuiltinOptions::ReshapeOptions);
      made.add_builtin_options(options.Union());
    }
    operators.push_back(made.Finish());
  }

  void addChanged(const tflite::Operator &op,
                  const TfliteReplacement &replacement,
                  Offset<flatbuffers::Vector<int32_t>> results) {
    Offset<void> options =
        replacement.options
            ? replacement.options(builder)
            : Offset<void>(
                  old(static_cast<const uint8_t *>(op.builtin_options())).o);
    tflite::OperatorBuilder made(builder);
    made.add_opcode_index(op.opcode_index());
    made.add_inputs(old(op.inputs()));
    made.add_outputs(results);
    made.add_builtin_options_type(op.builtin_options_type());
    made.add_builtin_options(options);
    operators.push_back(made.Finish());
  }

  void addCustom(const tflite::Operator &op,
                 const TfliteReplacement &replacement,
                 Offset<flatbuffers::Vector<int32_t>> results) {
    auto inputs = indices(ArrayRef(op.inputs()->data(), replacement.operands));
    auto options = builder.CreateVector(
        reinterpret_cast<const uint8_t *>(replacement.words.data()),
        replacement.words.size());
    uint32_t code = codeOf(tflite::BuiltinOperator::CUSTOM, replacement.custom);
    tflite::OperatorBuilder made(builder);
    made.add_opcode_index(code);
    made.add_inputs(inputs);
    made.add_outputs(results);
    made.add_custom_options(options);
    operators.push_back(made.Finish());
  }

  Offset<tflite::SubGraph> newGraph() {
    auto newTensors = builder.CreateVector(tensors);
    auto newOperators = builder.CreateVector(operators);
    tflite::SubGraphBuilder made(builder);
    made.add_tensors(newTensors);
    made.add_inputs(old(graph.inputs()));
    made.add_outputs(old(graph.outputs()));
    made.add_operators(newOperators);
    made.add_name(old(graph.name()));
    return made.Finish();
  }

  Offset<tflite::Model> newModel(Offset<tflite::SubGraph> first) {
    std::vector<Offset<tflite::SubGraph>> graphs;
    copyOffsets(model.subgraphs(), graphs);
    graphs.front() = first;
    auto newGraphs = builder.CreateVector(graphs);
    auto newCodesVector = builder.CreateVector(codes);
    tflite::ModelBuilder made(builder);
    made.add_version(model.version());
    made.add_operator_codes(newCodesVector);
    made.add_subgraphs(newGraphs);
    made.add_description(old(model.description()));
    made.add_buffers(old(model.buffers()));
    made.add_metadata_buffer(old(model.metadata_buffer()));
    made.add_metadata(old(model.metadata()));
    made.add_signature_defs(old(model.signature_defs()));
    return made.Finish();
  }

  const tflite::Model &model;
  const tflite::SubGraph &graph;
  const char *start;
  size_t size = 0;
  flatbuffers::FlatBufferBuilder builder;
  llvm::StringMap<uint32_t> newCodes;
  std::vector<Offset<tflite::OperatorCode>> codes;
  std::vector<Offset<tflite::Tensor>> tensors;
  std::vector<Offset<tflite::Operator>> operators;
};

} // namespace

std::string npu::rewriteTflite(StringRef bytes, const tflite::Model &model,
                               ArrayRef<TfliteReplacement> replacements) {
  return Rewriter(bytes, model).rewrite(replacements);
}
