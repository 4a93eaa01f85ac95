// SPDX-License-Identifier: Apache-2.0
#include "certificate/certificate.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace npu::certificate {

using Json = nlohmann::json;

static void require(bool holds, const std::string &what) {
  if (!holds)
    throw Malformed(what);
}

void Work::spend(int64_t steps) {
  left -= steps;
  require(left >= 0, "it takes too long to check");
}

/// Nesting is shallow, and numbers are whole and not huge, which is reported
/// only once the text is known to be a certificate.
static Json parse(const std::string &text, std::string &wrong) {
  auto isPlain = [&](int depth, Json::parse_event_t event, Json &json) {
    require(depth < 8, "lists lie too deep in each other");
    if (event == Json::parse_event_t::value && json.is_number() &&
        !(json.is_number_integer() && std::abs(json.get<double>()) <= 0x1p53))
      wrong = "a number is not whole, or beyond 2^53";
    return true;
  };
  return Json::parse(text, isPlain);
}

static void checkFormat(const Json &json) {
  require(!json.contains("compile_seconds"),
          "it is a report (npuc --report); npuc --certificate=FILE "
          "writes a certificate");
  require(json.is_object() &&
              json.value("format", Json()) == "npuc layout certificate" &&
              json.value("version", Json()) == 2,
          "it does not say that it is version 2 of a certificate");
}

static void checkIndices(const Numbers &indices, size_t entries, size_t count,
                         const std::string &what) {
  require(indices.size() == entries,
          std::to_string(entries) + " numbers of " + what + " are expected");
  for (int64_t index : indices)
    require(index >= 0 && index < int64_t(count),
            "there is no number " + std::to_string(index) + " among " +
                std::to_string(count) + " " + what);
}

static void readGraph(const Json &json, Certificate &all) {
  for (const Json &value : json.at("values")) {
    all.values.push_back(value.at("layouts").size());
    require(all.values.back() >= 1 && all.values.back() <= 64,
            "a value has not 1 to 64 layouts"); // sets of them are bits
    all.bytes.push_back(value.at("bytes"));
    require(int64_t(all.bytes.back().size()) == all.values.back(),
            "a value has not bytes for each layout");
  }
  std::vector<char> made(all.values.size(), 0);
  for (const Json &op : json.at("ops")) {
    const auto &[reads, makes] =
        all.ops.emplace_back(Op{op.at("reads"), op.at("makes")});
    checkIndices(reads, reads.size(), made.size(), "values");
    checkIndices(makes, makes.size(), made.size(), "values");
    for (int64_t value : reads)
      require(made[value], "an op reads a value that none before it makes");
    for (int64_t value : makes)
      require(!std::exchange(made[value], 1), "two ops make one value");
  }
  require(std::count(made.begin(), made.end(), 0) == 0,
          "a value is made by no op");
}

static bool fits(const Certificate &all, const Op &op, const Numbers &way) {
  const size_t reads = op.reads.size();
  bool fits = way.size() == 1 + reads + op.makes.size() && way[0] >= 0;
  for (size_t k = 0; fits && k + 1 < way.size(); ++k)
    fits =
        way[k + 1] >= (k < reads ? asStored : 0) &&
        way[k + 1] < all.values[k < reads ? op.reads[k] : op.makes[k - reads]];
  return fits;
}

