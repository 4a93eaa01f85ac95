// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-layout-diff/Compare.h"

using namespace npu::diff;

/// Pairs the rows of two lists that have the same key, in order; a key may
/// stand several times. Rows without a partner go to `gone` and `added`.
template <typename Row, typename Key, typename Pair>
static void match(const std::vector<Row> &before, const std::vector<Row> &after,
                  Key key, Pair pair, std::vector<Row> &gone,
                  std::vector<Row> &added) {
  std::map<std::string, std::vector<const Row *>> open;
  std::map<std::string, size_t> used;
  for (const Row &row : before)
    open[key(row)].push_back(&row);
  for (const Row &row : after) {
    std::string name = key(row);
    size_t &next = used[name];
    auto partners = open.find(name);
    if (partners != open.end() && next < partners->second.size())
      pair(*partners->second[next++], row);
    else
      added.push_back(row);
  }
  std::map<std::string, size_t> seen;
  for (const Row &row : before) {
    std::string name = key(row);
    if (seen[name]++ >= used[name])
      gone.push_back(row);
  }
}

static void addFact(std::vector<ChangedFact> &facts, const char *key,
                    const std::string &a, const std::string &b) {
  if (a != b)
    facts.push_back({key, a, b});
}

static std::vector<ChangedFact> compareSettings(const Report &before,
                                                const Report &after) {
  std::vector<ChangedFact> settings;
  addFact(settings, "target", before.target, after.target);
  addFact(settings, "layout", before.layout, after.layout);
  addFact(settings, "objective", before.objective, after.objective);
  return settings;
}

/// A reason without the target's name.
static std::string reasonOf(const Relayout &row, const Report &report) {
  std::string text = row.reason, name = " on " + report.target + " ";
  size_t at = text.find(name);
  return at == std::string::npos ? text : text.replace(at, name.size(), " ");
}

static std::vector<ChangedFact> compareFacts(const Report &before,
                                             const Report &after) {
  std::vector<ChangedFact> facts;
  auto add = [&](const char *key, const std::string &a, const std::string &b) {
    addFact(facts, key, a, b);
  };
  auto amount = [&](const char *key, int64_t a, int64_t b) {
    add(key, std::to_string(a), std::to_string(b));
  };
  amount("cost", before.cost, after.cost);
  amount("relayouts", before.count, after.count);
  amount("relayout bytes", before.bytes, after.bytes);
  amount("relayouts at the boundary", before.boundaryCount,
         after.boundaryCount);
  amount("arena bytes", before.arenaBytes, after.arenaBytes);
  amount("weight bytes", before.weightBytes, after.weightBytes);
  auto proof = [&](const char *key, auto text) {
    add(key, before.optimal ? text(*before.optimal) : "none",
        after.optimal ? text(*after.optimal) : "none");
  };
  proof("lower bound",
        [](const Proof &one) { return std::to_string(one.lowerBound); });
  proof("proved", [](const Proof &one) {
    return std::string(one.proved ? "yes" : "no");
  });
  return facts;
}

Difference npu::diff::compare(const Report &before, const Report &after) {
  Difference difference;
  difference.settings = compareSettings(before, after);
  difference.facts = compareFacts(before, after);
  match(
      before.relayouts, after.relayouts,
      [](const Relayout &row) {
        return row.kind + "\n" + row.value + "\n" + row.node;
      },
      [&](const Relayout &a, const Relayout &b) {
        if (a.from != b.from || a.to != b.to || a.bytes != b.bytes ||
            reasonOf(a, before) != reasonOf(b, after))
          difference.relayouts.push_back({a, b});
      },
      difference.gone, difference.added);
  // Kernels are numbered through, so that one relayout less renames all behind
  // it; and the kernels of relayouts are the relayouts above.
  auto computing = [](const std::vector<Kernel> &kernels) {
    std::vector<Kernel> rows;
    for (const Kernel &kernel : kernels)
      if (kernel.op != "relayout" && kernel.op != "transpose" &&
          kernel.op != "reshape")
        rows.push_back(kernel);
    return rows;
  };
  match(
      computing(before.kernels), computing(after.kernels),
      [](const Kernel &row) { return row.op + "\n" + row.node; },
      [&](const Kernel &a, const Kernel &b) {
        if (a.layouts != b.layouts || a.implementation != b.implementation)
          difference.kernels.push_back({a, b});
      },
      difference.goneKernels, difference.addedKernels);
  return difference;
}
