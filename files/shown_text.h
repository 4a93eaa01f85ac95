// SPDX-License-Identifier: Apache-2.0
//
// Text of others (names in a model, words of a file, arguments) as messages
// show it: on one line, without characters that a terminal obeys, shortened.
#ifndef NPU_FILES_SHOWN_TEXT_H
#define NPU_FILES_SHOWN_TEXT_H

#include <cstddef>
#include <string>

namespace npu::files {

/// How much of one name is shown, in bytes, unless setShownLength() says so to
/// this thread.
constexpr size_t usualShownLength = 200;
void setShownLength(size_t bytes);

/// A name. Control characters, those that turn the direction of writing, and
/// bytes that are no UTF-8 become \n, \x1b, \u202e; of a long one the middle
/// is left out.
std::string shownName(const std::string &name);

/// A message in which names stand in quotes: each is shown like a name, and the
/// whole is shortened after some of them. Its own lines become one.
std::string shownMessage(const std::string &message);

/// JSON text in which such characters of its strings stand as JSON's \u202e;
/// to its reader it is the same.
std::string shownJson(const std::string &json);

} // namespace npu::files

#endif // NPU_FILES_SHOWN_TEXT_H