/// Everything in a case has its size, and no sum of it overflows.
static void checkCase(const Certificate &all, const Case &one, Work &work) {
  require(one.scale >= 1 && one.scale <= 1 << 20, "a scale is beyond 2^20");
  double sum = 0;
  checkIndices(one.relayouts, all.values.size(), all.relayouts.size(),
               "lists of relayouts");
  for (size_t v = 0; v < all.values.size(); ++v) {
    const Numbers &costs = all.relayouts[one.relayouts[v]];
    const size_t layouts = all.values[v];
    work.spend(costs.size());
    require(costs.size() == layouts * layouts,
            "relayouts are of another number of layouts than their value");
    for (size_t i = 0; i < costs.size(); ++i) {
      require(i % (layouts + 1) == 0 ? costs[i] == 0 : costs[i] >= 0,
              "a relayout costs less than nothing, or one to itself something");
      sum += double(costs[i]) * double(one.scale);
    }
  }
  checkIndices(one.ways, all.ops.size(), all.ways.size(), "lists of ways");
  for (size_t i = 0; i < all.ops.size(); ++i) {
    require(!all.ways[one.ways[i]].empty(), "an op has no way to run");
    for (const Numbers &way : all.ways[one.ways[i]]) {
      work.spend(way.size() + 1);
      require(fits(all, all.ops[i], way),
              "op " + std::to_string(i) + " has a way that does not fit it");
      sum += double(way[0]) * double(one.scale);
    }
  }
  require(one.prices.empty() || one.prices.size() == all.ops.size(),
          "there are not prices for each op");
  for (size_t i = 0; i < one.prices.size(); ++i) {
    const Numbers &reads = all.ops[i].reads;
    require(one.prices[i].size() == reads.size(), "an operand has no prices");
    for (size_t k = 0; k < reads.size(); ++k) {
      require(int64_t(one.prices[i][k].size()) == all.values[reads[k]],
              "there is not a price for each layout of a value");
      for (int64_t price : one.prices[i][k])
        sum += std::abs(double(price));
    }
  }
  require(sum < mostCost, "costs times scale, and prices, add up to over 2^54");
}

static std::vector<Slot> readSlots(const Json &list, const Certificate &all) {
  std::vector<Slot> slots;
  for (const Json &json : list) {
    const Slot &slot = slots.emplace_back(
        Slot{json.at("values"), json.at("offset"), json.at("place"),
             json.at("bytes"), json.at("first"), json.at("last")});
    require(!slot.values.empty(), "a slot is of no value");
    checkIndices(slot.values, slot.values.size(), all.values.size(), "values");
    checkIndices({slot.first, slot.last}, 2, all.ops.size(), "ops");
    require(slot.first <= slot.last, "a slot ends before it begins");
    require(slot.offset >= 0 && slot.place >= 0 && slot.bytes >= slot.place,
            "a slot has less than no bytes, or less than its place");
  }
  return slots;
}

static void readPlan(const Json &plan, Certificate &all) {
  plan.at("case").get_to(all.planCase);
  plan.at("cost").get_to(all.planCost);
  plan.at("ways").get_to(all.planWays);
  plan.at("relayouts").get_to(all.planRelayouts);
  plan.at("tiles").get_to(all.planTiles);
  require(all.planTiles.size() == all.ops.size() &&
              std::all_of(all.planTiles.begin(), all.planTiles.end(),
                          [](int64_t bytes) { return bytes >= 0; }),
          "there are not bytes of tiles for each op");
  checkIndices({all.planCase}, 1, all.cases.size(), "cases");
  const Numbers &lists = all.cases[all.planCase].ways;
  require(all.planWays.size() == all.ops.size(), "the plan has not all ops");
  for (size_t i = 0; i < all.ops.size(); ++i)
    checkIndices({all.planWays[i]}, 1, all.ways[lists[i]].size(), "ways");
  for (const Numbers &step : all.planRelayouts) {
    require(step.size() == 3, "a relayout is not a value and two layouts");
    checkIndices({step[0]}, 1, all.values.size(), "values");
    checkIndices({step[1], step[2]}, 2, all.values[step[0]], "layouts");
  }
}

Certificate read(const std::string &text, Work &work) try {
  require(text.size() <= mostBytes, tooLarge);
  std::string wrong;
  const Json json = parse(text, wrong);
  checkFormat(json);
  require(wrong.empty(), wrong);
  Certificate all{json.at("model"), json.at("target"), json.at("unit")};
  json.at("memory").get_to(all.memory);
  readGraph(json, all);
  json.at("relayouts").get_to(all.relayouts);
  json.at("ways").get_to(all.ways);
  for (const Json &one : json.at("cases")) {
    all.cases.push_back({one.at("relayouts"), one.at("ways"), one.at("scale"),
                         one.at("prices"), readSlots(one.at("slots"), all)});
    checkCase(all, all.cases.back(), work);
  }
  readPlan(json.at("plan"), all);
  return all;
} catch (const Json::exception &error) {
  const std::string what = error.what(); // behind the library's number of it
  throw Malformed(what.substr(what.find("] ") + 2));
}

} // namespace npu::certificate
