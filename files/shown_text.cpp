// SPDX-License-Identifier: Apache-2.0

#include "files/shown_text.h"

#include <cctype>
#include <cstdint>
#include <cstdio>

namespace npu::files {
namespace {

thread_local size_t shownLength = usualShownLength;
/// A message is as long as its sentence and this many names.
constexpr size_t namesInMessage = 20;

struct Character {
  uint32_t code = 0;
  size_t bytes = 0; // 0: no UTF-8
};

/// The character at `at`, read strictly: nothing overlong, no surrogates.
Character characterAt(const std::string &text, size_t at) {
  auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  unsigned first = byte(at);
  if (first < 0x80)
    return {first, 1};
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return {};
  uint32_t code = first & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80)
      return {};
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[bytes] || code > 0x10ffff || isSurrogate)
    return {};
  return {code, bytes};
}

/// What a terminal or a reader would not see as itself: control characters,
/// marks of no width, separators of lines, directions of writing.
bool isHidden(uint32_t code) {
  static const uint32_t ranges[][2] = {
      {0x0, 0x1f},      {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
      {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
      {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
  for (const auto &range : ranges)
    if (code >= range[0] && code <= range[1])
      return true;
  return false;
}

std::string escaped(uint32_t code, bool isByte) {
  if (!isByte && code == '\n')
    return "\\n";
  if (!isByte && code == '\t')
    return "\\t";
  char text[16];
  std::snprintf(text, sizeof(text), code < 0x100 ? "\\x%02x" : "\\u%04x", code);
  return text;
}

std::string withoutHidden(const std::string &text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    Character next = characterAt(text, at);
    if (next.bytes == 0)
      result += escaped(static_cast<unsigned char>(text[at]), true);
    else if (isHidden(next.code))
      result += escaped(next.code, false);
    else
      result.append(text, at, next.bytes);
    at += next.bytes ? next.bytes : 1;
  }
  return result;
}

bool isInsideCharacter(const std::string &text, size_t at) {
  return at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// The beginning, what is left out, and the end: two parts of three in front.
std::string shortened(const std::string &text, size_t most) {
  if (text.size() <= most)
    return text;
  size_t front = most * 2 / 3, back = text.size() - (most - front);
  while (front > 0 && isInsideCharacter(text, front))
    --front;
  while (isInsideCharacter(text, back))
    ++back;
  return text.substr(0, front) + " ... (" + std::to_string(back - front) +
         " more) ... " + text.substr(back);
}

bool isWord(const std::string &text, size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
}

/// Where a name begins or ends, from `at` on. An apostrophe has letters on both
/// sides, the quote before a name none in front of it.
size_t nextQuote(const std::string &text, size_t at, bool isEnd) {
  for (; at < text.size(); ++at)
    if (text[at] == '\'' &&
        !(isEnd ? isWord(text, at + 1) : at > 0 && isWord(text, at - 1)))
      return at;
  return at;
}

} // namespace

/// What other programs and libraries say may have several lines, which are
/// indented, and an end that nothing follows.
static std::string onOneLine(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c != '\n')
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  return result;
}

void setShownLength(size_t bytes) { shownLength = bytes; }

std::string shownName(const std::string &name) {
  return shortened(withoutHidden(name), shownLength);
}

std::string shownMessage(const std::string &text) {
  std::string result;
  bool isName = false;
  for (size_t at = 0; at < text.size();) {
    size_t quote = nextQuote(text, at, isName);
    std::string part = text.substr(at, quote - at);
    result += isName ? shortened(withoutHidden(part), shownLength)
                     : withoutHidden(onOneLine(part));
    if (quote < text.size())
      result += '\'';
    at = quote + 1;
    isName = !isName;
  }
  return shortened(result, shownLength * namesInMessage);
}

std::string shownJson(const std::string &json) {
  std::string result;
  auto add = [&](uint32_t unit) {
    char text[8];
    std::snprintf(text, sizeof(text), "\\u%04x", unit);
    result += text;
  };
  for (size_t at = 0; at < json.size();) {
    Character next = characterAt(json, at);
    size_t bytes = next.bytes ? next.bytes : 1;
    // Below 0x20 there are only ends of lines: JSON allows no more.
    if (next.bytes == 0 || next.code < 0x20 || !isHidden(next.code)) {
      result.append(json, at, bytes);
    } else if (next.code < 0x10000) {
      add(next.code);
    } else {
      add(0xd800 + ((next.code - 0x10000) >> 10));
      add(0xdc00 + (next.code & 0x3ff));
    }
    at += bytes;
  }
  return result;
}

} // namespace npu::files
