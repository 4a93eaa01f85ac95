// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Certificate.h"

#include "certificate/certificate.h"
#include "compiler/Layout/PlanFile/PlanWriter.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/Storage.h"
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
    findLives();
    SmallVector<size_t> looked;
    for (ResidencyBound bound : residencyBounds(problem, ways, prices))
      looked.push_back(bound.number);
    llvm::sort(looked);
    for (size_t number : looked)
      addCase(problem.residencies()[number]);
    std::string text;
    llvm::raw_string_ostream out(text);
    out << R"({"format": "npuc layout certificate", "version": 2)";
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
    member("memory",
           static_cast<int64_t>(problem.target.machine.sramKiB * 1024));
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
  /// By value that is made, not shown: the values that are the same bytes or
  /// copies of it, and the ops that make and read them.
  struct Life {
    json::Array values;
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  };

  void findLives() {
    for (auto [number, value] : llvm::enumerate(graphValues))
      if (value) // a state's order is nowhere
        lives[sourceOf(value)].values.push_back(static_cast<int64_t>(number));
    auto touch = [&](Value value, size_t op) {
      Life &life = lives[sourceOf(value)];
      life.first = std::min(life.first, static_cast<int64_t>(op));
      life.last = std::max(life.last, static_cast<int64_t>(op));
    };
    for (auto [number, op] : llvm::enumerate(ways.all())) {
      if (op.input)
        touch(op.input, number);
      else if (op.read)
        touch(op.read->get(), number);
      else
        for (const Slot &slot : op.slots->all())
          if (!slot.constant)
            touch(slot.value, number);
    }
  }

  json::Array slotsOf(const OnChipValues &onChip) const {
    json::Array slots;
    for (const OnChipSlot &slot : onChip.slots()) {
      const Life &life = lives.find(slot.value)->second;
      slots.push_back(json::Object{{"values", json::Array(life.values)},
                                   {"offset", slot.offset},
                                   {"place", slot.place},
                                   {"bytes", slot.bytes()},
                                   {"first", life.first},
                                   {"last", life.last}});
    }
    return slots;
  }

  /// Ops make values in the order in which the search numbers them.
  int64_t addValue(Value value, const std::string &name) {
    json::Array layouts, bytes;
    for (LayoutAttr layout : ways.candidates().of(value)) {
      layouts.push_back(layoutNames(layout, problem.axes.of(value)));
      bytes.push_back(storedBytes(tensorType(value), layout));
    }
    values.push_back(lineOf(json::Object{{"name", name},
                                         {"layouts", std::move(layouts)},
                                         {"bytes", std::move(bytes)}}));
    graphValues.push_back(value);
    return numbers[value] = static_cast<int64_t>(graphValues.size()) - 1;
  }

  /// What ties both sides of a state, see SearchProblem.
  int64_t addStateOrder(Value state, const std::string &name) {
    const int64_t input = numbers.lookup(state);
    const int64_t number = addValue(state, name + " (order)");
    numbers[state] = input;
    graphValues.back() = Value();
    return stateOrders[state] = number;
  }

  void addOp(const WaysOfOp &op) {
    json::Array reads, makes;
    std::string name;
    if (op.input) {
      auto argument = cast<mlir::BlockArgument>(op.input);
      name = boundaryName(problem.function, argument.getArgNumber(), false);
      makes.push_back(addValue(op.input, name));
      if (op.state)
        makes.push_back(addStateOrder(op.state, name));
    } else if (op.read) {
      name = op.isOutput() ? boundaryName(problem.function,
                                          op.read->getOperandNumber(), true)
                           : opName(op.read->getOwner());
      reads.push_back(numbers.lookup(op.read->get()));
      if (op.state)
        reads.push_back(stateOrders.lookup(op.state));
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
    json::Array moves, runs;
    for (const search::Value &value : numbers.values)
      moves.push_back(relayouts.numberOf(json::Array(value.move)));
    for (const search::Op &op : numbers.ops)
      runs.push_back(waysOf(op));
    if (&onChip == choice.onChip)
      addPlan(searched);
    search::Prices found; // none are needed where ways alone cost as much
    if (searched.least() < choice.cost)
      found = search::findPrices(
          numbers, search::RelayoutTrees(numbers),
          {choice.cost, search::Deadline(problem.searchSeconds)});
    json::Array paid;
    for (const auto &op : found.paid) {
      json::Array operands;
      for (const std::vector<search::Cost> &operand : op)
        operands.push_back(json::Array(operand));
      paid.push_back(std::move(operands));
    }
    cases.push_back(lineOf(json::Object{{"slots", slotsOf(onChip)},
                                        {"relayouts", std::move(moves)},
                                        {"ways", std::move(runs)},
                                        {"scale", found.scale},
                                        {"prices", std::move(paid)}}));
  }

  /// The search's problem without what breaks ties: there, a unit of the
  /// objective is more than all of that together.
  search::Problem inUnits(const SearchProblem &searched) const {
    search::Problem numbers = searched.numbers();
    // What cannot be executed costs more than the plan.
    auto inUnits = [&](search::Cost cost) {
      int64_t units = searched.primary(cost);
      return searched.isBeyond(cost) ? std::max(units, choice.cost + 1) : units;
    };
    for (search::Value &value : numbers.values)
      for (search::Cost &cost : value.move)
        cost = inUnits(cost);
    for (search::Op &op : numbers.ops)
      for (search::Way &way : op.ways)
        way.cost = inUnits(way.cost);
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

  void addPlan(const SearchProblem &searched) {
    const search::Problem &numbers = searched.numbers();
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
                        {"tiles", json::Array(searched.tileBytes(choice.ways))},
                        {"cost", choice.cost}};
  }

  const LayoutProblem &problem;
  const OpWays &ways;
  SearchPrices &prices;
  const CertifiedChoice &choice;
  llvm::DenseMap<Value, int64_t> numbers, stateOrders;
  std::vector<Value> graphValues; // by number
  llvm::DenseMap<Value, Life> lives;
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
