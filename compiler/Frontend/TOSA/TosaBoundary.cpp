// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TOSA/TosaBoundary.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/Unsupported.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringSet.h"

using namespace npu;
using mlir::emitError;
using mlir::func::FuncOp;

/// The names in a comma separated attribute of TensorFlow's converters; empty
/// where they do not fit the values.
static SmallVector<StringRef> listedNames(FuncOp source, StringRef list,
                                          unsigned count) {
  SmallVector<StringRef> names;
  auto entry = source->getAttrOfType<mlir::DictionaryAttr>("tf.entry_function");
  if (!entry)
    return names;
  if (auto text = entry.getAs<StringAttr>(list))
    text.getValue().split(names, ',', -1, /*KeepEmpty=*/false);
  if (names.size() != count)
    names.clear();
  return names;
}

/// The name in the attributes of one argument or result.
static StringRef attributeName(mlir::DictionaryAttr attributes) {
  if (!attributes)
    return "";
  for (StringRef key :
       {"npu.name", "tosa.tensor_name", "ml_program.identifier"})
    if (auto name = attributes.getAs<StringAttr>(key))
      return name;
  auto path = attributes.getAs<ArrayAttr>("tf_saved_model.index_path");
  if (path && path.size() == 1)
    if (auto name = dyn_cast<StringAttr>(path[0]))
      return name;
  return "";
}

static SmallVector<std::string>
chooseNames(ArrayRef<StringRef> listed, unsigned count, StringRef standard,
            function_ref<mlir::DictionaryAttr(unsigned)> attributes) {
  SmallVector<std::string> names;
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < count; ++i) {
    StringRef given = listed.empty() ? attributeName(attributes(i)) : listed[i];
    std::string name =
        given.empty() ? (standard + Twine(i)).str() : given.str();
    while (!taken.insert(name).second)
      name += "_" + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

SmallVector<std::string> npu::outputNames(FuncOp source) {
  unsigned count = source.getNumResults();
  return chooseNames(listedNames(source, "outputs", count), count, "output",
                     [&](unsigned i) { return source.getResultAttrDict(i); });
}

LogicalResult npu::checkBoundaryType(Location file, const Twine &what,
                                     Type type) {
  auto tensor = dyn_cast<mlir::TensorType>(type);
  if (tensor && dtypeOf(tensor.getElementType()) >= 0)
    return success();
  return emitUnsupported(file)
         << what << " is " << type
         << ", expected a tensor of f32, f16, bf16, i8, ui8, "
            "i16, i32, i64 or i1";
}

FailureOr<std::vector<DeclaredInput>> npu::declaredInputs(Location file,
                                                          FuncOp source) {
  unsigned count = source.getNumArguments();
  SmallVector<std::string> names =
      chooseNames(listedNames(source, "inputs", count), count, "input",
                  [&](unsigned i) { return source.getArgAttrDict(i); });
  std::vector<DeclaredInput> inputs;
  for (auto [name, type] : llvm::zip(names, source.getArgumentTypes())) {
    if (failed(checkBoundaryType(file, "input '" + name + "'", type)))
      return failure();
    auto tensor = cast<mlir::TensorType>(type);
    DeclaredInput input{name, tensor.hasRank(), {}, tensor.getElementType()};
    if (tensor.hasRank())
      for (int64_t extent : tensor.getShape()) {
        if (extent == 0)
          return emitError(file) << "input '" << name << "' is " << type
                                 << ", expected positive sizes";
        input.dims.push_back(
            {mlir::ShapedType::isDynamic(extent) ? -1 : extent, ""});
      }
    inputs.push_back(std::move(input));
  }
  return inputs;
}
