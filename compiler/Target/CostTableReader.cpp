// SPDX-License-Identifier: Apache-2.0
//
// One check for all that may be wrong with a line; the first stops it.
#include "compiler/Target/CostTableReader.h"

#include "compiler/Dialect/NPU/Letters.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace npu;

namespace {

constexpr size_t columns = 6;
constexpr int64_t mostSize = (int64_t(1) << 31) - 1;
constexpr double mostCycles = 1e12;
/// More times faster or slower than the model is a slip, of units mostly.
constexpr double mostRatio = 1e6;

StringRef text(std::string_view view) { return {view.data(), view.size()}; }

/// The words of a cell that speaks of each operand and each result.
struct Cell {
  SmallVector<StringRef> operands, results;
};

class CostTableReader {
public:
  CostTableReader(StringRef file, std::string &error)
      : file(file), error(error) {}

  std::optional<cost::CostTable> read(StringRef all) {
    SmallVector<StringRef> lines;
    all.split(lines, '\n');
    bool hasHeader = false;
    for (StringRef whole : lines) {
      ++line;
      StringRef content = whole.trim();
      if (content.empty() || content.starts_with("#"))
        continue;
      if (!(hasHeader ? readRow(content) : readHeader(content)))
        return std::nullopt;
      hasHeader = true;
    }
    line = 1; // of what is wrong with all of it
    if (!hasHeader)
      fail("it is empty, expected the line " + text(cost::tableHeader));
    else if (table.isEmpty())
      fail("no row has cycles; fill in some, or take `costs` out of the "
           "target");
    return error.empty() ? std::optional(std::move(table)) : std::nullopt;
  }

private:
  bool fail(const Twine &what) {
    error = (file + ":" + Twine(line) + ": " + what).str();
    return false;
  }

  bool readHeader(StringRef content) {
    return content == text(cost::tableHeader) ||
           fail("is no table of costs, whose first line is " +
                text(cost::tableHeader));
  }

  bool readRow(StringRef content) {
    SmallVector<StringRef> cells;
    content.split(cells, ',');
    if (cells.size() != columns)
      return fail(llvm::formatv("{0} columns, expected {1}: {2}", cells.size(),
                                columns, text(cost::tableHeader)));
    for (StringRef &cell : cells)
      cell = cell.trim();
    cost::TableRow row;
    if (!readOp(cells[0], row.key) ||
        !readValues(cells[1], cells[2], cells[3], row.key) ||
        !readCycles("model_cycles", cells[4], row.modelCycles))
      return false;
    if (cells[5].empty())
      return true; // nobody has measured it yet
    if (!readCycles("cycles", cells[5], row.cycles))
      return false;
    double ratio = row.cycles / row.modelCycles;
    if (ratio > mostRatio || ratio < 1 / mostRatio)
      return fail(llvm::formatv("cycles: '{0}' is a million times as much, or "
                                "as little, as model_cycles, '{1}'; expected "
                                "the same unit",
                                cells[5], cells[4]));
    auto [first, isNew] = lineOf.try_emplace(cost::textOf(row.key), line);
    if (!isNew || !table.add(std::move(row)))
      return fail(llvm::formatv("the kernel stands twice, first in line {0}",
                                first->second));
    return true;
  }

  bool readOp(StringRef cell, cost::TableKey &key) {
    const OpWords *words = lookupOpWords(cell);
    if (!words)
      return fail("op: unknown op '" + cell +
                  "', expected a name that `demands` may have");
    if (words->sensitivity == Sensitivity::Data && cell != relayoutCostName)
      return fail("op: '" + cell +
                  "' moves data or none; write relayout, of the orders that "
                  "it moves between");
    key.op = cell.str();
    return true;
  }

  bool readCell(StringRef what, StringRef cell, Cell &words) {
    SmallVector<StringRef> all;
    cell.split(all, ' ', -1, false);
    bool isBehind = false;
    for (StringRef word : all) {
      bool isMark = word == text(cost::resultsFollow);
      if (isMark && isBehind)
        return fail(what + ": '" + cell + "' has > twice");
      if (!isMark)
        (isBehind ? words.results : words.operands).push_back(word);
      isBehind |= isMark;
    }
    return !words.results.empty() ||
           fail(what + ": '" + cell +
                "', expected a word for each operand, >, and one for each "
                "result");
  }

