// SPDX-License-Identifier: Apache-2.0
#include "plugin/Plugin.h"

#include "files/input_file.h"
#include "npu/plugin.h"
#include "plugin/Library.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>

namespace npu::plugin {
namespace {

bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isVersion(const std::string &text) {
  return !text.empty() && text.size() <= longestName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return isLower(c) || isDigit(c) || (c >= 'A' && c <= 'Z') ||
                  c == '.' || c == '+' || c == '-' || c == '_';
         });
}

/// Of text that a plugin gave: not longer than it is of use in a message.
std::string shown(const char *text) {
  std::string all(text);
  return "'" + all.substr(0, 2 * longestName) + "'";
}

void *allocateBlock(uint64_t bytes) {
  constexpr size_t alignment = 64;
  if (bytes > SIZE_MAX - alignment)
    return nullptr;
  size_t rounded = (static_cast<size_t>(bytes) + alignment) / alignment;
  return std::aligned_alloc(alignment, rounded * alignment);
}

void releaseBlock(void *block) { std::free(block); }

thread_local const MessageScope::Handler *messageHandler = nullptr;

void tell(int32_t severity, const char *text) {
  const char *who = running();
  std::string sentence = "plugin " + std::string(who ? who : "(unknown)") +
                         ": " + (text ? text : "(no text)");
  if (messageHandler)
    (*messageHandler)(severity, sentence);
  else
    std::fprintf(stderr, "%s: %s\n", severity > 0 ? "warning" : "note",
                 sentence.c_str());
}

const npu_plugin_host host = {sizeof(npu_plugin_host), NPU_PLUGIN_ABI_VERSION,
                              allocateBlock, releaseBlock, tell};

using Get = const npu_plugin_header *(*)(const npu_plugin_host *, uint32_t);

/// Of the libraries that this process has loaded.
struct List {
  std::mutex mutex;
  std::vector<std::unique_ptr<Plugin>> plugins;
};

List &loaded() {
  static auto *list = new List; // outlives whoever uses it at exit
  return *list;
}

/// Why what an entry returned is refused; else empty.
std::string checkHeader(const npu_plugin_header *header) {
  const std::string wanted = std::to_string(NPU_PLUGIN_ABI_VERSION);
  if (!header)
    return "returned null; this npuc has version " + wanted +
           " of the interface, so either the plugin is for another one or it "
           "could not start";
  if (header->struct_size < sizeof(npu_plugin_header))
    return "returned a struct_size of " + std::to_string(header->struct_size) +
           ", expected " + std::to_string(sizeof(npu_plugin_header)) +
           " or more; set it to sizeof() of the struct";
  if (header->abi_version != NPU_PLUGIN_ABI_VERSION)
    return "was built with version " + std::to_string(header->abi_version) +
           " of the interface, expected " + wanted +
           "; build it with the headers of this npuc";
  if (!header->name || !isName(header->name) ||
      std::string(header->name) == "npu")
    return "has the name " + shown(header->name ? header->name : "") +
           ", expected a-z, then a-z, 0-9 or _, at most 32 characters, not "
           "'npu'";
  if (!header->version || !isVersion(header->version))
    return "has the version " + shown(header->version ? header->version : "") +
           ", expected letters, digits, '.', '+', '-' or '_', 1 to 32 of them";
  return "";
}

/// "acme" of "/x/libacme.so", for a library of passes, which are named by
/// MLIR's interface alone.
std::string nameOfFile(const std::string &path) {
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.compare(0, 3, "lib") == 0)
    name.erase(0, 3);
  return name.substr(0, name.find('.'));
}

/// Calls an entry, if the library has it; a sentence's end if that is refused.
std::string ask(Plugin &plugin, const char *symbol,
                const npu_plugin_header *&header) {
  auto get = reinterpret_cast<Get>(dlsym(plugin.handle, symbol));
  if (!get)
    return "";
  const npu_plugin_header *returned = nullptr;
  {
    InPlugin guard(plugin.name.c_str(), "", symbol);
    returned = get(&host, NPU_PLUGIN_ABI_VERSION);
  }
  if (std::string why = checkHeader(returned); !why.empty())
    return std::string(symbol) + " " + why;
  if (!plugin.version.empty() &&
      (plugin.name != returned->name || plugin.version != returned->version))
    return "npu_plugin_get says " + plugin.nameAndVersion() + " and " + symbol +
           " says " + returned->name + " " + returned->version +
           "; both must say the same";
  plugin.name = returned->name;
  plugin.version = returned->version;
  header = returned;
  return "";
}

