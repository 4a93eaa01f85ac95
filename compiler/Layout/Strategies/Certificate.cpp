// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Certificate.h"

#include "certificate/certificate.h"
#include "compiler/Layout/PlanFile/PlanWriter.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Search/Prices.h"

#include "llvm/Support/JSON.h"

using namespace npu;
namespace json = llvm::json;

namespace {

/// A list of which each entry has a line.
using Lines = std::vector<std::string>;

std::string lineOf(json::Value value) {
  std::string line;
  llvm::raw_string_ostream(line) << value;
  return line;
}

/// Lines of which each is written once, and called by its number.
struct Unique {
  Lines lines;
  llvm::StringMap<int64_t> numbers;

  int64_t numberOf(json::Array entries) {
    std::string line = lineOf(std::move(entries));
    auto [at, isNew] = numbers.try_emplace(line, lines.size());
    if (isNew)
      lines.push_back(std::move(line));
    return at->second;
  }
};

class CertificateWriter {
public:
  CertificateWriter(const LayoutProblem &problem, const OpWays &ways,
                    SearchPrices &prices, const CertifiedChoice &choice)
      : problem(problem), ways(ways), prices(prices), choice(choice) {}

  std::string write() {
    for (const WaysOfOp &op : ways.all())
      addOp(op);
    for (const OnChipValues &onChip : problem.residencies())
      addCase(onChip);
    std::string text;
    llvm::raw_string_ostream out(text);
    out << R"({"format": "npuc layout certificate", "version": 1)";
    auto member = [&](StringRef key, json::Value value) {
      out << ",\n" << json::Value(key) << ": " << value;
    };
    auto list = [&](StringRef key, const Lines &lines) {
      out << ",\n" << json::Value(key) << ": [\n";
      llvm::interleave(lines, out, ",\n");
      out << "\n]";
    };
    member("model", problem.certifiedModel);
    member("graph", graphFingerprint(problem.function));
    member("target", problem.target.name);
    member("objective", objectiveName(problem.objective));
    member("unit", objectiveUnit(problem.objective));
    list("values", values);
    list("ops", ops);
    list("relayouts", relayouts.lines);
    list("ways", wayLists.lines);
    list("cases", cases);
    member("plan", std::move(plan));
    out << "}\n";
    return text;
  }

private:
  /// Ops make values in the order in which the search numbers them.
  int64_t addValue(Value value, const std::string &name) {
    json::Array layouts;
    for (LayoutAttr layout : ways.candidates().of(value))
      layouts.push_back(layoutNames(layout, problem.axes.of(value)));
    values.push_back(
        lineOf(json::Object{{"name", name}, {"layouts", std::move(layouts)}}));
    graphValues.push_back(value);
    return numbers[value] = static_cast<int64_t>(numbers.size());
  }

  void addOp(const WaysOfOp &op) {
    json::Array reads, makes;
    std::string name;
    if (op.input) {
      auto argument = cast<mlir::BlockArgument>(op.input);
      name = boundaryName(problem.function, argument.getArgNumber(), false);
      makes.push_back(addValue(op.input, name));
    } else if (op.read) {
      name = op.isOutput() ? boundaryName(problem.function,
                                          op.read->getOperandNumber(), true)
                           : opName(op.read->getOwner());
      reads.push_back(numbers.lookup(op.read->get()));
    } else {
      name = opName(op.slots->getOp());
      for (const Slot &slot : op.slots->all())
        if (!slot.constant && slot.result)
          makes.push_back(addValue(slot.value, name));
        else if (!slot.constant)
          reads.push_back(numbers.lookup(slot.value));
    }
    ops.push_back(lineOf(json::Object{{"name", name},
                                      {"reads", std::move(reads)},
                                      {"makes", std::move(makes)}}));
  }

  void addCase(const OnChipValues &onChip) {
    SearchProblem searched({problem, onChip}, ways, prices);
    const search::Problem numbers = inUnits(searched);
    json::Array kept, moves, runs;
    for (auto [index, value] : llvm::enumerate(graphValues))
      if (onChip.contains(value))
        kept.push_back(static_cast<int64_t>(index));
    for (const search::Value &value : numbers.values)
      moves.push_back(relayouts.numberOf(json::Array(value.move)));
    for (const search::Op &op : numbers.ops)
      runs.push_back(waysOf(op));
    if (&onChip == choice.onChip)
      addPlan(searched.numbers());
    search::Prices found = search::findPrices(
        numbers, search::RelayoutTrees(numbers),
        {choice.cost, search::Deadline(problem.searchSeconds)});
    json::Array paid;
    for (const auto &op : found.paid) {
      json::Array operands;
      for (const std::vector<search::Cost> &operand : op)
        operands.push_back(json::Array(operand));
      paid.push_back(std::move(operands));
    }
    cases.push_back(lineOf(json::Object{{"on_chip", std::move(kept)},
                                        {"relayouts", std::move(moves)},
                                        {"ways", std::move(runs)},
                                        {"scale", found.scale},
                                        {"prices", std::move(paid)}}));
  }

  /// The search's problem without what breaks ties: there, a unit of the
  /// objective is more than all of that together.
  static search::Problem inUnits(const SearchProblem &searched) {
    search::Problem numbers = searched.numbers();
    for (search::Value &value : numbers.values)
      for (search::Cost &cost : value.move)
        cost = searched.primary(cost);
    for (search::Op &op : numbers.ops)
      for (search::Way &way : op.ways)
        way.cost = searched.primary(way.cost);
    return numbers;
  }

  int64_t waysOf(const search::Op &op) {
    json::Array list;
    for (const search::Way &way : op.ways) {
      json::Array one;
      one.push_back(way.cost);
      for (int layout : way.layouts)
        one.push_back(layout);
      list.push_back(std::move(one));
    }
    return wayLists.numberOf(std::move(list));
  }

  void addPlan(const search::Problem &numbers) {
    search::RelayoutTrees trees(numbers);
    std::vector<search::Copies> copies = search::copiesOf(numbers, choice.ways);
    json::Array steps;
    for (size_t value = 0; value < copies.size(); ++value)
      for (search::Relayout relayout :
           trees.tree(static_cast<int>(value), copies[value].stored,
                      copies[value].wanted))
        steps.push_back(json::Array{static_cast<int64_t>(value), relayout.from,
                                    relayout.to});
    plan = json::Object{{"case", static_cast<int64_t>(cases.size())},
                        {"ways", json::Array(choice.ways)},
                        {"relayouts", std::move(steps)},
                        {"cost", choice.cost}};
  }

  const LayoutProblem &problem;
  const OpWays &ways;
  SearchPrices &prices;
  const CertifiedChoice &choice;
  llvm::DenseMap<Value, int64_t> numbers;
  std::vector<Value> graphValues; // by number
  Lines values, ops, cases;
  Unique relayouts, wayLists;
  json::Object plan;
};

} // namespace

std::string npu::certificateOf(const LayoutProblem &problem, const OpWays &ways,
                               SearchPrices &prices,
                               const CertifiedChoice &choice) {
  std::string text = CertificateWriter(problem, ways, prices, choice).write();
  // Nothing is written that its reader would not believe.
  try {
    certificate::Work work;
    certificate::check(certificate::read(text, work), work);
  } catch (const std::runtime_error &) {
    return {};
  }
  return text;
}
