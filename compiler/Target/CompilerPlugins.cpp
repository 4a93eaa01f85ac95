// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/CompilerPlugins.h"

#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "files/shown_text.h"

#include <mutex>
#include <set>

using namespace npu;

static const npuc_plugin *tablesOf(const plugin::Plugin &plugin) {
  return reinterpret_cast<const npuc_plugin *>(plugin.compiler);
}

template <class Row>
static ArrayRef<const Row *> listed(const Row *const *rows, int32_t count) {
  return ArrayRef(rows, static_cast<size_t>(count));
}

ArrayRef<const npuc_layout_rule *> npu::rulesOf(const plugin::Plugin &plugin) {
  const npuc_plugin *tables = tablesOf(plugin);
  return tables ? listed(tables->rules, tables->rule_count)
                : ArrayRef<const npuc_layout_rule *>();
}

ArrayRef<const npuc_strategy *>
npu::strategiesOf(const plugin::Plugin &plugin) {
  const npuc_plugin *tables = tablesOf(plugin);
  return tables ? listed(tables->strategies, tables->strategy_count)
                : ArrayRef<const npuc_strategy *>();
}

ArrayRef<const npuc_alternative *>
npu::alternativesOf(const plugin::Plugin &plugin) {
  const npuc_plugin *tables = tablesOf(plugin);
  return tables ? listed(tables->alternatives, tables->alternative_count)
                : ArrayRef<const npuc_alternative *>();
}

StringRef npu::nameIn(const plugin::Plugin &plugin, StringRef name) {
  static std::mutex mutex;
  static auto *known = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(mutex);
  return *known->insert((plugin.name + "." + name).str()).first;
}

std::string npu::shownReason(char (&reason)[NPU_PLUGIN_TEXT]) {
  return files::shownMessage(plugin::reasonOf(reason));
}

std::string npu::blame(const plugin::Plugin &plugin, const Twine &what) {
  return ("plugin " + plugin.nameAndVersion() + ": " + what).str();
}

static std::string shownName(const char *name) {
  return name ? "'" + files::shownName(name) + "'" : "that has no name";
}

static std::string whyNot(const npuc_layout_rule &rule) {
  StringRef strategy = rule.strategy ? rule.strategy : "";
  if (strategy != "convert" && strategy != "alter")
    return "is for a strategy " + shownName(rule.strategy) +
           ", expected 'convert' or 'alter'";
  const OpWords *op = rule.op ? lookupOpWords(rule.op) : nullptr;
  if (!op || op->sensitivity != Sensitivity::Heavy)
    return "is for an op " + shownName(rule.op) +
           ", expected one that takes desired layouts, such as 'conv2d'";
  return rule.layouts ? "" : "has no function `layouts`";
}

/// What strategies and alternatives have in common.
template <class Row>
static std::string whyNotNamed(const Row &row) {
  if (!row.name || !plugin::isName(row.name))
    return "is one " + shownName(row.name) +
           ", expected a name of a-z, then a-z, 0-9 or _, at most 32 "
           "characters";
  if (!row.summary || !*row.summary || StringRef(row.summary).contains('\n'))
    return "'" + std::string(row.name) +
           "' has no summary, expected one line for people";
  return "";
}

static std::string whyNot(const npuc_strategy &row) {
  std::string why = whyNotNamed(row);
  if (why.empty() && !row.choose)
    return "'" + std::string(row.name) + "' has no function `choose`";
  return why;
}

static std::string whyNot(const npuc_alternative &row) {
  std::string why = whyNotNamed(row);
  if (!why.empty())
    return why;
  if (!row.op || !lookupOpWords(row.op))
    return "'" + std::string(row.name) + "' is for an op " + shownName(row.op) +
           ", which npuc does not know";
  if (!row.why_not || !row.replace)
    return "'" + std::string(row.name) +
           "' lacks the function `why_not` or `replace`";
  return "";
}

/// What no two rows of a table share; rules may say the same twice.
static std::string keyOf(const npuc_layout_rule &) { return ""; }
template <class Row>
static std::string keyOf(const Row &row) {
  return row.name;
}

template <class Row>
static std::string whyNotTable(const char *what, const Row *const *rows,
                               int32_t count) {
  if (count < 0 || (count > 0 && !rows))
    return std::string("the table of ") + what + " has " +
           std::to_string(count) + " rows at " + (rows ? "an" : "no") +
           " address";
  std::set<std::string> keys;
  for (int32_t i = 0; i < count; ++i) {
    std::string place =
        std::string("row ") + std::to_string(i) + " of " + what + " ";
    if (!rows[i])
      return place + "is null";
    if (rows[i]->struct_size < sizeof(Row))
      return place + "has a struct_size of " +
             std::to_string(rows[i]->struct_size) + ", expected " +
             std::to_string(sizeof(Row)) + "; set it to sizeof() of the struct";
    if (std::string why = whyNot(*rows[i]); !why.empty())
      return place + why;
    std::string key = keyOf(*rows[i]);
    if (!key.empty() && !keys.insert(key).second)
      return place + "has the name '" + key + "' of an earlier one";
  }
  return "";
}

std::string npu::whyNotTables(const plugin::Plugin &plugin) {
  const npuc_plugin *tables = tablesOf(plugin);
  if (!tables)
    return "";
  if (tables->header.struct_size < sizeof(npuc_plugin))
    return blame(plugin, "npuc_plugin_get returned a struct_size of " +
                             Twine(tables->header.struct_size) + ", expected " +
                             Twine(sizeof(npuc_plugin)) +
                             "; set it to sizeof(npuc_plugin)");
  std::string why = whyNotTable("rules", tables->rules, tables->rule_count);
  if (why.empty())
    why = whyNotTable("strategies", tables->strategies, tables->strategy_count);
  if (why.empty())
    why = whyNotTable("alternatives", tables->alternatives,
                      tables->alternative_count);
  return why.empty() ? "" : blame(plugin, "npuc_plugin_get: " + why);
}
