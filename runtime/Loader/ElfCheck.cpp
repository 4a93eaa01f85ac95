// SPDX-License-Identifier: Apache-2.0
//
// By what glibc's dynamic loader reads: program headers and the dynamic
// section, never section headers. What npuc's linker does not write is refused,
// so that nothing has to be known about it.
#include "runtime/Loader/ElfCheck.h"

#include "files/shown_text.h"
#include "format/footer.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <map>
#include <stdexcept>
#include <vector>

namespace npu::runtime {
namespace {

constexpr uint64_t pageBytes = 4096;
constexpr uint16_t mostHeaders = 64;
constexpr size_t mostEntries = 256;
constexpr uint64_t mostSymbols = 4096, mostNameBytes = 1 << 20;
constexpr uint64_t mostAlignment = 1 << 21;

struct TagName {
  int64_t tag;
  const char *what;
};
/// Those that messages say more of than a number.
constexpr TagName refusedTags[] = {
    {DT_INIT, "code that runs when it is loaded (DT_INIT)"},
    {DT_FINI, "code that runs when it is closed (DT_FINI)"},
    {DT_INIT_ARRAY, "code that runs when it is loaded (DT_INIT_ARRAY)"},
    {DT_FINI_ARRAY, "code that runs when it is closed (DT_FINI_ARRAY)"},
    {DT_PREINIT_ARRAY, "code that runs when it is loaded (DT_PREINIT_ARRAY)"},
    {DT_NEEDED, "another library that it needs (DT_NEEDED)"},
    {DT_AUXILIARY, "another library that it needs (DT_AUXILIARY)"},
    {DT_FILTER, "another library that it needs (DT_FILTER)"},
    {DT_RPATH, "a path to libraries (DT_RPATH)"},
    {DT_RUNPATH, "a path to libraries (DT_RUNPATH)"},
    {DT_TEXTREL, "relocations of its code (DT_TEXTREL)"},
    {DT_JMPREL, "names that are looked up elsewhere (DT_JMPREL)"}};
constexpr int64_t allowedTags[] = {
    DT_NULL,      DT_SYMTAB,   DT_SYMENT,  DT_STRTAB, DT_STRSZ,
    DT_HASH,      DT_GNU_HASH, DT_RELA,    DT_RELASZ, DT_RELAENT,
    DT_RELACOUNT, DT_FLAGS,    DT_FLAGS_1, DT_SONAME, DT_DEBUG};
constexpr uint32_t allowedSegments[] = {
    PT_LOAD, PT_DYNAMIC, PT_PHDR, PT_GNU_STACK, PT_GNU_EH_FRAME, PT_GNU_RELRO};

template <class List, class Item>
bool contains(const List &list, Item item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

/// Whether [begin, begin + bytes) lies in [outer, outer + outerBytes), without
/// a sum that could overflow.
bool isIn(uint64_t begin, uint64_t bytes, uint64_t outer, uint64_t outerBytes) {
  return begin >= outer && begin - outer <= outerBytes &&
         bytes <= outerBytes - (begin - outer);
}

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string &what) { throw Refused(what); }
void require(bool holds, const char *what) {
  if (!holds)
    refuse(what);
}

class ElfReader {
public:
  ElfReader(int fd, uint64_t bytes) : fd(fd), elfBytes(bytes) {}
  void check();

private:
  void readSegments();
  void checkLoad(const Elf64_Phdr &segment);
  void checkPlaces() const;
  void readDynamic();
  void checkSymbols();
  void checkRelocations() const;
  uint64_t symbolCount() const;
  void read(void *to, uint64_t bytes, uint64_t offset) const;
  const Elf64_Phdr *loadOf(uint64_t address, uint64_t bytes,
                           bool fromFile) const;
  uint64_t table(uint64_t address, uint64_t bytes, const char *what) const;
  uint64_t value(int64_t tag, const char *name) const;
  template <class T>
  std::vector<T> array(uint64_t address, uint64_t count,
                       const char *what) const;

