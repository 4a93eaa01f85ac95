// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the ELF part of a .npu file: what the reader takes, the dynamic
// loader must take without harm, and without running anything of it.

#include "format/program_format.h"
#include "runtime/Loader/ElfCheck.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int fd = memfd_create("elf", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size))
    abort();
  if (npu::runtime::checkElf(fd, size).empty()) {
    std::string path = "/proc/self/fd/" + std::to_string(fd);
    if (void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      dlsym(handle, NPU_PROGRAM_SYMBOL);
      dlclose(handle);
    }
  }
  close(fd);
  return 0;
}
