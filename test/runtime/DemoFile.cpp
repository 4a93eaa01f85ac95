// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/DemoFile.h"

#include "format/footer.h"
#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace npu::test {

const std::string &scratchFolder() {
  struct Folder {
    Folder() : path(testing::TempDir() + "npu-runtime-XXXXXX") {
      if (!mkdtemp(&path[0]))
        throw std::runtime_error("cannot make " + path);
      path += "/";
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
  };
  static const Folder folder;
  return folder.path;
}

std::string emptyFolder(const std::string &name) {
  std::string path = scratchFolder() + name + "/";
  std::filesystem::create_directory(path);
  return path;
}

size_t filesIn(const std::string &folder) {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator(folder),
                    std::filesystem::directory_iterator()));
}

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(stream.flush()) << path;
}

DemoFile::DemoFile(const std::string &name)
    : elf(readFile(std::string(DEMO_DIR) + "/" + name + ".so")) {
  const uint32_t version = NPU_FORMAT_VERSION;
  rootOffset =
      elf.find(std::string(NPU_PROGRAM_MAGIC, 8) +
               std::string(reinterpret_cast<const char *>(&version), 4));
  if (rootOffset == std::string::npos)
    throw std::runtime_error("no program in demo " + name);
  describe();
}

static std::vector<Elf64_Phdr> segmentsOf(const std::string &elf) {
  Elf64_Ehdr header;
  memcpy(&header, elf.data(), sizeof(header));
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  memcpy(segments.data(), elf.data() + header.e_phoff,
         segments.size() * sizeof(Elf64_Phdr));
  return segments;
}

uint64_t DemoFile::fileOffset(uint64_t address) const {
  for (const Elf64_Phdr &segment : segmentsOf(elf))
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  throw std::runtime_error("address outside the demo's image");
}

uint64_t DemoFile::addressOf(size_t offset) const {
  for (const Elf64_Phdr &segment : segmentsOf(elf))
    if (segment.p_type == PT_LOAD && offset >= segment.p_offset &&
        offset - segment.p_offset < segment.p_filesz)
      return offset - segment.p_offset + segment.p_vaddr;
  throw std::runtime_error("offset outside the demo's image");
}

int64_t *DemoFile::relocation(size_t field) {
  uint64_t address = addressOf(rootOffset + field);
  for (size_t i = 0; i + sizeof(Elf64_Rela) <= elf.size(); i += 8) {
    auto *rela = at<Elf64_Rela>(i);
    if (rela->r_offset == address &&
        rela->r_info == ELF64_R_INFO(0, R_X86_64_RELATIVE))
      return &rela->r_addend;
  }
  throw std::runtime_error("no relocation for a pointer of the demo");
}

void DemoFile::movePointer(size_t field, int64_t delta) {
  *relocation(field) += delta;
}

void DemoFile::setPointer(size_t field, int64_t address) {
  *relocation(field) = address;
}

static format::ManifestTensor describeIo(const npu_io_desc &io,
                                         const std::string &name) {
  const npu_tensor_desc &tensor = io.tensor;
  return {name,
          kernels::dtypeName(tensor.dtype),
          {tensor.dims, tensor.dims + tensor.rank},
          kernels::layoutString(tensor),
          tensor.rank == 4 ? "NHWC" : "rows"};
}

void DemoFile::describe() {
  manifest.formatVersion = NPU_FORMAT_VERSION;
  manifest.npucVersion = "by hand";
  manifest.targetName = "demo";
  manifest.layoutStrategy = "none";
  manifest.onednnVersion = kernels::libraryVersion();
  manifest.cpuFeatures = {"sse2"};
  manifest.inputs = {describeIo(inputs()[0], "x")};
  manifest.outputs = {describeIo(outputs()[0], "y")};
  for (uint32_t i = 1; i < program().n_inputs; ++i) {
    format::ManifestState state;
    static_cast<format::ManifestTensor &>(state) =
        describeIo(inputs()[i], "s" + std::to_string(i - 1));
    state.beginsAsConstant = inputs()[i].tensor.weights_offset >= 0;
    manifest.states.push_back(state);
  }
  manifest.arenaBytes = program().arena_bytes;
  manifest.arenaLowerBoundBytes = program().arena_bytes;
  manifest.weightBytes = program().weight_bytes;
  manifest.modelName = "demo";
  for (uint32_t i = 0; i < program().n_kernels; ++i) {
    const npu_kernel_desc &k = kernels()[i];
    format::ManifestKernel kernel;
    kernel.name = "kernel" + std::to_string(i);
    kernel.op = k.op == NPU_OP_ELTWISE ? "npu.relu" : "npu.compute";
    kernel.node = "node" + std::to_string(i);
    kernel.work.products = {{1, 1, 1}};
    kernel.work.reads = kernel.work.writes = {{64, 64}};
    kernel.tiling = cost::untiled(kernel.work);
    kernel.results = static_cast<uint64_t>(k.n_outputs);
    kernel.generated = (k.flags & NPU_KERNEL_GENERATED) != 0;
    for (int32_t t = 0; t < k.n_inputs + k.n_outputs; ++t) {
      const npu_tensor_desc &tensor = tensors()[k.first_tensor + t];
      kernel.layouts.push_back(kernels::layoutString(tensor));
      kernel.bytes += static_cast<uint64_t>(kernels::storedBytes(tensor));
    }
    manifest.kernels.push_back(kernel);
  }
}

std::string DemoFile::seal(const std::string &fileName) const {
  return seal(fileName, format::printManifest(manifest));
}

std::string DemoFile::seal(const std::string &fileName,
                           const std::string &manifestText) const {
  std::string elfPath = scratchFolder() + fileName + ".so";
  std::string path = scratchFolder() + fileName;
  writeFile(elfPath, elf);
  EXPECT_EQ(format::seal(elfPath, {manifestText, ""}, path), "");
  std::filesystem::remove(elfPath);
  return path;
}

std::string DemoFile::sealQuickly(const std::string &fileName) const {
  return sealQuickly(fileName, format::printManifest(manifest));
}

std::string DemoFile::sealQuickly(const std::string &fileName,
                                  const std::string &manifestText) const {
  npu_footer footer = {};
  memcpy(footer.magic, NPU_FOOTER_MAGIC, sizeof(footer.magic));
  footer.version = NPU_FORMAT_VERSION;
  footer.size = sizeof(footer);
  footer.file_size = elf.size() + manifestText.size() + sizeof(footer);
  footer.manifest_offset = elf.size();
  footer.manifest_size = manifestText.size();
  std::string bytes = elf + manifestText;
  bytes.append(reinterpret_cast<const char *>(&footer), sizeof(footer));
  XXH128_canonical_t sum;
  size_t checksum = bytes.size() - sizeof(footer.checksum);
  XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes.data(), checksum));
  memcpy(&bytes[checksum], sum.digest, sizeof(sum.digest));
  writeFile(scratchFolder() + fileName, bytes);
  return scratchFolder() + fileName;
}

} // namespace npu::test