  int fd;
  uint64_t elfBytes;
  Elf64_Ehdr header;
  std::vector<Elf64_Phdr> loads;
  std::vector<Elf64_Phdr> places; ///< of other kinds
  Elf64_Phdr dynamic = {};
  std::map<int64_t, uint64_t> tags;
};

void ElfReader::read(void *to, uint64_t bytes, uint64_t offset) const {
  require(isIn(offset, bytes, 0, elfBytes), "headers beyond its end");
  require(format::readAt(fd, to, bytes, offset), "bytes that cannot be read");
}

/// The segment in which these bytes lie; of it what the file has, or all.
const Elf64_Phdr *ElfReader::loadOf(uint64_t address, uint64_t bytes,
                                    bool fromFile) const {
  for (const Elf64_Phdr &load : loads)
    if (isIn(address, bytes, load.p_vaddr,
             fromFile ? load.p_filesz : load.p_memsz))
      return &load;
  return nullptr;
}

/// Where a table lies in the file. Nothing may write it once it is checked.
uint64_t ElfReader::table(uint64_t address, uint64_t bytes,
                          const char *what) const {
  const Elf64_Phdr *load = loadOf(address, bytes, true);
  if (!load || (load->p_flags & PF_W))
    refuse(std::string(what) + " outside of its read-only part");
  return address - load->p_vaddr + load->p_offset;
}

template <class T>
std::vector<T> ElfReader::array(uint64_t address, uint64_t count,
                                const char *what) const {
  if (count > elfBytes / sizeof(T))
    refuse(std::string(what) + " beyond its end");
  const uint64_t offset = table(address, count * sizeof(T), what);
  std::vector<T> items(count);
  read(items.data(), count * sizeof(T), offset);
  return items;
}

uint64_t ElfReader::value(int64_t tag, const char *name) const {
  auto found = tags.find(tag);
  if (found == tags.end())
    refuse(std::string("no ") + name);
  return found->second;
}

void ElfReader::checkLoad(const Elf64_Phdr &segment) {
  require((segment.p_flags & (PF_W | PF_X)) != (PF_W | PF_X),
          "memory that is writable and executable");
  require(segment.p_flags & PF_R, "memory that cannot be read");
  require(isIn(segment.p_offset, segment.p_filesz, 0, elfBytes) &&
              segment.p_filesz <= segment.p_memsz &&
              segment.p_memsz <= UINT64_MAX / 2 - pageBytes &&
              segment.p_vaddr <= UINT64_MAX / 2 - segment.p_memsz &&
              (segment.p_memsz == segment.p_filesz || segment.p_flags & PF_W),
          "a segment beyond its end");
  require(segment.p_align >= pageBytes && segment.p_align <= mostAlignment &&
              (segment.p_align & (segment.p_align - 1)) == 0,
          "a segment with an alignment that is none");
  if (!loads.empty()) {
    const Elf64_Phdr &last = loads.back();
    const uint64_t end =
        (last.p_vaddr + last.p_memsz + pageBytes - 1) / pageBytes * pageBytes;
    require(segment.p_vaddr / pageBytes * pageBytes >= end,
            "segments that share a page");
  }
  loads.push_back(segment);
}

void ElfReader::readSegments() {
  read(&header, sizeof(header), 0);
  require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
              header.e_ident[EI_CLASS] == ELFCLASS64 &&
              header.e_ident[EI_DATA] == ELFDATA2LSB &&
              header.e_type == ET_DYN && header.e_machine == EM_X86_64 &&
              header.e_phentsize == sizeof(Elf64_Phdr) &&
              header.e_phnum <= mostHeaders,
          "no header of a shared object for x86-64");
  std::vector<Elf64_Phdr> all(header.e_phnum);
  read(all.data(), all.size() * sizeof(Elf64_Phdr), header.e_phoff);
  for (const Elf64_Phdr &segment : all) {
    if (!contains(allowedSegments, segment.p_type))
      refuse("a segment of type " + std::to_string(segment.p_type));
    if (segment.p_type == PT_LOAD)
      checkLoad(segment);
    else
      places.push_back(segment);
  }
}

void ElfReader::checkPlaces() const {
  bool stack = false, dynamicSection = false;
  for (const Elf64_Phdr &place : places) {
    bool *once = place.p_type == PT_GNU_STACK ? &stack
                 : place.p_type == PT_DYNAMIC ? &dynamicSection
                                              : nullptr;
    require(!once || !*once, "two stacks or dynamic sections");
    if (once)
      *once = true;
    if (place.p_type == PT_GNU_STACK)
      require(!(place.p_flags & PF_X), "a stack that is executable");
    if (place.p_type == PT_PHDR)
      require(table(place.p_vaddr, header.e_phnum * sizeof(Elf64_Phdr),
                    "headers") == header.e_phoff,
              "program headers in two places");
    const Elf64_Phdr *load = loadOf(place.p_vaddr, place.p_memsz, false);
    if (place.p_type == PT_GNU_RELRO)
      require(load && (load->p_flags & PF_W),
              "read-only data outside of its segments");
    if (place.p_type == PT_DYNAMIC)
      require(load && (load->p_flags & PF_W) && (place.p_flags & PF_W) &&
                  loadOf(place.p_vaddr, place.p_memsz, true),
              "a dynamic section outside of its segments");
  }
  // Without this header the loader makes stacks executable.
  require(stack && dynamicSection, "no PT_GNU_STACK or no PT_DYNAMIC");
}

void ElfReader::readDynamic() {
  for (const Elf64_Phdr &place : places)
    if (place.p_type == PT_DYNAMIC)
      dynamic = place;
  const size_t count =
      std::min<uint64_t>(dynamic.p_memsz / sizeof(Elf64_Dyn), mostEntries);
  std::vector<Elf64_Dyn> entries(count);
  const Elf64_Phdr *load = loadOf(dynamic.p_vaddr, dynamic.p_memsz, true);
  read(entries.data(), count * sizeof(Elf64_Dyn),
       dynamic.p_vaddr - load->p_vaddr + load->p_offset);
  for (const Elf64_Dyn &entry : entries) {
    if (entry.d_tag == DT_NULL)
      return;
    for (const TagName &refused : refusedTags)
      if (entry.d_tag == refused.tag)
        refuse(refused.what);
    if (!contains(allowedTags, entry.d_tag))
      refuse("an entry of type " + std::to_string(entry.d_tag) +
             " in its dynamic section");
    if (!tags.emplace(entry.d_tag, entry.d_un.d_val).second)
      refuse("two entries of type " + std::to_string(entry.d_tag) +
             " in its dynamic section");
  }
  refuse("a dynamic section without an end");
}

/// By the hash table that the loader finds names with, which is checked.
uint64_t ElfReader::symbolCount() const {
  const char *const what = "a hash table";
  const uint64_t address = value(DT_GNU_HASH, "DT_GNU_HASH");
  const auto head = array<uint32_t>(address, 4, what);
  const uint64_t buckets = head[0], first = head[1], words = head[2];
  require(buckets > 0 && words > 0 && (words & (words - 1)) == 0 &&
              head[3] < 32,
          "a hash table that is none");
  require(buckets <= mostSymbols && words <= mostSymbols &&
              first <= mostSymbols,
          "more names than a program has");
  const uint64_t at = address + 16 + words * 8;
  table(address, at - address, what);
  uint64_t last = 0;
  for (uint32_t bucket : array<uint32_t>(at, buckets, what)) {
    require(bucket == 0 || bucket >= first, "a hash table that is none");
    last = std::max<uint64_t>(last, bucket);
  }
  if (last == 0)
    return first;
  const uint64_t chains = at + buckets * 4;
  for (; last <= mostSymbols; ++last)
    if (array<uint32_t>(chains + (last - first) * 4, 1, what)[0] & 1)
      return last + 1;
  refuse("more names than a program has");
}

void ElfReader::checkSymbols() {
  require(value(DT_STRSZ, "DT_STRSZ") <= mostNameBytes,
          "more names than a program has");
  const auto names =
      array<char>(value(DT_STRTAB, "DT_STRTAB"), value(DT_STRSZ, "DT_STRSZ"),
                  "a table of names");
  require(!names.empty() && names.back() == '\0', "names without an end");
  require(value(DT_SYMENT, "DT_SYMENT") == sizeof(Elf64_Sym),
          "symbols of another size");
  require(!tags.count(DT_SONAME) || tags[DT_SONAME] < names.size(),
          "a name beyond its end");
  const auto symbols = array<Elf64_Sym>(value(DT_SYMTAB, "DT_SYMTAB"),
                                        symbolCount(), "a table of symbols");
  for (size_t i = 1; i < symbols.size(); ++i) {
    const Elf64_Sym &symbol = symbols[i];
    require(symbol.st_name < names.size(), "a name beyond its end");
    const std::string name = files::shownName(&names[symbol.st_name]);
    if (symbol.st_shndx == SHN_UNDEF)
      refuse("the name '" + name + "', which it wants from elsewhere");
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_GNU_IFUNC)
      refuse("code that runs when '" + name + "' is looked up (IFUNC)");
    if (type == STT_TLS || symbol.st_shndx == SHN_ABS ||
        !loadOf(symbol.st_value, 1, false))
      refuse("the name '" + name + "' of something outside of its segments");
  }
}

