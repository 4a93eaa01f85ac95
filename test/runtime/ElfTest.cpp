// SPDX-License-Identifier: Apache-2.0
//
// Files that were made to do something as they are loaded, sealed again with a
// right checksum: each is refused before the dynamic loader sees it.

#include "npu/npu.h"
#include "runtime/Loader/ElfCheck.h"
#include "test/runtime/DemoFile.h"

#include <dlfcn.h>
#include <elf.h>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace npu::test {
namespace {

/// The bytes of a demo as tables of an ELF file.
class Elf {
public:
  explicit Elf(const std::string &name = "conv") : demo(name) {}

  Elf64_Ehdr &header() { return *at<Elf64_Ehdr>(0); }
  Elf64_Phdr *segments() { return at<Elf64_Phdr>(header().e_phoff); }
  Elf64_Phdr &segment(uint32_t type, uint32_t flags = 0) {
    for (int i = 0; i < header().e_phnum; ++i)
      if (segments()[i].p_type == type &&
          (segments()[i].p_flags & flags) == flags)
        return segments()[i];
    throw std::runtime_error("no such segment");
  }
  Elf64_Dyn &tag(int64_t wanted) {
    auto *entry = at<Elf64_Dyn>(segment(PT_DYNAMIC).p_offset);
    for (; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == wanted)
        return *entry;
    throw std::runtime_error("no such entry");
  }
  /// Where an address lies in the file.
  uint64_t offset(uint64_t address) {
    for (int i = 0; i < header().e_phnum; ++i) {
      const Elf64_Phdr &load = segments()[i];
      if (load.p_type == PT_LOAD && address >= load.p_vaddr &&
          address - load.p_vaddr < load.p_filesz)
        return address - load.p_vaddr + load.p_offset;
    }
    throw std::runtime_error("no such address");
  }
  template <class T>
  T *table(int64_t wanted) {
    return at<T>(offset(tag(wanted).d_un.d_ptr));
  }
  template <class T>
  T *at(uint64_t place) {
    return reinterpret_cast<T *>(&demo.elf[place]);
  }

  std::string load(const std::string &fileName = "elf.npu") {
    npu_status status = {};
    npu_model *model = nullptr;
    npu_load_options options = {1, 0, 0, nullptr, nullptr, 0, 0};
    npu_model_load(demo.sealQuickly(fileName).c_str(), &options, &model,
                   &status);
    npu_model_free(model);
    EXPECT_TRUE(status.code == NPU_OK || status.code == NPU_BAD_FILE);
    return status.message;
  }

