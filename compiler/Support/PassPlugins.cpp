// SPDX-License-Identifier: Apache-2.0
#include "compiler/Support/PassPlugins.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <dlfcn.h>
#include <mutex>
#include <set>

using namespace npu;

std::string npu::registerPasses(const plugin::Plugin &plugin) {
  static std::mutex mutex;
  static auto *known = new std::set<const plugin::Plugin *>;
  std::lock_guard<std::mutex> lock(mutex);
  if (!plugin.passes || known->count(&plugin))
    return "";
  plugin::InPlugin guard(plugin, "mlirGetPassPluginInfo");
  auto get = reinterpret_cast<mlir::PassPluginLibraryInfo (*)()>(plugin.passes);
  mlir::PassPluginLibraryInfo info = get();
  if (info.apiVersion != MLIR_PLUGIN_API_VERSION)
    return "plugin " + plugin.nameAndVersion() +
           ": its passes are for version " + std::to_string(info.apiVersion) +
           " of MLIR's interface, expected " +
           std::to_string(MLIR_PLUGIN_API_VERSION) +
           "; build it with the MLIR that npuc was built with";
  if (!info.registerPassRegistryCallbacks)
    return "plugin " + plugin.nameAndVersion() +
           ": mlirGetPassPluginInfo gives no function that registers passes";
  info.registerPassRegistryCallbacks();
  known->insert(&plugin);
  return "";
}

namespace {

class NamePlugin : public mlir::PassInstrumentation {
public:
  explicit NamePlugin(plugin::Use use) : use(std::move(use)) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    const plugin::Plugin *owner = ownerOf(*pass);
    inside().push_back(
        owner ? std::make_unique<plugin::InPlugin>(*owner, "pass") : nullptr);
  }
  void runAfterPass(mlir::Pass *, mlir::Operation *) override {
    inside().pop_back();
  }
  void runAfterPassFailed(mlir::Pass *, mlir::Operation *) override {
    inside().pop_back();
  }

private:
  /// Of this thread's passes, one within another.
  static std::vector<std::unique_ptr<plugin::InPlugin>> &inside() {
    static thread_local std::vector<std::unique_ptr<plugin::InPlugin>> stack;
    return stack;
  }

  /// The plugin in whose library the pass's class is.
  const plugin::Plugin *ownerOf(const mlir::Pass &pass) const {
    const void *table = *reinterpret_cast<void *const *>(&pass);
    Dl_info info;
    if (!dladdr(table, &info))
      return nullptr;
    for (const plugin::Plugin *plugin : use.plugins)
      if (plugin->path == info.dli_fname)
        return plugin;
    return nullptr;
  }

  const plugin::Use use;
};

} // namespace

std::unique_ptr<mlir::PassInstrumentation>
npu::namePluginOfPass(plugin::Use use) {
  return std::make_unique<NamePlugin>(std::move(use));
}
