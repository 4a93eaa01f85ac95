// SPDX-License-Identifier: Apache-2.0
//
// Plugins: loading them, the list of those that are loaded, and which of them
// this thread is in. What they bring is read by kernels/ and by the compiler.
#ifndef NPU_PLUGIN_PLUGIN_H
#define NPU_PLUGIN_PLUGIN_H

#include "npu/plugin_host.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

struct npu_plugin;
struct npu_plugin_op;

namespace npu::plugin {

/// One loaded library; lives until the process ends.
struct Plugin {
  std::string name, version;
  std::string path;       ///< of the file, without links
  void *handle = nullptr; ///< dlopen's
  /// What the entries returned, header checked; null without that entry.
  const npu_plugin *runtime = nullptr;         ///< npu_plugin_get
  const npu_plugin_header *compiler = nullptr; ///< npuc_plugin_get
  void *passes = nullptr; ///< the symbol mlirGetPassPluginInfo

  /// "acme 1.0", for messages and files.
  std::string nameAndVersion() const { return name + " " + version; }

  /// Of `runtime`; null: it has no such op.
  const npu_plugin_op *findOp(const std::string &op) const;

  /// Notes an answer that the plugin may not give. The first one stays: whoever
  /// gets no answer asks for it and ends with an error.
  void blame(const std::string &what) const;
  std::string fault() const;

private:
  mutable std::mutex mutex;
  mutable std::string firstFault;
};

/// Loads the library, or finds it where it is loaded. Null after a sentence in
/// `error`.
const Plugin *load(const std::string &path, std::string &error);

constexpr size_t longestName = 32;
/// What a plugin, and what it brings, may be called: a-z, then a-z, 0-9 or _.
bool isName(const std::string &text);

/// All that this process has loaded so far.
std::vector<const Plugin *> loadedPlugins();

/// What a plugin wrote as its reason, ended if it did not end it. Text of
/// others: not yet fit for a terminal.
std::string reasonOf(char (&text)[NPU_PLUGIN_TEXT]);

/// Why what npu_plugin_get returned is refused; else empty.
std::string checkRuntime(const npu_plugin &plugin);

/// The plugins that one compilation, or one program, has: in the order in which
/// they were named, each once.
struct Use {
  std::vector<const Plugin *> plugins;
  std::string target; ///< the chip's name

  const Plugin *find(const std::string &name) const;
  /// The first plugin's; empty where none is to blame.
  std::string fault() const;
};

/// The one with these contents; lives until the process ends, so that its
/// address stands for it.
const Use *use(std::vector<const Plugin *> plugins, const std::string &target);

/// Around each call into a plugin: a crash within names it.
class InPlugin {
public:
  /// `what` is called, "kernel 'rows': query"; both outlive the object.
  InPlugin(const Plugin &plugin, const char *what)
      : InPlugin(plugin.name.c_str(), plugin.version.c_str(), what) {}
  InPlugin(const char *name, const char *version, const char *what);
  ~InPlugin();
  InPlugin(const InPlugin &) = delete;
  InPlugin &operator=(const InPlugin &) = delete;

private:
  const char *outer[3];
};

/// "acme 1.0 (what)" of the innermost InPlugin of this thread, or null. For
/// handlers of signals: allocates nothing, valid until called again.
const char *running();

/// Who gets this thread's messages of plugins while it lives; without one, they
/// go to the error output.
class MessageScope {
public:
  using Handler = std::function<void(int32_t severity, const std::string &)>;
  explicit MessageScope(Handler handler);
  ~MessageScope();
  MessageScope(const MessageScope &) = delete;
  MessageScope &operator=(const MessageScope &) = delete;

private:
  Handler handler;
  const Handler *outer;
};

} // namespace npu::plugin

#endif // NPU_PLUGIN_PLUGIN_H