void ElfReader::checkRelocations() const {
  if (!tags.count(DT_RELA) && !tags.count(DT_RELASZ) &&
      !tags.count(DT_RELACOUNT))
    return;
  const uint64_t bytes = value(DT_RELASZ, "DT_RELASZ");
  require(value(DT_RELAENT, "DT_RELAENT") == sizeof(Elf64_Rela) &&
              bytes % sizeof(Elf64_Rela) == 0,
          "relocations of another size");
  // The loader takes this number for the table's, without a look at its size.
  auto counted = tags.find(DT_RELACOUNT);
  require(counted == tags.end() ||
              counted->second <= bytes / sizeof(Elf64_Rela),
          "more relocations than its table has");
  uint64_t address = value(DT_RELA, "DT_RELA");
  table(address, bytes, "relocations");
  constexpr uint64_t most = 1024;
  for (uint64_t rest = bytes / sizeof(Elf64_Rela); rest > 0;) {
    const uint64_t count = std::min(rest, most);
    for (const Elf64_Rela &one :
         array<Elf64_Rela>(address, count, "relocations")) {
      require(one.r_info == ELF64_R_INFO(0, R_X86_64_RELATIVE),
              ELF64_R_TYPE(one.r_info) == R_X86_64_IRELATIVE
                  ? "code that runs when it is relocated (IRELATIVE)"
                  : "relocations by name");
      const Elf64_Phdr *load = loadOf(one.r_offset, 8, false);
      require(load && (load->p_flags & PF_W),
              "relocations outside of its writable part");
      require(one.r_offset >= dynamic.p_vaddr + dynamic.p_memsz ||
                  one.r_offset + 8 <= dynamic.p_vaddr,
              "relocations of its dynamic section");
    }
    rest -= count;
    address += count * sizeof(Elf64_Rela);
  }
}

void ElfReader::check() {
  readSegments();
  checkPlaces();
  readDynamic();
  constexpr uint64_t flags = DF_BIND_NOW | DF_SYMBOLIC, flags1 = DF_1_NOW;
  require((tags[DT_FLAGS] & ~flags) == 0 && (tags[DT_FLAGS_1] & ~flags1) == 0,
          "flags for the dynamic loader that npuc does not set");
  checkSymbols();
  checkRelocations();
}

} // namespace

std::string checkElf(int fd, uint64_t elfBytes) {
  try {
    ElfReader(fd, elfBytes).check();
  } catch (const Refused &found) {
    return found.what();
  }
  return "";
}

} // namespace npu::runtime