  DemoFile demo;
};

using Change = std::function<void(Elf &)>;

void expectRefused(const std::string &says, const Change &change) {
  Elf elf;
  change(elf);
  std::string message = elf.load();
  EXPECT_NE(message.find("has an ELF part with " + says), std::string::npos)
      << says << ": " << message;
}

/// An entry that no loader misses becomes another.
Change entry(int64_t tag, uint64_t value = 0x1000) {
  return [=](Elf &elf) {
    elf.tag(DT_RELACOUNT).d_un.d_val = value;
    elf.tag(DT_RELACOUNT).d_tag = tag;
  };
}

TEST(Elf, IsTaken) { EXPECT_EQ(Elf().load(), ""); }

TEST(Elf, CodeThatRunsWhenItIsLoaded) {
  expectRefused("code that runs when it is loaded (DT_INIT)", entry(DT_INIT));
  expectRefused("code that runs when it is closed (DT_FINI)", entry(DT_FINI));
  expectRefused("code that runs when it is loaded (DT_INIT_ARRAY)",
                entry(DT_INIT_ARRAY));
  expectRefused("code that runs when it is closed (DT_FINI_ARRAY)",
                entry(DT_FINI_ARRAY));
  expectRefused("code that runs when it is loaded (DT_PREINIT_ARRAY)",
                entry(DT_PREINIT_ARRAY));
  expectRefused("code that runs when it is relocated (IRELATIVE)",
                [](Elf &elf) {
                  elf.table<Elf64_Rela>(DT_RELA)->r_info =
                      ELF64_R_INFO(0, R_X86_64_IRELATIVE);
                });
  expectRefused("code that runs when 'npu_program' is looked up (IFUNC)",
                [](Elf &elf) {
                  elf.table<Elf64_Sym>(DT_SYMTAB)[1].st_info =
                      ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
                });
}

TEST(Elf, WhatComesFromElsewhere) {
  for (int64_t tag : {DT_NEEDED, DT_AUXILIARY, DT_FILTER})
    expectRefused("another library that it needs", entry(tag, 1));
  for (int64_t tag : {DT_RPATH, DT_RUNPATH})
    expectRefused("a path to libraries", entry(tag, 1));
  expectRefused("names that are looked up elsewhere", entry(DT_JMPREL));
  expectRefused("the name 'npu_program', which it wants from elsewhere",
                [](Elf &elf) {
                  elf.table<Elf64_Sym>(DT_SYMTAB)[1].st_shndx = SHN_UNDEF;
                });
  expectRefused("relocations by name", [](Elf &elf) {
    elf.table<Elf64_Rela>(DT_RELA)->r_info = ELF64_R_INFO(1, R_X86_64_64);
  });
  expectRefused("an entry of type 1879048190", entry(DT_VERNEED));
  expectRefused("an entry of type 36", entry(36)); // DT_RELR
}

TEST(Elf, MemoryThatIsWritableAndExecutable) {
  expectRefused("memory that is writable and executable",
                [](Elf &elf) { elf.segment(PT_LOAD, PF_X).p_flags |= PF_W; });
  expectRefused("a stack that is executable",
                [](Elf &elf) { elf.segment(PT_GNU_STACK).p_flags |= PF_X; });
  expectRefused("no PT_GNU_STACK", [](Elf &elf) {
    elf.segment(PT_GNU_STACK) = elf.segment(PT_GNU_RELRO);
  });
  expectRefused("relocations of its code (DT_TEXTREL)", entry(DT_TEXTREL, 0));
  expectRefused("flags for the dynamic loader", entry(DT_FLAGS, DF_TEXTREL));
  expectRefused("flags for the dynamic loader",
                entry(DT_FLAGS_1, DF_1_INTERPOSE));
}

/// A relocation writes an address that the file gives where the file says.
TEST(Elf, RelocationsOutsideOfItsData) {
  for (uint64_t place : {uint64_t(0), uint64_t(0x123456789), UINT64_MAX - 3})
    expectRefused("relocations outside of its writable part", [=](Elf &elf) {
      elf.table<Elf64_Rela>(DT_RELA)->r_offset = place;
    });
  expectRefused("relocations of its dynamic section", [](Elf &elf) {
    elf.table<Elf64_Rela>(DT_RELA)->r_offset =
        elf.segment(PT_DYNAMIC).p_vaddr + 8;
  });
  expectRefused("relocations outside of its read-only part", [](Elf &elf) {
    elf.tag(DT_RELASZ).d_un.d_val = sizeof(Elf64_Rela) << 40;
  });
  expectRefused("more relocations than its table has",
                [](Elf &elf) { elf.tag(DT_RELACOUNT).d_un.d_val += 1; });
  // What was checked cannot be written afterwards.
  expectRefused(
      "a table of symbols outside of its read-only part", [](Elf &elf) {
        elf.tag(DT_SYMTAB).d_un.d_ptr = elf.segment(PT_DYNAMIC).p_vaddr;
      });
}

TEST(Elf, Segments) {
  expectRefused("a segment beyond its end", [](Elf &elf) {
    elf.segment(PT_LOAD, PF_W).p_filesz = elf.demo.elf.size();
    elf.segment(PT_LOAD, PF_W).p_memsz = elf.demo.elf.size();
  });
  expectRefused("segments that share a page", [](Elf &elf) {
    Elf64_Phdr &code = elf.segment(PT_LOAD, PF_X);
    code.p_vaddr = code.p_offset = 0;
  });
  expectRefused("two stacks or dynamic sections", [](Elf &elf) {
    elf.segment(PT_GNU_RELRO) = elf.segment(PT_DYNAMIC);
  });
  expectRefused("a segment of type 7",
                [](Elf &elf) { elf.segment(PT_GNU_RELRO).p_type = PT_TLS; });
  expectRefused("a segment of type 3",
                [](Elf &elf) { elf.segment(PT_GNU_RELRO).p_type = PT_INTERP; });
  expectRefused("read-only data outside of its segments",
                [](Elf &elf) { elf.segment(PT_GNU_RELRO).p_vaddr += 1 << 30; });
  expectRefused("no header of a shared object",
                [](Elf &elf) { elf.header().e_type = ET_EXEC; });
  expectRefused("headers beyond its end",
                [](Elf &elf) { elf.header().e_phoff = UINT64_MAX - 8; });
  expectRefused("headers beyond its end", [](Elf &elf) { elf.demo.elf = "x"; });
}

TEST(Elf, Names) {
  expectRefused("a name beyond its end", [](Elf &elf) {
    elf.table<Elf64_Sym>(DT_SYMTAB)[1].st_name = 1 << 20;
  });
  for (uint16_t section : {SHN_ABS, SHN_COMMON})
    expectRefused("the name 'npu_program' of something outside", [=](Elf &elf) {
      Elf64_Sym &symbol = elf.table<Elf64_Sym>(DT_SYMTAB)[1];
      symbol.st_shndx = section;
      symbol.st_value = 0x7fffffffffff;
    });
  for (auto [word, value] : {std::pair(0, 0u), {2, 3u}, {3, 99u}})
    expectRefused("a hash table that is none",
                  [word = word, value = value](Elf &elf) {
                    elf.table<uint32_t>(DT_GNU_HASH)[word] = value;
                  });
  expectRefused("names without an end",
                [](Elf &elf) { elf.tag(DT_STRSZ).d_un.d_val -= 1; });
}

/// Whether the dynamic loader was asked; it must come back.
bool tryBytes(const std::string &bytes) {
  int fd = memfd_create("elf", MFD_CLOEXEC);
  EXPECT_EQ(write(fd, bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
  bool isTaken = runtime::checkElf(fd, bytes.size()).empty();
  if (isTaken) {
    std::string path = "/proc/self/fd/" + std::to_string(fd);
    if (void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      dlsym(handle, NPU_PROGRAM_SYMBOL);
      dlclose(handle);
    }
  }
  close(fd);
  return isTaken;
}

/// What is taken does the dynamic loader no harm: every bit of what it reads
/// is flipped.
TEST(Elf, EveryBitOfItsTables) {
  Elf elf;
  const uint64_t symbols = 2, relocations = elf.tag(DT_RELASZ).d_un.d_val;
  const std::pair<uint64_t, uint64_t> parts[] = {
      {0, sizeof(Elf64_Ehdr)},
      {elf.header().e_phoff, elf.header().e_phnum * sizeof(Elf64_Phdr)},
      {elf.segment(PT_DYNAMIC).p_offset, elf.segment(PT_DYNAMIC).p_filesz},
      {elf.offset(elf.tag(DT_SYMTAB).d_un.d_ptr), symbols * sizeof(Elf64_Sym)},
      {elf.offset(elf.tag(DT_GNU_HASH).d_un.d_ptr), 32},
      {elf.offset(elf.tag(DT_RELA).d_un.d_ptr), relocations}};
  size_t tried = 0, taken = 0;
  std::string bytes = elf.demo.elf;
  for (auto [begin, size] : parts)
    for (uint64_t at = begin; at < begin + size; ++at)
      for (int bit = 0; bit < 8; ++bit) {
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        ++tried;
        taken += tryBytes(bytes);
        bytes[at] = elf.demo.elf[at];
      }
  EXPECT_GT(taken, 0u);
  EXPECT_LT(taken, tried / 2);
}

} // namespace
} // namespace npu::test
