// SPDX-License-Identifier: Apache-2.0
//
// A lower bound of a cost network, raised by messages between neighbours.
#ifndef NPU_COMPILER_SEARCH_MESSAGES_H
#define NPU_COMPILER_SEARCH_MESSAGES_H

#include "compiler/Search/CostNetwork.h"

namespace npu::search {

/// Sequential tree-reweighted message passing (V. Kolmogorov, 2006). Messages
/// move costs between variables and pairs; for every choice the sum stays the
/// same, so the sum of all minima is a bound, whatever the messages are. They
/// are floating-point numbers; what they prove is computed in exact integers.
class Messages {
public:
  /// A cost above `most` counts as `most`: no choice that pays it matters.
  Messages(const CostNetwork &network, Cost most);

  /// Over all variables, and back.
  void pass();

  /// States that fit each other and what the messages say.
  std::vector<int> choose() const;

  struct Bound {
    Cost least = 0;
    /// No choice with this state costs less, for each state of each variable.
    std::vector<std::vector<Cost>> withState;
  };
  Bound bound() const;

  /// The network with the costs moved as the messages say, in integers.
  CostNetwork moved() const;

  /// How many numbers a pass looks at.
  double work() const { return static_cast<double>(numbers.size()); }

private:
  /// A pair as one of its variables sees it. Positions in `numbers`.
  struct Link {
    size_t table = 0; // by own state, then the other's
    size_t in = 0;    // the message to the variable itself
    size_t out = 0;   // to the other
    size_t costs = 0; // the other's
    int states = 0;   // of the other
    int other = 0;    // its place in the order
  };
  /// A variable, with its links to those before it in the order, or after it.
  struct Node {
    size_t costs = 0; // of its states, with all messages, in `numbers`
    int states = 0;
    double share = 1; // of its costs that it gives to each link
    std::vector<Link> before, after;
  };
  /// Where the messages of a pair are.
  struct Pair {
    size_t toFirst = 0, toSecond = 0;
  };

  std::vector<int> orderOf() const;
  void addTables(const std::vector<int> &position);
  size_t addTable(const PairCost &pair, bool fromFirst);
  void send(const Node &node, const Link &link);
  void visit(const Node &node, const std::vector<Link> &links, bool keep);

  const CostNetwork &network;
  const Cost most;
  std::vector<int> order;
  std::vector<Node> nodes; // in this order
  std::vector<Pair> pairs;
  /// What is visited together stands together.
  std::vector<double> numbers;
  std::vector<double> given, fresh; // room for as many states as any has
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_MESSAGES_H
