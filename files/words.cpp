// SPDX-License-Identifier: Apache-2.0

#include "files/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

namespace npu::files {

std::string countText(uint64_t count, const std::string &one,
                      const std::string &many) {
  return std::to_string(count) + " " +
         (count == 1     ? one
          : many.empty() ? one + "s"
                         : many);
}

std::string bytesText(int64_t bytes) {
  constexpr int64_t fewest = 10000;
  if (bytes == 1 || bytes == -1)
    return std::to_string(bytes) + " byte";
  if (bytes > -fewest && bytes < fewest)
    return std::to_string(bytes) + " bytes";
  static const char *const units[] = {"kB", "MB", "GB", "TB"};
  double amount = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  // What would be printed as 1000.0 has the next unit.
  for (; unit < 3 && std::fabs(amount) >= 999.95; ++unit)
    amount /= 1000;
  char text[40];
  std::snprintf(text, sizeof(text), "%.1f %s", amount, units[unit]);
  return text;
}

/// How many letters are put in, left out, changed or swapped with the next
/// one. No reader types longer names than this by hand.
static size_t distance(const std::string &a, const std::string &b) {
  constexpr size_t longest = 64;
  if (a.size() > longest || b.size() > longest)
    return longest;
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string suggestion(const std::string &word,
                       const std::vector<std::string> &names) {
  const std::string *best = nullptr;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  constexpr size_t beginning = 4; // less is the beginning of anything
  for (const std::string &name : names) {
    size_t letters = distance(word, name);
    if (word.size() >= beginning)
      letters =
          std::min(letters, 1 + distance(word, name.substr(0, word.size())));
    if (letters > 0 && letters < least && letters < name.size()) {
      least = letters;
      best = &name;
    }
  }
  return best ? "; did you mean '" + *best + "'?" : "";
}

std::string unknownName(const std::string &word,
                        const std::vector<std::string> &names,
                        const std::string &what) {
  std::string text = "unknown " + what + (what.empty() ? "'" : " '") + word +
                     "', expected one of: ";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i];
  return text + suggestion(word, names);
}

std::vector<std::string> namesIn(const std::string &list) {
  std::vector<std::string> names;
  const std::string between = ", ";
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(between, begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    begin = end + between.size();
  }
  return names;
}

static std::string firstOf(const std::vector<std::string> &names) {
  constexpr size_t shown = 3;
  std::string text = names.front();
  for (size_t i = 1; i < std::min(shown, names.size()); ++i)
    text += ", " + names[i];
  return names.size() > shown
             ? text + " and " + std::to_string(names.size() - shown) + " more"
             : text;
}

std::vector<std::string> groupedByReason(
    const std::vector<std::pair<std::string, std::string>> &namesAndReasons,
    const std::string &one) {
  std::vector<std::string> reasons, lines;
  std::map<std::string, std::vector<std::string>> names;
  for (const auto &[name, reason] : namesAndReasons) {
    std::vector<std::string> &group = names[reason];
    if (group.empty())
      reasons.push_back(reason);
    group.push_back(name);
  }
  for (const std::string &reason : reasons) {
    const std::vector<std::string> &group = names[reason];
    lines.push_back(group.size() == 1 ? group.front() + " " + reason
                                      : countText(group.size(), one) + " (" +
                                            firstOf(group) + "): " + reason);
  }
  return lines;
}

std::string withinColumns(const std::string &text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    size_t indent = line.find_first_not_of(' ');
    if (line.size() > textWidth && indent != std::string::npos)
      line = std::string(indent, ' ') +
             wrapped(line.substr(indent), textWidth - indent, indent + 6);
    result += line + "\n";
  }
  return result;
}

std::string wrapped(const std::string &text, size_t width, size_t indent) {
  std::istringstream words(text);
  std::string result;
  size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      result += " ";
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

} // namespace npu::files
