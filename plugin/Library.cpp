// SPDX-License-Identifier: Apache-2.0
#include "plugin/Library.h"

#include "files/input_file.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <vector>

namespace npu::plugin {
namespace {

constexpr uint64_t mostTableBytes = uint64_t(1) << 28;

/// A table of the file; empty if it has no such bytes.
template <class T>
std::vector<T> table(const files::InputFile &file, uint64_t offset,
                     uint64_t bytes) {
  if (bytes > mostTableBytes || offset > file.bytes() ||
      bytes > file.bytes() - offset)
    return {};
  std::vector<T> items(bytes / sizeof(T));
  const bool isRead =
      file.readAt(items.data(), items.size() * sizeof(T), offset).empty();
  return isRead ? items : std::vector<T>();
}

bool isLibrary(const Elf64_Ehdr &header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN &&
         header.e_machine == EM_X86_64 &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

/// Whether it defines, in the table that the dynamic loader reads, an entry.
bool hasEntry(const files::InputFile &file,
              const std::vector<Elf64_Shdr> &sections) {
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size())
      continue;
    const Elf64_Shdr &text = sections[section.sh_link];
    std::vector<char> names = table<char>(file, text.sh_offset, text.sh_size);
    names.push_back('\0');
    for (const Elf64_Sym &symbol :
         table<Elf64_Sym>(file, section.sh_offset, section.sh_size))
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size() &&
          std::any_of(
              std::begin(entries), std::end(entries),
              [&](const char *entry) {
                return std::strcmp(entry, &names[symbol.st_name]) == 0;
              }))
        return true;
  }
  return false;
}

} // namespace

std::string checkLibrary(const std::string &path) {
  files::InputFile file;
  if (std::string wrong = file.open(path); !wrong.empty())
    return "it " + wrong;
  const auto header = table<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (header.empty() || !isLibrary(header[0]))
    return "it is no shared library for x86-64";
  const auto sections = table<Elf64_Shdr>(
      file, header[0].e_shoff, header[0].e_shnum * sizeof(Elf64_Shdr));
  if (!hasEntry(file, sections))
    return "it is a library, but no plugin: it exports neither npu_plugin_get "
           "nor npuc_plugin_get nor mlirGetPassPluginInfo";
  return "";
}

} // namespace npu::plugin
