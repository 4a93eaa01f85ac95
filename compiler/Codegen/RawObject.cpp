// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/RawObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace npu;
namespace ELF = llvm::ELF;

namespace {

/// A table of strings as ELF wants it: an empty one first.
struct StringTable {
  std::string text = std::string(1, '\0');

  uint32_t add(StringRef name) {
    uint32_t offset = text.size();
    text.append(name.data(), name.size());
    text += '\0';
    return offset;
  }
};

} // namespace

static uint64_t sizeOf(const RawSection &section) {
  uint64_t size = 0;
  for (ArrayRef<char> part : section.parts)
    size += part.size();
  return size;
}

static ELF::Elf64_Ehdr makeHeader(uint64_t sectionTable, uint16_t count) {
  ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_REL;
  header.e_machine = ELF::EM_X86_64;
  header.e_version = ELF::EV_CURRENT;
  header.e_ehsize = sizeof(ELF::Elf64_Ehdr);
  header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  header.e_shoff = sectionTable;
  header.e_shnum = count;
  header.e_shstrndx = count - 1;
  return header;
}

static ELF::Elf64_Shdr makeSection(uint32_t name, uint32_t type, uint64_t flags,
                                   uint64_t offset, uint64_t size,
                                   uint64_t alignment) {
  ELF::Elf64_Shdr section = {};
  section.sh_name = name;
  section.sh_type = type;
  section.sh_flags = flags;
  section.sh_offset = offset;
  section.sh_size = size;
  section.sh_addralign = alignment;
  return section;
}

template <typename T>
static void write(llvm::raw_ostream &stream, ArrayRef<T> items) {
  stream.write(reinterpret_cast<const char *>(items.data()),
               items.size() * sizeof(T));
}

/// Sections in the file: null, the data, symbols, strings.
llvm::Error npu::writeRawObject(StringRef path, ArrayRef<RawSection> sections) {
  StringTable strings;
  SmallVector<ELF::Elf64_Shdr> table(1);
  SmallVector<ELF::Elf64_Sym> symbols(1);
  uint64_t offset = sizeof(ELF::Elf64_Ehdr);
  for (const RawSection &section : sections) {
    offset = llvm::alignTo(offset, section.alignment);
    ELF::Elf64_Sym symbol = {};
    symbol.st_name = strings.add(section.symbol);
    symbol.setBindingAndType(ELF::STB_GLOBAL, ELF::STT_OBJECT);
    symbol.st_other = ELF::STV_HIDDEN;
    symbol.st_shndx = table.size();
    symbol.st_size = sizeOf(section);
    symbols.push_back(symbol);
    table.push_back(makeSection(strings.add(section.name), ELF::SHT_PROGBITS,
                                ELF::SHF_ALLOC, offset, sizeOf(section),
                                section.alignment));
    offset += sizeOf(section);
  }
  uint64_t symbolOffset = llvm::alignTo(offset, 8);
  uint64_t symbolBytes = symbols.size() * sizeof(ELF::Elf64_Sym);
  uint32_t symbolName = strings.add(".symtab");
  uint32_t stringName = strings.add(".strtab");
  table.push_back(makeSection(symbolName, ELF::SHT_SYMTAB, 0, symbolOffset,
                              symbolBytes, 8));
  table.back().sh_link = table.size(); // the string table comes next
  table.back().sh_info = 1;            // index of the first global symbol
  table.back().sh_entsize = sizeof(ELF::Elf64_Sym);
  uint64_t stringOffset = symbolOffset + symbolBytes;
  table.push_back(makeSection(stringName, ELF::SHT_STRTAB, 0, stringOffset,
                              strings.text.size(), 1));
  uint64_t tableOffset = llvm::alignTo(stringOffset + strings.text.size(), 8);

  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return llvm::createStringError(error, "cannot write '" + path +
                                              "': " + error.message());
  write(stream, ArrayRef(makeHeader(tableOffset, table.size())));
  for (auto [section, row] :
       llvm::zip(sections, ArrayRef(table).drop_front())) {
    stream.write_zeros(row.sh_offset - stream.tell());
    for (ArrayRef<char> part : section.parts)
      write(stream, part);
  }
  stream.write_zeros(symbolOffset - stream.tell());
  write(stream, ArrayRef(symbols));
  write(stream, ArrayRef<char>(strings.text.data(), strings.text.size()));
  stream.write_zeros(tableOffset - stream.tell());
  write(stream, ArrayRef(table));
  stream.close();
  if (!stream.has_error())
    return llvm::Error::success();
  error = stream.error();
  stream.clear_error();
  return llvm::createStringError(error, "cannot write '" + path +
                                            "': " + error.message());
}
