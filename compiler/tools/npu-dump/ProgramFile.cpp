// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-dump/ProgramFile.h"

#include "files/input_file.h"
#include "format/footer.h"
#include "kernels/tensor.h"

#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace npu;
using namespace npu::dump;
using llvm::StringRef;
using Elf = llvm::object::ELF64LEFile;

namespace {

/// Unwraps what the Object library expects of a well-formed ELF.
template <typename T>
T take(llvm::Expected<T> expected) {
  if (!expected)
    throw DumpError("has a damaged ELF part: " +
                    llvm::toString(expected.takeError()));
  return std::move(*expected);
}

/// The file as the dynamic loader would lay it out, without loading it.
class Image {
public:
  explicit Image(StringRef bytes)
      : bytes(bytes), elf(take(Elf::create(bytes))) {
    for (const Elf::Elf_Shdr &section : take(elf.sections()))
      if (section.sh_type == llvm::ELF::SHT_RELA)
        for (const Elf::Elf_Rela &rela : take(elf.relas(section)))
          if (rela.getType(false) == elf.getRelativeRelocationType())
            pointers[rela.r_offset] = static_cast<uint64_t>(rela.r_addend);
  }

  /// The `count` bytes at an address.
  StringRef at(uint64_t address, uint64_t count, const char *what) const {
    for (const Elf::Elf_Phdr &header : take(elf.program_headers())) {
      if (header.p_type != llvm::ELF::PT_LOAD || address < header.p_vaddr)
        continue;
      uint64_t inside = address - header.p_vaddr;
      if (inside > header.p_filesz || count > header.p_filesz - inside ||
          header.p_offset > bytes.size() ||
          inside + count > bytes.size() - header.p_offset)
        continue;
      return bytes.substr(header.p_offset + inside, count);
    }
    throw DumpError(std::string("has a ") + what +
                    " outside of the ELF's segments");
  }

  /// A pointer field, as the dynamic loader would fill it in.
  uint64_t pointer(uint64_t address) const {
    auto found = pointers.find(address);
    return found == pointers.end() ? 0 : found->second;
  }

  /// `count` rows at the address that a field of npu_program points to.
  template <typename Row>
  std::vector<Row> table(uint64_t field, uint32_t count,
                         const char *what) const {
    if (count == 0)
      return {};
    // The bytes first: only then is the count known to be no nonsense.
    StringRef source = at(pointer(field), uint64_t(count) * sizeof(Row), what);
    std::vector<Row> rows(count);
    std::memcpy(rows.data(), source.data(), source.size());
    return rows;
  }

  /// Address of an exported symbol.
  uint64_t exported(StringRef name) const {
    for (const Elf::Elf_Shdr &section : take(elf.sections())) {
      if (section.sh_type != llvm::ELF::SHT_DYNSYM)
        continue;
      StringRef strings = take(elf.getStringTableForSymtab(section));
      for (const Elf::Elf_Sym &symbol : take(elf.symbols(&section)))
        if (take(symbol.getName(strings)) == name && symbol.isDefined())
          return symbol.st_value;
    }
    throw DumpError("does not export " + name.str());
  }

  std::vector<Section> sections() const;
  std::vector<Function> functions() const;

  StringRef bytes;
  Elf elf;

private:
  std::map<uint64_t, uint64_t> pointers; // field address to its content
};

} // namespace

std::vector<Section> Image::sections() const {
  std::vector<Section> result;
  for (const Elf::Elf_Shdr &header : take(elf.sections())) {
    if (header.sh_type == llvm::ELF::SHT_NULL)
      continue;
    Section section;
    section.name = take(elf.getSectionName(header)).str();
    section.bytes = header.sh_size;
    section.isCode = header.sh_flags & llvm::ELF::SHF_EXECINSTR;
    section.isWritable = header.sh_flags & llvm::ELF::SHF_WRITE;
    result.push_back(section);
  }
  return result;
}

