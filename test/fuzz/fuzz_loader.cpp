// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a .npu file. The checksum keeps them away from dlopen, which is
// the point: nothing damaged may get that far. So the input's tail is sealed
// with a right footer in every second case, and the manifest is reached.

#include "format/footer.h"
#include "npu/npu.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

struct Folder {
  Folder() {
    if (!mkdtemp(path))
      abort();
  }
  ~Folder() {
    remove(file("in").c_str());
    remove(file("out").c_str());
    rmdir(path);
  }
  std::string file(const char *name) const {
    return std::string(path) + "/" + name;
  }
  char path[32] = "/dev/shm/npu-fuzz-XXXXXX";
};

void write(const std::string &path, const void *data, size_t size) {
  FILE *file = fopen(path.c_str(), "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
    abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  std::string in = folder.file("in"), out = folder.file("out");
  write(in, data, size);
  npu_status status;
  npu_model *model = nullptr;
  npu_load_options options = {1, 0, 0, nullptr, nullptr, 0, 0};
  if (npu_model_load(in.c_str(), &options, &model, &status) == NPU_OK)
    abort(); // the checksum is 128 bits: chance does not find it
  // As a manifest behind an empty ELF part: dlopen refuses that without harm.
  std::string manifest(reinterpret_cast<const char *>(data), size);
  write(in, "", 0);
  if (!npu::format::seal(in, manifest, out).empty())
    abort();
  if (npu_model_load(out.c_str(), &options, &model, &status) == NPU_OK ||
      status.message[0] == '\0')
    abort();
  return 0;
}
