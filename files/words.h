// SPDX-License-Identifier: Apache-2.0
//
// Amounts and names in messages, so that every program writes them alike.
#ifndef NPU_FILES_WORDS_H
#define NPU_FILES_WORDS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace npu::files {

/// "1 relayout", "2 relayouts", "0 relayouts". `many`: a plural that does not
/// end in s alone.
std::string countText(uint64_t count, const std::string &one,
                      const std::string &many = "");

/// "512 bytes", "12.3 kB", "2.4 MB": decimal units, as of disks and networks,
/// because bandwidths are decimal, too.
std::string bytesText(int64_t bytes);

/// "; did you mean 'x'?" for the name that is a few letters from `word`; empty
/// if none is.
std::string suggestion(const std::string &word,
                       const std::vector<std::string> &names);

/// "unknown stage 'fusde', expected one of: imported, fused; did you mean
/// 'fused'?" `what`: "stage", or nothing.
std::string unknownName(const std::string &word,
                        const std::vector<std::string> &names,
                        const std::string &what = "");

/// The names of a list such as "a, b, c".
std::vector<std::string> namesIn(const std::string &list);

/// Names that have the same reason in one line: "NAME REASON" of one, else
/// "4 ops (A, B, C and 1 more): REASON". In the order of the first ones.
std::vector<std::string> groupedByReason(
    const std::vector<std::pair<std::string, std::string>> &namesAndReasons,
    const std::string &one);

/// The text in lines of at most `width` bytes, each after the first behind
/// `indent` spaces.
std::string wrapped(const std::string &text, size_t width, size_t indent);

/// Lines of explanations fit such a terminal, tables of the tools do, too.
constexpr size_t textWidth = 100;

/// Each line that is longer as several, indented by 6 more. Words stay whole.
std::string withinColumns(const std::string &text);

} // namespace npu::files

#endif // NPU_FILES_WORDS_H