/// Functions of the symbol table; a stripped file has none, then each section
/// of code counts as one.
std::vector<Function> Image::functions() const {
  std::vector<Function> result;
  auto add = [&](StringRef name, uint64_t address, uint64_t size) {
    StringRef code = at(address, size, "code");
    result.push_back({name.str(), address, llvm::arrayRefFromStringRef(code)});
  };
  for (const Elf::Elf_Shdr &section : take(elf.sections())) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    StringRef strings = take(elf.getStringTableForSymtab(section));
    for (const Elf::Elf_Sym &symbol : take(elf.symbols(&section)))
      if (symbol.getType() == llvm::ELF::STT_FUNC && symbol.st_size > 0)
        add(take(symbol.getName(strings)), symbol.st_value, symbol.st_size);
  }
  if (result.empty())
    for (const Elf::Elf_Shdr &section : take(elf.sections()))
      if (section.sh_flags & llvm::ELF::SHF_EXECINSTR && section.sh_size > 0)
        add(take(elf.getSectionName(section)), section.sh_addr,
            section.sh_size);
  std::sort(result.begin(), result.end(),
            [](const Function &a, const Function &b) {
              return a.address < b.address;
            });
  return result;
}

static void checkRoot(const npu_program &root) {
  if (std::memcmp(root.magic, NPU_PROGRAM_MAGIC, sizeof(root.magic)) != 0)
    throw DumpError("has a program table that does not begin with NPUPROG");
  if (root.version != NPU_FORMAT_VERSION || root.size != sizeof(npu_program))
    throw DumpError("has a program table of version " +
                    std::to_string(root.version) + " and " +
                    std::to_string(root.size) + " bytes; npu-dump reads " +
                    std::to_string(NPU_FORMAT_VERSION) + " with " +
                    std::to_string(sizeof(npu_program)) + " bytes");
}

static void checkTensor(const npu_tensor_desc &tensor) {
  bool ok = tensor.rank >= 0 && tensor.rank <= NPU_MAX_RANK &&
            tensor.dtype >= 0 && tensor.dtype < NPU_DTYPE_COUNT &&
            tensor.block_count >= 0 && tensor.block_count <= NPU_MAX_BLOCKS;
  for (int i = 0; ok && i < tensor.rank; ++i)
    ok = tensor.order[i] >= 0 && tensor.order[i] < tensor.rank;
  for (int i = 0; ok && i < tensor.block_count; ++i)
    ok = tensor.block_dims[i] >= 0 && tensor.block_dims[i] < tensor.rank;
  if (!ok)
    throw DumpError("has an impossible row in its tensor table");
}

static void checkKernel(const ProgramFile &file, const npu_kernel_desc &kernel,
                        const char *table, bool isMaker) {
  bool ok = (!isMaker || (kernel.n_inputs > 0 && kernel.n_outputs == 1)) &&
            kernel.op >= 0 && kernel.op < NPU_OP_COUNT &&
            kernel.n_inputs >= 0 && kernel.n_outputs >= 0 &&
            kernel.n_instrs >= 0 && kernel.attrs < file.attrs.size() &&
            uint64_t(kernel.first_tensor) + uint64_t(kernel.n_inputs) +
                    uint64_t(kernel.n_outputs) <=
                file.tensors.size() &&
            uint64_t(kernel.first_instr) + uint64_t(kernel.n_instrs) <=
                file.instrs.size();
  if (!ok)
    throw DumpError(std::string("has an impossible row in its ") + table);
}

/// What printing relies on: rows that exist.
static void checkTables(const ProgramFile &file) {
  for (const npu_tensor_desc &tensor : file.tensors)
    checkTensor(tensor);
  for (const npu_kernel_desc &kernel : file.kernels)
    checkKernel(file, kernel, "kernel table", false);
  for (const npu_kernel_desc &maker : file.makers)
    checkKernel(file, maker, "table of makers", true);
  if (file.manifest.kernels.size() != file.kernels.size())
    throw DumpError("has " + std::to_string(file.manifest.kernels.size()) +
                    " kernels in its manifest, but its kernel table has " +
                    std::to_string(file.kernels.size()));
}

