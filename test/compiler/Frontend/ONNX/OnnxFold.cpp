// SPDX-License-Identifier: Apache-2.0
//
// A tool for onnx_conformance.py: imports a model with all inputs bound, so
// that the evaluator computes its outputs, and writes them. A tensor file is
// one line "dtype rank extents..." and the row-major bytes.
//
//   onnx-fold model.onnx OUTPUT-PREFIX [NAME=FILE...]
//   onnx-fold --supported-ops
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxImporter.h"
#include "files/tool_main.h"

#include "mlir/IR/Diagnostics.h"

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace npu;

static ElementsAttr readTensor(MLIRContext &context, const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  int dtype = 0;
  size_t rank = 0;
  file >> dtype >> rank;
  std::vector<int64_t> shape(rank);
  for (int64_t &extent : shape)
    file >> extent;
  file.get();
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  auto type = RankedTensorType::get(shape, elementTypeOf(&context, dtype));
  return makeElements(type, std::move(bytes));
}

static void writeTensor(ElementsAttr elements, const std::string &path) {
  std::ofstream file(path, std::ios::binary);
  auto type = elements.getShapedType();
  file << dtypeOf(type.getElementType()) << ' ' << type.getRank();
  for (int64_t extent : type.getShape())
    file << ' ' << extent;
  file << '\n';
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

static bool writeOutputs(mlir::ModuleOp module, const std::string &prefix) {
  bool isConstant = true;
  module.walk([&](mlir::func::ReturnOp op) {
    for (auto [i, value] : llvm::enumerate(op.getOperands())) {
      ElementsAttr elements = constantOf(value);
      isConstant &= elements != nullptr;
      if (elements)
        writeTensor(elements, prefix + std::to_string(i));
    }
  });
  return isConstant;
}

int toolMain(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--supported-ops")) {
    std::cout << supportedOnnxOpsMarkdown();
    return 0;
  }
  if (argc < 3) {
    std::cerr << "usage: onnx-fold model.onnx OUTPUT-PREFIX [NAME=FILE...]\n";
    return 2;
  }
  MLIRContext context;
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        std::cerr << describeLocation(diagnostic.getLocation()) << ": "
                  << diagnostic.str() << '\n';
        return success();
      });
  ImportOptions options;
  options.f64AsF32 = true;
  for (int i = 3; i < argc; ++i) {
    std::string text = argv[i];
    size_t split = text.find('=');
    options.boundInputs[text.substr(0, split)] =
        readTensor(context, text.substr(split + 1));
  }
  auto module = importOnnx(context, argv[1], options);
  if (failed(module))
    return 1;
  if (writeOutputs(**module, argv[2]))
    return 0;
  std::cerr << "an output is not constant\n";
  return 3;
}
