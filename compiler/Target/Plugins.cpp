// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Plugins.h"

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Support/PassPlugins.h"
#include "compiler/Target/CompilerPlugins.h"
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace npu;

std::optional<std::vector<const plugin::Plugin *>>
npu::loadPlugins(ArrayRef<std::string> paths, std::string &error) {
  std::vector<const plugin::Plugin *> plugins;
  for (const std::string &path : paths) {
    plugins.push_back(plugin::load(path, error));
    if (!plugins.back())
      return std::nullopt;
    error = whyNotTables(*plugins.back());
    if (error.empty())
      error = registerPasses(*plugins.back());
    if (!error.empty())
      return std::nullopt;
  }
  return plugins;
}

const plugin::Plugin *npu::loadTargetPlugin(const std::string &path,
                                            const AllowedPlugins &allowed,
                                            std::string &error) {
  llvm::SmallString<128> real;
  if (!allowed.all && !llvm::sys::fs::real_path(path, real))
    for (const plugin::Plugin *plugin : allowed.named)
      if (plugin->path == real)
        return plugin;
  if (!allowed.all) {
    error = "the library '" + path +
            "' is code that would run here; if you trust it, name it with "
            "--plugin=" +
            path + ", or say --allow-target-plugins for all that targets name";
    return nullptr;
  }
  auto loaded = loadPlugins({path}, error);
  return loaded ? loaded->front() : nullptr;
}

AllowedPlugins npu::allowedPlugins(MLIRContext &context) {
  const auto *dialect = context.getOrLoadDialect<NPUDialect>();
  AllowedPlugins allowed;
  allowed.all = dialect->allowsTargetPlugins;
  if (dialect->plugins)
    allowed.named = dialect->plugins->plugins;
  return allowed;
}

static void add(MLIRContext &context, ArrayRef<const plugin::Plugin *> plugins,
                StringRef target) {
  auto *dialect = context.getOrLoadDialect<NPUDialect>();
  const plugin::Use *before = dialect->plugins;
  std::vector<const plugin::Plugin *> all;
  if (before)
    all = before->plugins;
  all.insert(all.end(), plugins.begin(), plugins.end());
  if (all.empty())
    return;
  const plugin::Use *after = plugin::use(std::move(all), target.str());
  if (after != before) // passes of several functions say the same
    dialect->plugins = after;
}

void npu::addPlugins(MLIRContext &context,
                     ArrayRef<const plugin::Plugin *> plugins) {
  add(context, plugins, "");
}

void npu::addPlugins(MLIRContext &context, const TargetSpec &target) {
  add(context, target.plugins, target.name);
}

/// Of a plugin's are those with a dot.
static bool isBrought(StringRef algorithm, const plugin::Use *use) {
  if (!algorithm.contains('.'))
    return true;
  if (use)
    for (const plugin::Plugin *plugin : use->plugins)
      for (const npuc_alternative *row : alternativesOf(*plugin))
        if (nameIn(*plugin, row->name) == algorithm)
          return true;
  return false;
}

std::string npu::whyNotAlgorithms(const TargetSpec &target,
                                  MLIRContext &context) {
  const plugin::Use *use = pluginsOf(&context);
  for (const std::string &algorithm : target.algorithms)
    if (!isBrought(algorithm, use))
      return "target '" + target.name + "' lists the algorithm '" + algorithm +
             "', which no plugin brings; name the plugin's library in the "
             "target's `plugins`, or with --plugin";
  return "";
}
