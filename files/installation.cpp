// SPDX-License-Identifier: Apache-2.0

#include "files/installation.h"

#include "files/location.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <memory>

namespace npu::files {

static std::string withoutLinks(const char *path) {
  std::unique_ptr<char, void (*)(void *)> real(realpath(path, nullptr), free);
  return real ? real.get() : "";
}

std::string ownFolder() {
  Dl_info info;
  link_map *object = nullptr;
  auto *here = reinterpret_cast<void *>(&ownFolder);
  if (!dladdr1(here, &info, reinterpret_cast<void **>(&object),
               RTLD_DL_LINKMAP))
    return "";
  // The program itself has no name there, and may have been found by PATH.
  const char *name =
      object && object->l_name[0] ? object->l_name : "/proc/self/exe";
  std::string file = withoutLinks(name);
  return file.empty() ? "" : folderOf(file);
}

std::string installedPath(const std::string &path) {
  std::string folder = ownFolder();
  std::string found = withoutLinks((folder + "/../" + path).c_str());
  return found.empty() ? withoutLinks((folder + "/../../" + path).c_str())
                       : found;
}

} // namespace npu::files