  bool readValues(StringRef layouts, StringRef sizes, StringRef types,
                  cost::TableKey &key) {
    Cell layoutWords, sizeWords, typeWords;
    if (!readCell("layouts", layouts, layoutWords) ||
        !readCell("sizes", sizes, sizeWords) ||
        !readCell("types", types, typeWords) ||
        !isAsLong("sizes", sizeWords, layoutWords) ||
        !isAsLong("types", typeWords, layoutWords))
      return false;
    auto readAll = [&](auto member, std::vector<cost::TableValue> &values,
                       bool isResult) {
      for (auto [layout, size, type] : llvm::zip(
               layoutWords.*member, sizeWords.*member, typeWords.*member)) {
        values.emplace_back();
        if (!readSizes(size, values.back().sizes) ||
            !readLayout(layout, isResult, values.back()) ||
            !readType(type, values.back().type))
          return false;
      }
      return true;
    };
    return readAll(&Cell::operands, key.operands, false) &&
           readAll(&Cell::results, key.results, true);
  }

  bool isAsLong(StringRef what, const Cell &words, const Cell &layouts) {
    if (words.operands.size() == layouts.operands.size() &&
        words.results.size() == layouts.results.size())
      return true;
    return fail(
        llvm::formatv("{0}: {1} operands and {2} results, but layouts has "
                      "{3} and {4}",
                      what, words.operands.size(), words.results.size(),
                      layouts.operands.size(), layouts.results.size()));
  }

  /// "1x3x224x224", or "-" of a number.
  bool readSizes(StringRef word, std::vector<int64_t> &sizes) {
    if (word == "-")
      return true;
    SmallVector<StringRef> parts;
    word.split(parts, 'x');
    for (StringRef part : parts) {
      int64_t size = 0;
      if (part.getAsInteger(10, size) || size < 0 || size > mostSize)
        return fail("sizes: '" + word +
                    "', expected sizes such as 1x3x224x224, or - of a number");
      sizes.push_back(size);
    }
    return sizes.size() <= NPU_MAX_RANK ||
           fail(llvm::formatv(
               "sizes: '{0}' has {1} dimensions, expected at most {2}", word,
               sizes.size(), NPU_MAX_RANK));
  }

  bool readLayout(StringRef word, bool isResult, cost::TableValue &value) {
    value.layout = word.str();
    if (word == text(cost::anyLayout) && !isResult)
      return true;
    StoredOrder order;
    if (word != "scalar") {
      std::string ignored;
      auto pattern = LayoutPattern::parse(word, ignored);
      if (!pattern || pattern->kind != LayoutPattern::Kind::Letters)
        return fail("layouts: '" + word + "', expected letters such as acdb" +
                    (isResult ? "" : ", or - for any"));
      order = pattern->letters;
    }
    if (order.order.size() != value.sizes.size())
      return fail(
          llvm::formatv("layouts: '{0}' has {1} dimensions, its sizes are "
                        "{2}",
                        word, order.order.size(), value.sizes.size()));
    // Whichever spelling the file has.
    value.layout = lettersOf(normalForm(order, value.sizes));
    return true;
  }

  bool readType(StringRef word, std::string &type) {
    type = word.str();
    SmallVector<StringRef> names;
    for (const TypeWord &known : typeVocabulary())
      names.push_back(known.name);
    return llvm::is_contained(names, word) ||
           fail("types: unknown type '" + word + "', allowed are " +
                llvm::join(names, ", "));
  }

  bool readCycles(StringRef what, StringRef cell, double &cycles) {
    int64_t number = 0;
    if (cell.getAsInteger(10, number) || number < 1 ||
        static_cast<double>(number) > mostCycles)
      return fail(
          llvm::formatv("{0}: '{1}', expected a whole number from 1 to {2}",
                        what, cell, static_cast<int64_t>(mostCycles)));
    cycles = static_cast<double>(number);
    return true;
  }

  StringRef file;
  std::string &error;
  int line = 0;
  llvm::StringMap<int> lineOf; // by kernel
  cost::CostTable table;
};

} // namespace

std::optional<cost::CostTable>
npu::readCostTable(StringRef text, StringRef file, std::string &error) {
  return CostTableReader(file, error).read(text);
}
