// SPDX-License-Identifier: Apache-2.0
#include "test/certificate/CertificateText.h"

#include "certificate/certificate.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu::certificate::test {

using nlohmann::json;

static json planOf(const search::Problem &problem,
                   const std::vector<int> &ways) {
  search::RelayoutTrees trees(problem);
  std::vector<search::Copies> copies = search::copiesOf(problem, ways);
  json steps = json::array();
  for (size_t v = 0; v < copies.size(); ++v)
    for (search::Relayout step :
         trees.tree(static_cast<int>(v), copies[v].stored, copies[v].wanted))
      steps.push_back({v, step.from, step.to});
  return {{"case", 0},
          {"ways", ways},
          {"relayouts", steps},
          {"tiles", std::vector<int>(problem.ops.size(), 0)},
          {"cost", search::totalCost(problem, ways)}};
}

json certificateOf(const search::Problem &problem, const std::vector<int> &ways,
                   const search::Prices &prices) {
  json result = {{"format", "npuc layout certificate"},
                 {"version", 2},
                 {"model", "random"},
                 {"target", "none"},
                 {"unit", "cycles"},
                 {"memory", 0},
                 {"values", json::array()},
                 {"ops", json::array()},
                 {"relayouts", json::array()},
                 {"ways", json::array()}};
  json numbers = json::array();
  for (const search::Value &value : problem.values) {
    numbers.push_back(numbers.size());
    json layouts = json::array();
    for (int layout = 0; layout < value.layouts; ++layout)
      layouts.push_back(std::to_string(layout));
    result["values"].push_back({{"name", "v"},
                                {"layouts", layouts},
                                {"bytes", std::vector<int>(value.layouts, 1)}});
    result["relayouts"].push_back(value.move);
  }
  json lists = json::array();
  for (const search::Op &op : problem.ops) {
    lists.push_back(lists.size());
    result["ops"].push_back(
        {{"name", "op"}, {"reads", op.operands}, {"makes", op.results}});
    json list = json::array();
    for (const search::Way &way : op.ways) {
      json one = {way.cost};
      for (int layout : way.layouts)
        one.push_back(layout);
      list.push_back(one);
    }
    result["ways"].push_back(list);
  }
  result["cases"] = {{{"slots", json::array()},
                      {"relayouts", numbers},
                      {"ways", lists},
                      {"scale", prices.scale},
                      {"prices", prices.paid}}};
  result["plan"] = planOf(problem, ways);
  return result;
}

std::string verdictOn(const std::string &text) {
  try {
    Work work;
    check(read(text, work), work);
    return {};
  } catch (const Malformed &error) {
    return std::string("malformed: ") + error.what();
  } catch (const Refuted &error) {
    return std::string("refuted: ") + error.what();
  }
}

} // namespace npu::certificate::test
