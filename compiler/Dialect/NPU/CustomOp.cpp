// SPDX-License-Identifier: Apache-2.0
//
// Everything that the interfaces ask of npu.custom, from its plugin.
#include "compiler/Dialect/NPU/CustomOp.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/OpFacts.h"
#include "kernels/plugin/custom.h"
#include "kernels/tensor.h"

#include <map>
#include <mutex>

using namespace npu;
using format::CustomAttribute;

// Attributes.

mlir::DictionaryAttr npu::parametersOf(mlir::Builder &builder,
                                       ArrayRef<CustomAttribute> attributes) {
  SmallVector<mlir::NamedAttribute> named;
  for (const CustomAttribute &given : attributes) {
    Attribute value;
    switch (given.kind) {
    case CustomAttribute::Kind::Ints:
      value = builder.getDenseI64ArrayAttr(given.ints);
      break;
    case CustomAttribute::Kind::Floats:
      value = builder.getDenseF32ArrayAttr(given.floats);
      break;
    case CustomAttribute::Kind::Strings: {
      SmallVector<StringRef> words(given.strings.begin(), given.strings.end());
      value = builder.getStrArrayAttr(words);
      break;
    }
    case CustomAttribute::Kind::Tensors: {
      SmallVector<Attribute> tensors;
      for (const format::CustomTensor &tensor : given.tensors)
        tensors.push_back(makeElements(
            RankedTensorType::get(
                tensor.dims, elementTypeOf(builder.getContext(), tensor.dtype)),
            ArrayRef<char>(tensor.data)));
      value = builder.getArrayAttr(tensors);
      break;
    }
    }
    named.emplace_back(builder.getStringAttr(given.name), value);
  }
  return builder.getDictionaryAttr(named);
}

format::CustomTensor npu::describeElements(ElementsAttr elements) {
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  auto type = cast<RankedTensorType>(elements.getType());
  return {dtypeOf(type.getElementType()), type.getShape().vec(),
          std::vector<char>(bytes.begin(), bytes.end())};
}

/// A tensor that the runtime can hold, and not of numbers that nobody has.
static bool isTensor(Attribute attribute) {
  auto elements = dyn_cast<ElementsAttr>(attribute);
  return elements && isNpuTensor(elements.getType()) &&
         isa<DenseElementsAttr, mlir::DenseResourceElementsAttr>(attribute);
}

/// The inverse of one; false where it is none of the four kinds.
static bool readParameter(mlir::NamedAttribute named,
                          CustomAttribute &attribute) {
  attribute.name = named.getName().str();
  if (auto ints = dyn_cast<mlir::DenseI64ArrayAttr>(named.getValue())) {
    attribute.ints = ints.asArrayRef().vec();
    return true;
  }
  if (auto floats = dyn_cast<mlir::DenseF32ArrayAttr>(named.getValue())) {
    attribute.kind = CustomAttribute::Kind::Floats;
    attribute.floats = floats.asArrayRef().vec();
    return true;
  }
  auto list = dyn_cast<ArrayAttr>(named.getValue());
  if (list && llvm::all_of(list, llvm::IsaPred<StringAttr>)) {
    attribute.kind = CustomAttribute::Kind::Strings;
    for (StringAttr word : list.getAsRange<StringAttr>())
      attribute.strings.push_back(word.str());
    return true;
  }
  if (!list || !llvm::all_of(list, isTensor))
    return false;
  attribute.kind = CustomAttribute::Kind::Tensors;
  for (ElementsAttr elements : list.getAsRange<ElementsAttr>())
    attribute.tensors.push_back(describeElements(elements));
  return true;
}

format::CustomOp npu::describeOp(CustomOp op) {
  format::CustomOp described;
  described.plugin = op.getPlugin().str();
  described.version = op.getVersion().str();
  described.op = op.getFunction().str();
  described.output = static_cast<int32_t>(op.getOutput());
  for (int64_t place : op.getPlaces().value_or(ArrayRef<int64_t>()))
    described.places.push_back(static_cast<int32_t>(place));
  for (mlir::NamedAttribute named : op.getParameters())
    readParameter(named, described.attributes.emplace_back());
  return described;
}

// Problems.

static npu_tensor_desc rowsOf(Type type) {
  return describeTensor(withLayout(cast<RankedTensorType>(type), LayoutAttr()));
}

