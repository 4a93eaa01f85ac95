// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Tensors.h"

#include "files/npy.h"
#include "files/shown_text.h"
#include "files/words.h"
#include "format/element_types.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <random>
#include <sstream>

namespace npu::tools {
namespace {

/// numpy's name of the type in a .npy file; bf16 is f32 there.
const char *descrOf(npu_type type) {
  return lookupType(type == NPU_TYPE_BF16 ? NPU_TYPE_F32 : type)->descr;
}

/// The names, and the one that was probably meant.
std::string namesFor(const std::string &argument,
                     const std::vector<npu_tensor_info> &signature) {
  std::string text;
  std::vector<std::string> names;
  for (const npu_tensor_info &info : signature) {
    names.emplace_back(info.name);
    text += (text.empty() ? "" : ", ") + files::shownName(info.name);
  }
  return (text.empty() ? "none" : text) +
         files::suggestion(argument.substr(0, argument.rfind('=')), names);
}

/// Nearest, ties to even; a NaN stays one.
uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// What quantized numbers stand for; empty of others.
std::string meaningOf(const npu_tensor_info &info) {
  if (info.scale == 0)
    return "";
  std::ostringstream text;
  text << std::setprecision(9) << "; it takes quantized numbers of scale "
       << info.scale << " and zero point " << info.zero_point
       << ": round(x / scale) + zero point of a real number x, bounded to "
       << npu_type_name(info.type);
  return text.str();
}

template <class T, class Next>
void fill(const Buffer &rows, size_t count, Next next) {
  for (size_t i = 0; i < count; ++i)
    rows.as<T>()[i] = static_cast<T>(next());
}

} // namespace

uint64_t fileBytes(const npu_tensor_info &info) {
  return info.type == NPU_TYPE_BF16 ? elementsOf(info) * sizeof(float)
                                    : info.row_bytes;
}

std::vector<int64_t> shapeOf(const npu_tensor_info &info) {
  return {info.shape, info.shape + info.rank};
}

size_t elementsOf(const npu_tensor_info &info) {
  return info.row_bytes / npu_type_bytes(info.type);
}

std::vector<npu_tensor_info>
seriesOf(const std::vector<npu_tensor_info> &signature, int steps) {
  std::vector<npu_tensor_info> series = signature;
  if (steps == 0)
    return series;
  for (npu_tensor_info &info : series) {
    if (info.rank == NPU_TENSOR_MAX_RANK)
      throw Exit(files::exitUsage,
                 "--steps: '" + std::string(info.name) + "' has " +
                     std::to_string(info.rank) +
                     " dimensions, and a file of several runs one more, which "
                     "is too many; run it once at a time, with --state-in and "
                     "--state-out");
    std::copy_backward(info.shape, info.shape + info.rank,
                       info.shape + info.rank + 1);
    info.shape[0] = steps;
    ++info.rank;
    info.bytes *= static_cast<uint64_t>(steps);
    info.row_bytes *= static_cast<uint64_t>(steps);
  }
  return series;
}

Buffer valuesOfStep(const npu_tensor_info &info, const Buffer &series,
                    size_t step) {
  Buffer values(fileBytes(info));
  if (values.bytes() > 0)
    std::memcpy(values.as<void>(), series.as<uint8_t>() + step * values.bytes(),
                values.bytes());
  return values;
}

std::map<size_t, std::string>
matchFiles(const std::vector<std::string> &arguments,
           const std::vector<npu_tensor_info> &signature,
           const std::string &kind) {
  std::map<size_t, std::string> files;
  for (const std::string &argument : arguments) {
    // A model's names may contain '=': the known names decide where to split.
    size_t found = signature.size();
    std::string file;
    for (size_t i = 0; i < signature.size(); ++i) {
      std::string prefix = std::string(signature[i].name) + "=";
      if (argument.compare(0, prefix.size(), prefix) != 0 ||
          (found < signature.size() &&
           prefix.size() <= strlen(signature[found].name)))
        continue; // of x and x=1 the longer one
      found = i;
      file = argument.substr(prefix.size());
    }
    if (found == signature.size())
      throw Exit(files::exitUsage, "'" + argument + "' names no " + kind +
                                       " of the program; write NAME=FILE.npy "
                                       "with one of these names: " +
                                       namesFor(argument, signature));
    if (!files.emplace(found, file).second)
      throw Exit(files::exitUsage, kind + " '" + signature[found].name +
                                       "' is given twice; give it once");
  }
  return files;
}

Buffer readTensor(const npu_tensor_info &info, const std::string &path,
                  const std::string &kind) {
  Buffer values(fileBytes(info));
  std::string wrong = readNpy(path, descrOf(info.type), shapeOf(info),
                              values.as<void>(), values.bytes());
  if (!wrong.empty())
    throw Exit(files::exitInput, kind + " '" + info.name + "': '" + path +
                                     "' " + wrong + meaningOf(info));
  return values;
}

void writeTensor(files::OutputFiles &files, const npu_tensor_info &info,
                 const std::string &path, const Buffer &rows) {
  std::string failure = writeNpy(files, path, descrOf(info.type), shapeOf(info),
                                 rows.as<void>(), rows.bytes());
  if (!failure.empty())
    throw Exit(files::exitOutput,
               "output '" + std::string(info.name) + "': " + failure);
}

Buffer randomTensor(const npu_tensor_info &info, uint64_t seed) {
  // mt19937_64's numbers are fixed by the standard; distributions are not.
  std::mt19937_64 engine(seed);
  auto real = [&] {
    return static_cast<float>(engine() >> 40) / (1 << 23) - 1;
  };
  auto small = [&] { return engine() % 2; };
  size_t count = elementsOf(info);
  Buffer values(fileBytes(info));
  switch (info.type) {
  case NPU_TYPE_F32:
  case NPU_TYPE_BF16:
    fill<float>(values, count, real);
    break;
  case NPU_TYPE_F16: // random fractions with a fixed exponent: 1 <= x < 2
    fill<uint16_t>(values, count, [&] { return 0x3c00 | (engine() & 0x3ff); });
    break;
  case NPU_TYPE_F64:
    fill<double>(values, count, real);
    break;
  case NPU_TYPE_I8:
  case NPU_TYPE_U8:
    fill<uint8_t>(values, count, engine);
    break;
  case NPU_TYPE_I16:
  case NPU_TYPE_U16:
    fill<uint16_t>(values, count, engine);
    break;
  case NPU_TYPE_I32:
  case NPU_TYPE_U32:
    fill<uint32_t>(values, count, small);
    break;
  case NPU_TYPE_I64:
  case NPU_TYPE_U64:
    fill<uint64_t>(values, count, small);
    break;
  case NPU_TYPE_BOOL:
    fill<uint8_t>(values, count, small);
    break;
  }
  return values;
}

Buffer fileToRows(const npu_tensor_info &info, Buffer values) {
  if (info.type != NPU_TYPE_BF16)
    return values;
  Buffer rows(info.row_bytes);
  for (size_t i = 0; i < elementsOf(info); ++i)
    rows.as<uint16_t>()[i] = toBf16(values.as<float>()[i]);
  return rows;
}

Buffer rowsToFile(const npu_tensor_info &info, Buffer rows) {
  if (info.type != NPU_TYPE_BF16)
    return rows;
  Buffer values(fileBytes(info));
  for (size_t i = 0; i < elementsOf(info); ++i)
    values.as<uint32_t>()[i] = uint32_t(rows.as<uint16_t>()[i]) << 16;
  return values;
}

} // namespace npu::tools