/// They lie among the weights.
static void readPluginOps(const Image &image, uint64_t weights,
                          ProgramFile &file) {
  for (size_t i = 0; i < file.kernels.size(); ++i) {
    const npu_kernel_desc &kernel = file.kernels[i];
    if (kernel.op != NPU_OP_CUSTOM)
      continue;
    const npu_custom_attrs &where = file.attrs[kernel.attrs].custom;
    StringRef bytes =
        image.at(weights + static_cast<uint64_t>(where.offset),
                 static_cast<uint64_t>(where.bytes), "op of a plugin");
    std::string wrong = format::decodeCustomOp(bytes, file.pluginOps[i]);
    if (!wrong.empty())
      throw DumpError("is damaged: kernel " + std::to_string(i) + ": " + wrong);
  }
}

static void readTables(const Image &image, ProgramFile &file) {
  uint64_t address = image.exported(NPU_PROGRAM_SYMBOL);
  StringRef bytes = image.at(address, sizeof(npu_program), "program table");
  std::memcpy(&file.root, bytes.data(), sizeof(npu_program));
  checkRoot(file.root);
  file.kernels =
      image.table<npu_kernel_desc>(address + offsetof(npu_program, kernels),
                                   file.root.n_kernels, "kernel table");
  file.makers =
      image.table<npu_kernel_desc>(address + offsetof(npu_program, makers),
                                   file.root.n_makers, "table of makers");
  file.attrs = image.table<npu_attrs>(address + offsetof(npu_program, attrs),
                                      file.root.n_attrs, "table of attributes");
  file.tensors =
      image.table<npu_tensor_desc>(address + offsetof(npu_program, tensors),
                                   file.root.n_tensors, "tensor table");
  file.instrs = image.table<npu_instr>(address + offsetof(npu_program, instrs),
                                       file.root.n_instrs, "instruction table");
  checkTables(file);
  readPluginOps(image, image.pointer(address + offsetof(npu_program, weights)),
                file);
}

ProgramFile dump::readProgram(const std::string &path) {
  files::InputFile input;
  std::string unreadable = input.open(path);
  if (!unreadable.empty())
    throw DumpError(unreadable);
  int fd = input.descriptor();
  format::Sealed sealed = format::readSealed(fd, path);
  ProgramFile file;
  auto buffer =
      llvm::MemoryBuffer::getOpenFile(fd, path, sealed.fileBytes,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (sealed.error != format::ReadError::None) {
    StringRef clause = sealed.message;
    clause.consume_front("'" + path + "' ");
    throw DumpError(clause.str());
  }
  if (!buffer)
    throw DumpError("cannot be read: " + buffer.getError().message());
  file.buffer = std::move(*buffer);
  file.fileBytes = sealed.fileBytes;
  file.elfBytes = sealed.elfBytes;
  file.manifestText = sealed.manifest;
  file.chipTable = sealed.chip;
  std::string wrong = format::parseManifest(sealed.manifest, file.manifest);
  if (!wrong.empty())
    throw DumpError("is damaged: " + wrong);

  StringRef elfPart = file.buffer->getBuffer().take_front(file.elfBytes);
  if (!elfPart.starts_with(llvm::ELF::ElfMagic) || elfPart.size() < 64 ||
      elfPart[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      elfPart[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    throw DumpError(
        "has a first part that is not a 64-bit little-endian ELF file");
  Image image(elfPart);
  auto object = take(llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(elfPart, path), /*InitContent=*/false));
  file.triple = object->makeTriple();
  readTables(image, file);
  file.sections = image.sections();
  file.functions = image.functions();
  return file;
}
