// SPDX-License-Identifier: Apache-2.0
//
// --bind-input: .npy files as constants.
#include "compiler/Driver/Options.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Support/InputText.h"
#include "files/npy.h"
#include "format/element_types.h"
#include "kernels/tensor.h"

using namespace npu;

static int dtypeOfDescr(StringRef descr) {
  for (const ElementType &type : elementTypes)
    if (!descr.empty() && descr == type.descr)
      return type.dtype;
  return -1;
}

/// The array in the file, or a clause that says what is wrong with it.
static ElementsAttr readArray(MLIRContext &context, StringRef path,
                              std::string &error) {
  auto buffer = readInput(path, Budget::File, error);
  if (!buffer)
    return {};
  StringRef bytes = buffer->getBuffer();
  tools::NpyHeader header;
  error = tools::parseNpyHeader(bytes.data(), bytes.size(), header);
  if (!error.empty())
    return {};
  int dtype = dtypeOfDescr(header.descr);
  if (dtype < 0)
    error = "has elements of type '" + header.descr + "', which no input has";
  else if (header.fortranOrder && header.shape.size() > 1)
    error = "is stored in Fortran order, expected C order; save "
            "numpy.ascontiguousarray of it";
  else if (header.shape.size() > NPU_MAX_RANK)
    error = "has more than " + std::to_string(NPU_MAX_RANK) + " dimensions";
  if (!error.empty() || failed(shapes::elements(header.shape, error)))
    return {};
  auto type =
      RankedTensorType::get(header.shape, elementTypeOf(&context, dtype));
  npu_tensor_desc tensor = describeTensor(type);
  StringRef data = bytes.drop_front(header.dataOffset);
  if (static_cast<int64_t>(data.size()) != kernels::storedBytes(tensor)) {
    error = "holds " + std::to_string(data.size()) +
            " bytes of elements, its "
            "header says " +
            std::to_string(kernels::storedBytes(tensor));
    return {};
  }
  return makeElements(type, ArrayRef<char>(data.data(), data.size()));
}

std::string npu::bindInputs(MLIRContext &context, DriverOptions &options) {
  for (const auto &[name, path] : options.boundFiles) {
    std::string error;
    ElementsAttr array = readArray(context, path, error);
    if (!array)
      return "--bind-input " + name + ": '" + path + "' " + error;
    options.compile.import.boundInputs[name] = array;
  }
  return "";
}