kernels::Problem npu::customProblem(const format::CustomOp &op,
                                    mlir::TypeRange operands,
                                    const plugin::Use *plugins) {
  kernels::Problem problem;
  problem.op = NPU_OP_CUSTOM;
  problem.custom = format::encodeCustomOp(op);
  problem.plugins = plugins;
  for (Type type : operands)
    problem.inputs.push_back(rowsOf(type));
  return problem;
}

/// With the result, all in rows.
static kernels::Problem logicalProblem(CustomOp op) {
  kernels::Problem problem = customProblem(
      describeOp(op), op->getOperandTypes(), pluginsOf(op->getContext()));
  problem.outputs.push_back(rowsOf(op.getResult().getType()));
  return problem;
}

void npu::describeCustom(CustomOp op, kernels::Problem &problem) {
  problem.custom = format::encodeCustomOp(describeOp(op));
}

RankedTensorType npu::inferCustomType(MLIRContext *context,
                                      const kernels::Problem &problem,
                                      std::string &whyNot) {
  npu_tensor_desc result = {};
  whyNot = kernels::inferCustom(problem, result);
  if (!whyNot.empty())
    return {};
  return RankedTensorType::get(ArrayRef(result.dims, result.rank),
                               elementTypeOf(context, result.dtype));
}

// The op's own.

LogicalResult CustomOp::verify() {
  for (mlir::NamedAttribute named : getParameters()) {
    CustomAttribute ignored;
    if (!readParameter(named, ignored)) // custom_c1
      return emitOpError() << "parameter " << named.getName() << " is "
                           << named.getValue()
                           << ", expected array<i64: ...>, array<f32: ...> or "
                              "a list of strings, or of tensors";
  }
  auto isSide = [](int64_t number) { return number >= 0 && number < 16; };
  if (!isSide(getOutput()) ||
      !llvm::all_of(getPlaces().value_or(ArrayRef<int64_t>()),
                    isSide)) // custom_c4
    return emitOpError() << "output and places are inputs and results of a "
                            "node, expected numbers from 0 to 15";
  std::string whyNot;
  RankedTensorType wanted = inferCustomType(
      getContext(),
      customProblem(describeOp(*this), getOperation()->getOperandTypes(),
                    pluginsOf(getContext())),
      whyNot);
  if (!wanted) // custom_c2
    return emitOpError() << whyNot;
  if (withLayout(tensorType(getResult()), LayoutAttr()) != wanted) // custom_c3
    return emitOpError() << "result is " << tensorType(getResult())
                         << ", its plugin gives " << wanted;
  return verifyLayouts(getOperation());
}

npu_op CustomOp::getKernel(npu_attrs &) { return NPU_OP_CUSTOM; }

Work npu::customWork(CustomOp op) {
  npu_plugin_work given = kernels::workOfCustom(logicalProblem(op));
  Work work;
  work.elements = given.elements;
  if (given.m > 0) {
    work.products = {{given.m, given.k, given.n, given.count}};
    work.haloRows = given.halo_rows;
    work.dims = {given.data_dims, given.weight_dims, given.result_dims};
  }
  return work;
}

static LayoutRelation askRelation(CustomOp op) {
  kernels::CustomRelation given = kernels::relateCustom(logicalProblem(op));
  LayoutRelation relation;
  // Numbers in the order in which they come, so that none is left out.
  llvm::DenseMap<int, int> groups;
  auto dims = [&](ArrayRef<int8_t> numbers) {
    LayoutRelation::Dims some;
    for (int8_t number : numbers) {
      auto [group, isNew] = groups.try_emplace(number, relation.groups);
      relation.groups += isNew;
      some.push_back({group->second});
    }
    return some;
  };
  for (auto [index, operand] : llvm::enumerate(op.getInputs())) {
    relation.operands.push_back(dims(ArrayRef<int8_t>(
        given.inputs[index].data(), tensorType(operand).getRank())));
    relation.independent.push_back(given.independent[index]);
  }
  relation.results.push_back(dims(ArrayRef<int8_t>(
      given.result.data(), tensorType(op.getResult()).getRank())));
  return relation;
}

namespace npu {
/// By what a relation may depend on, which is unique within a context.
class RelationMemo {
public:
  using Key = std::vector<const void *>;

  std::optional<LayoutRelation> lookup(const Key &key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = known.find(key);
    if (found == known.end())
      return std::nullopt;
    return found->second;
  }
  void add(const Key &key, const LayoutRelation &relation) {
    std::lock_guard<std::mutex> lock(mutex);
    known.try_emplace(key, relation);
  }

private:
  std::mutex mutex;
  std::map<Key, LayoutRelation> known;
};
} // namespace npu

