// SPDX-License-Identifier: Apache-2.0

#include "files/npy.h"

#include "files/input_file.h"

#include <algorithm>
#include <cstring>

namespace npu::tools {
namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr size_t magicBytes = sizeof(magic) - 1;
/// numpy's own headers are 118 bytes; nothing sane comes near this.
constexpr size_t maxHeaderBytes = 64 * 1024;

/// Reads the Python literal {'descr': '<f4', 'fortran_order': False,
/// 'shape': (1, 2), } with its keys in any order.
class HeaderParser {
public:
  HeaderParser(const char *text, size_t size) : at(text), end(text + size) {}

  bool parse(NpyHeader &out) {
    bool descr = false, order = false, shape = false;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return false;
      if (key == "descr" && !descr)
        descr = string(out.descr);
      else if (key == "fortran_order" && !order)
        order = boolean(out.fortranOrder);
      else if (key == "shape" && !shape)
        shape = tuple(out.shape);
      else
        return false;
      if (!take(',') && peek() != '}')
        return false;
    }
    skipBlanks();
    return at == end && descr && order && shape;
  }

private:
  void skipBlanks() {
    while (at != end && (*at == ' ' || *at == '\n'))
      ++at;
  }
  char peek() {
    skipBlanks();
    return at == end ? '\0' : *at;
  }
  bool take(char c) {
    if (peek() != c || at == end)
      return false;
    ++at;
    return true;
  }
  bool string(std::string &out) {
    char quote = peek();
    if ((quote != '\'' && quote != '"') || !take(quote))
      return false;
    const char *close = std::find(at, end, quote);
    if (close == end)
      return false;
    out.assign(at, close);
    at = close + 1;
    return true;
  }
  bool word(const char *expected) {
    size_t size = std::strlen(expected);
    if (static_cast<size_t>(end - at) < size ||
        !std::equal(expected, expected + size, at))
      return false;
    at += size;
    return true;
  }
  bool boolean(bool &out) {
    skipBlanks();
    out = word("True");
    return out || word("False");
  }
  bool number(int64_t &out) {
    if (peek() < '0' || peek() > '9')
      return false;
    out = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at)
      if (__builtin_mul_overflow(out, 10, &out) ||
          __builtin_add_overflow(out, *at - '0', &out))
        return false;
    return true;
  }
  bool tuple(std::vector<int64_t> &out) {
    constexpr size_t maxRank = 32; // numpy's own limit
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t extent;
      if (!number(extent) || out.size() == maxRank)
        return false;
      out.push_back(extent);
      if (!take(',') && (peek() != ')' || out.size() < 2))
        return false;
    }
    return true;
  }

  const char *at;
  const char *end;
};

/// Type and order, then shape: the first thing that does not fit.
std::string checkHeader(const NpyHeader &header, const std::string &descr,
                        const std::vector<int64_t> &shape) {
  // '=' is the machine's own order, '|' says that order does not matter.
  std::string found = header.descr;
  if (!found.empty() && (found[0] == '=' || found[0] == '|'))
    found[0] = descr[0];
  if (found != descr)
    return "has elements of type '" + header.descr + "', expected '" + descr +
           "'; convert it with numpy's astype";
  if (header.fortranOrder && header.shape.size() > 1)
    return "is stored in Fortran order, expected C order; save "
           "numpy.ascontiguousarray of it";
  if (header.shape != shape)
    return "has shape " + shapeText(header.shape) + ", expected " +
           shapeText(shape);
  return "";
}

} // namespace

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

std::string parseNpyHeader(const char *bytes, size_t size, NpyHeader &out) {
  out = {};
  if (size < magicBytes + 4 || std::memcmp(bytes, magic, magicBytes) != 0)
    return "is not a .npy file; save it with numpy.save";
  auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[i]));
  };
  size_t version = byte(magicBytes);
  if (version < 1 || version > 3)
    return "has .npy version " + std::to_string(version) +
           ", expected 1 to 3; save it with numpy.save";
  size_t lengthBytes = version == 1 ? 2 : 4;
  size_t start = magicBytes + 2 + lengthBytes;
  size_t length = 0;
  if (size < start)
    return "ends inside its header; copy or save it again";
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= byte(magicBytes + 2 + i) << (8 * i);
  if (length > maxHeaderBytes)
    return "has a header of " + std::to_string(length) +
           " bytes, expected at most " + std::to_string(maxHeaderBytes);
  if (size - start < length)
    return "ends inside its header; copy or save it again";
  if (!HeaderParser(bytes + start, length).parse(out))
    return "has a header that numpy would not write; save it with numpy.save";
  out.dataOffset = start + length;
  return "";
}

std::string readNpy(const std::string &path, const std::string &descr,
                    const std::vector<int64_t> &shape, void *data,
                    size_t bytes) {
  files::InputFile file;
  std::string wrong = file.open(path);
  std::string start(
      std::min<uint64_t>(file.bytes(), maxHeaderBytes + magicBytes + 6), '\0');
  if (wrong.empty())
    wrong = file.readAt(&start[0], start.size(), 0);
  NpyHeader header;
  if (wrong.empty())
    wrong = parseNpyHeader(start.data(), start.size(), header);
  if (wrong.empty())
    wrong = checkHeader(header, descr, shape);
  if (!wrong.empty())
    return wrong;
  uint64_t present = file.bytes() - header.dataOffset;
  if (present != bytes)
    return "has " + std::to_string(present) + " bytes of data, expected " +
           std::to_string(bytes) + "; it is cut short or damaged";
  return file.readAt(data, bytes, header.dataOffset);
}

std::string writeNpy(files::OutputFiles &files, const std::string &path,
                     const std::string &descr,
                     const std::vector<int64_t> &shape, const void *data,
                     size_t bytes) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, " + "'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    header += (i ? ", " : "") + std::to_string(shape[i]);
  header += shape.size() == 1 ? ",), }" : "), }";
  // The data starts at a multiple of 64 bytes, and the header ends in '\n'.
  constexpr size_t align = 64;
  size_t prefix = magicBytes + 4;
  header.append(align - 1 - (prefix + header.size()) % align, ' ');
  header += '\n';
  std::string start(magic, magicBytes);
  start += {'\1', '\0', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  start += header;

  return files.write(path, start, data, bytes);
}

} // namespace npu::tools