std::string open(Plugin &plugin) {
  // Loading runs what the library has to run first: not of any library.
  if (std::string why = checkLibrary(plugin.path); !why.empty())
    return why;
  plugin.name = nameOfFile(plugin.path); // until it says better
  {
    InPlugin guard(plugin.name.c_str(), "", "loading");
    plugin.handle = dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!plugin.handle) {
    const char *why = dlerror();
    return std::string("the system cannot load it: ") +
           (why ? why : "no reason given");
  }
  const npu_plugin_header *runtime = nullptr;
  for (auto [symbol, header] : {std::pair(entries[0], &runtime),
                                std::pair(entries[1], &plugin.compiler)})
    if (std::string why = ask(plugin, symbol, *header); !why.empty())
      return why;
  plugin.runtime = reinterpret_cast<const npu_plugin *>(runtime);
  if (runtime)
    if (std::string why = checkRuntime(*plugin.runtime); !why.empty())
      return "npu_plugin_get returned " + why;
  plugin.passes = dlsym(plugin.handle, entries[2]);
  if (plugin.version.empty())
    plugin.version = "0";
  return "";
}

} // namespace

bool isName(const std::string &text) {
  return !text.empty() && text.size() <= longestName && isLower(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return isLower(c) || isDigit(c) || c == '_';
         });
}

std::string reasonOf(char (&text)[NPU_PLUGIN_TEXT]) {
  text[NPU_PLUGIN_TEXT - 1] = '\0';
  return text[0] ? text : "it gives no reason";
}

MessageScope::MessageScope(Handler given)
    : handler(std::move(given)), outer(messageHandler) {
  messageHandler = &handler;
}

MessageScope::~MessageScope() { messageHandler = outer; }

const Plugin *load(const std::string &path, std::string &error) {
  auto refuse = [&](const std::string &why) {
    error = "plugin '" + path + "': " + why;
    return nullptr;
  };
  if (std::string wrong = files::InputFile().open(path); !wrong.empty()) {
    error = "plugin '" + path + "' " + wrong +
            "; give the path of a shared library";
    return nullptr;
  }
  std::unique_ptr<char, decltype(&std::free)> real(
      realpath(path.c_str(), nullptr), &std::free);
  if (!real)
    return refuse(std::strerror(errno));
  List &list = loaded();
  std::lock_guard<std::mutex> lock(list.mutex);
  for (const auto &known : list.plugins)
    if (known->path == real.get())
      return known.get();
  auto plugin = std::make_unique<Plugin>();
  plugin->path = real.get();
  if (std::string why = open(*plugin); !why.empty())
    return refuse(why);
  for (const auto &known : list.plugins)
    if (known->name == plugin->name)
      return refuse("it is " + plugin->nameAndVersion() + ", and '" +
                    known->path + "', which is loaded, is " +
                    known->nameAndVersion() +
                    "; a process can have one of them, leave the other out");
  list.plugins.push_back(std::move(plugin));
  return list.plugins.back().get();
}

std::vector<const Plugin *> loadedPlugins() {
  List &list = loaded();
  std::lock_guard<std::mutex> lock(list.mutex);
  std::vector<const Plugin *> plugins;
  for (const auto &plugin : list.plugins)
    plugins.push_back(plugin.get());
  return plugins;
}

void Plugin::blame(const std::string &what) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (firstFault.empty())
    firstFault = "plugin " + nameAndVersion() + ": " + what;
}

std::string Plugin::fault() const {
  std::lock_guard<std::mutex> lock(mutex);
  return firstFault;
}

std::string Use::fault() const {
  for (const Plugin *plugin : plugins)
    if (std::string fault = plugin->fault(); !fault.empty())
      return fault;
  return "";
}

const Plugin *Use::find(const std::string &name) const {
  for (const Plugin *plugin : plugins)
    if (plugin->name == name)
      return plugin;
  return nullptr;
}

const Use *use(std::vector<const Plugin *> plugins, const std::string &target) {
  static std::mutex mutex;
  static auto *known = new std::vector<std::unique_ptr<Use>>;
  Use wanted;
  wanted.target = target;
  for (const Plugin *plugin : plugins)
    if (std::find(wanted.plugins.begin(), wanted.plugins.end(), plugin) ==
        wanted.plugins.end())
      wanted.plugins.push_back(plugin);
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &one : *known)
    if (one->plugins == wanted.plugins && one->target == wanted.target)
      return one.get();
  known->push_back(std::make_unique<Use>(std::move(wanted)));
  return known->back().get();
}

} // namespace npu::plugin