std::shared_ptr<RelationMemo> npu::makeRelationMemo() {
  return std::make_shared<RelationMemo>();
}

static RelationMemo::Key memoKeyOf(CustomOp op) {
  RelationMemo::Key key;
  for (Attribute attribute :
       {Attribute(op.getPluginAttr()), Attribute(op.getVersionAttr()),
        Attribute(op.getFunctionAttr()), Attribute(op.getParametersAttr()),
        Attribute(op.getPlacesAttr()), Attribute(op.getOutputAttr())})
    key.push_back(attribute.getAsOpaquePointer());
  for (Type type : op->getOperandTypes())
    key.push_back(type.getAsOpaquePointer());
  key.push_back(op.getResult().getType().getAsOpaquePointer());
  return key;
}

LayoutRelation CustomOp::getLayoutRelation() {
  auto &memo = static_cast<NPUDialect *>((*this)->getDialect())->relations;
  RelationMemo::Key key = memoKeyOf(*this);
  if (std::optional<LayoutRelation> known = memo->lookup(key))
    return *known;
  LayoutRelation relation = askRelation(*this);
  memo->add(key, relation);
  return relation;
}

// Words of plugins' ops.

namespace {
struct PluginWords {
  explicit PluginWords(const plugin::Plugin &plugin, const npu_plugin_op &op)
      : name(plugin.name + "." + op.name) {
    static const StringRef usual = "inputs";
    for (const char *const *role = op.roles; role && *role; ++role)
      roles.push_back(*role);
    if (roles.empty())
      roles.push_back(usual);
    words = {name, static_cast<Sensitivity>(op.sensitivity), roles, nullptr, 0,
             {}};
  }
  PluginWords(const PluginWords &) = delete;
  PluginWords &operator=(const PluginWords &) = delete;

  std::string name;
  std::vector<StringRef> roles;
  OpWords words;
};
} // namespace

static_assert(static_cast<int>(Sensitivity::Agnostic) == NPU_PLUGIN_AGNOSTIC &&
              static_cast<int>(Sensitivity::Light) == NPU_PLUGIN_LIGHT &&
              static_cast<int>(Sensitivity::Heavy) == NPU_PLUGIN_HEAVY);

static const OpWords *pluginWordsOf(const plugin::Plugin &plugin,
                                    const npu_plugin_op &op) {
  static std::mutex mutex;
  static auto *known =
      new llvm::DenseMap<const npu_plugin_op *, std::unique_ptr<PluginWords>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<PluginWords> &words = (*known)[&op];
  if (!words)
    words = std::make_unique<PluginWords>(plugin, op);
  return &words->words;
}

const OpWords *npu::lookupPluginWords(StringRef name) {
  auto [pluginName, opName] = name.split('.');
  for (const plugin::Plugin *plugin : plugin::loadedPlugins())
    if (plugin->name == pluginName)
      if (const npu_plugin_op *op = plugin->findOp(opName.str()))
        return pluginWordsOf(*plugin, *op);
  return nullptr;
}

SmallVector<const OpWords *> npu::pluginVocabulary() {
  SmallVector<const OpWords *> words;
  for (const plugin::Plugin *plugin : plugin::loadedPlugins())
    if (const npu_plugin *brings = plugin->runtime)
      for (int32_t i = 0; i < brings->n_ops; ++i)
        words.push_back(pluginWordsOf(*plugin, brings->ops[i]));
  return words;
}

/// What a verified op has.
static const OpWords &pluginWordsOf(CustomOp op) {
  const plugin::Plugin *plugin =
      pluginsOf(op->getContext())->find(op.getPlugin().str());
  return *pluginWordsOf(*plugin, *plugin->findOp(op.getFunction().str()));
}

Sensitivity CustomOp::getSensitivity() {
  return pluginWordsOf(*this).sensitivity;
}
StringRef CustomOp::getDemandName() { return pluginWordsOf(*this).name; }
StringRef CustomOp::getOperandRole(unsigned operand) {
  ArrayRef<StringRef> roles = pluginWordsOf(*this).roles;
  size_t place = getPlaces() ? (*getPlaces())[operand] : operand;
  return place < roles.size() ? roles[place] : roles.back();
}
ImageAxes CustomOp::getOperandAxes(unsigned) { return {}; }
ImageAxes CustomOp::getResultAxes(unsigned) { return {}; }
