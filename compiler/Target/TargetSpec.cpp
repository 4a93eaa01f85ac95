// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/TargetSpec.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Support/InputText.h"
#include "compiler/Target/CostTableReader.h"
#include "compiler/Target/TargetNames.h"
#include "compiler/Target/TargetReader.h"
#include "files/installation.h"
#include "files/words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace npu;

SmallVector<StringRef> npu::demandRoles(const OpWords &words) {
  SmallVector<StringRef> roles(words.roles);
  roles.push_back("result");
  return roles;
}

// Rows of the table in Layout/Alternatives.cpp, a test says so; what only the
// fusion stage asks for behind them.
static const StringRef algorithmNames[] = {"winograd", "attention",
                                           "quantized_rows"};

ArrayRef<StringRef> npu::algorithmVocabulary() { return algorithmNames; }

ArrayRef<Signature> TargetSpec::signatures(StringRef op) const {
  auto found = demands.find(op.str());
  if (found == demands.end())
    return {};
  return found->second;
}

bool TargetSpec::isDemanding(StringRef op) const {
  return llvm::any_of(signatures(op), [](const Signature &signature) {
    return !signature.roles.empty();
  });
}

bool TargetSpec::listsPieces() const {
  return llvm::any_of(demands, [](auto &ofOp) {
    return llvm::any_of(ofOp.second, [](const Signature &signature) {
      return llvm::any_of(signature.roles, [](auto &ofRole) {
        return llvm::any_of(ofRole.second, [](const LayoutPattern &pattern) {
          return pattern.kind == LayoutPattern::Kind::Pieces;
        });
      });
    });
  });
}

bool TargetSpec::supports(mlir::Type element) const {
  return llvm::is_contained(types, static_cast<npu_dtype>(dtypeOf(element)));
}

bool TargetSpec::isMovedBeside(mlir::Type element) const {
  return fallback && (!fallback->onlyConverts || isa<mlir::FloatType>(element));
}

/// Where the shipped targets lie. Of a build, a link to the source tree's.
static std::string targetFolder() {
  return files::installedPath("share/npuc/targets");
}

std::vector<std::string> npu::targetNames() {
  std::vector<std::string> names;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(targetFolder(), code), end;
       it != end && !code; it.increment(code))
    if (llvm::sys::path::extension(it->path()) == ".yaml")
      names.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(names);
  return names;
}

static bool isPath(StringRef nameOrPath) {
  return nameOrPath.contains('/') || nameOrPath.ends_with(".yaml");
}

bool npu::isTargetThere(StringRef nameOrPath) {
  return isPath(nameOrPath) || llvm::is_contained(targetNames(), nameOrPath);
}

static std::optional<TargetSpec> loadAlone(StringRef nameOrPath,
                                           std::string &error,
                                           const AllowedPlugins &allowed) {
  std::string path = nameOrPath.str();
  if (!isTargetThere(nameOrPath)) {
    if (llvm::sys::fs::exists(path)) {
      error = "target '" + path + "' is no shipped target; for the file of " +
              "that name write './" + path + "'";
      return std::nullopt;
    }
    std::vector<std::string> names = targetNames();
    error = "target '" + path + "' is neither a file nor a shipped target, " +
            (names.empty() ? "and there are none in '" + targetFolder() +
                                 "': npuc is not installed whole"
                           : "which are: " + llvm::join(names, ", ") +
                                 files::suggestion(path, names));
    return std::nullopt;
  }
  if (!isPath(nameOrPath))
    path = targetFolder() + "/" + path + ".yaml";
  auto buffer = readInput(path, Budget::Text, error);
  if (buffer)
    return readTarget(buffer->getBuffer(), path, error, allowed);
  error = "'" + path + "' " + error;
  return std::nullopt;
}

/// Reads the machine of the fallback's target.
static bool loadProcessor(Fallback &fallback, std::string &error,
                          const AllowedPlugins &allowed) {
  std::optional<TargetSpec> processor =
      loadAlone(fallback.target, error, allowed);
  if (!processor)
    return false;
  if (processor->fallback || !processor->unsupported.empty()) {
    error = processor->file +
            ":1: is a `fallback`, which runs everything, but has `fallback` or "
            "`unsupported` of its own";
    return false;
  }
  fallback.machine = processor->machine;
  fallback.array = processor->array;
  return true;
}

std::string TargetSpec::costsPath() const {
  return costs ? pathOf(costs->file) : "";
}

std::string TargetSpec::pathOf(StringRef named) const {
  if (llvm::sys::path::is_absolute(named))
    return named.str();
  llvm::SmallString<128> path(file);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, named);
  return path.str().str();
}

static bool loadCosts(TargetSpec &spec, std::string &error) {
  std::string path = spec.costsPath(), reason;
  auto buffer = readInput(path, Budget::Text, reason);
  if (!buffer) {
    error = spec.file + ":" + std::to_string(spec.costs->line) + ": costs: '" +
            path + "' " + reason;
    return false;
  }
  auto table = readCostTable(buffer->getBuffer(), path, error);
  if (table)
    spec.costs->table = std::move(*table);
  return table.has_value();
}

/// A processor whose link is as the chip's DRAM.
static Fallback besideDram(const TargetSpec &target, StringRef processor) {
  const cost::Machine &machine = target.machine;
  return {processor.str(),    machine.dramGBs, machine.dmaStartCycles,
          machine.dramEnergy, cost::Machine(), ArraySpec()};
}

/// With all that its file names.
static std::optional<TargetSpec> complete(std::optional<TargetSpec> spec,
                                          std::string &error,
                                          const AllowedPlugins &allowed) {
  if (!spec || (spec->costs && !loadCosts(*spec, error)))
    return std::nullopt;
  if (!spec->fallback && !llvm::is_contained(spec->types, NPU_F32)) {
    spec->fallback = besideDram(*spec, "host");
    spec->fallback->onlyConverts = true;
  }
  if (!spec->fallback || loadProcessor(*spec->fallback, error, allowed))
    return spec;
  error = spec->file + ": fallback: " + error;
  return std::nullopt;
}

std::optional<TargetSpec> npu::parseTarget(StringRef text, StringRef file,
                                           std::string &error,
                                           const AllowedPlugins &allowed) {
  return complete(readTarget(text, file, error, allowed), error, allowed);
}

std::optional<TargetSpec> npu::loadTarget(StringRef nameOrPath,
                                          std::string &error,
                                          const AllowedPlugins &allowed) {
  return complete(loadAlone(nameOrPath, error, allowed), error, allowed);
}

bool npu::chooseFallback(TargetSpec &target, StringRef nameOrPath,
                         std::string &error, const AllowedPlugins &allowed) {
  if (nameOrPath.empty())
    return true;
  if (nameOrPath == "none") {
    target.fallback.reset();
    return true;
  }
  Fallback chosen = target.fallback.value_or(besideDram(target, ""));
  chosen.target = nameOrPath.str();
  chosen.onlyConverts = false;
  if (!loadProcessor(chosen, error, allowed))
    return false;
  target.fallback = std::move(chosen);
  return true;
}

std::string npu::wrongStorageType(const TargetSpec &spec) {
  for (npu_dtype type : spec.storageTypes) {
    auto isThis = [&](const TypeWord &word) { return word.type == type; };
    const std::string name =
        "'" + llvm::find_if(typeVocabulary(), isThis)->name.str() + "'";
    if (type != NPU_F16 && type != NPU_BF16)
      return name + ", allowed are f16 and bf16";
    for (npu_dtype needed : {type, NPU_F32})
      if (!llvm::is_contained(spec.types, needed))
        return name + (needed == type ? "" : " is computed in f32, which") +
               " is not one of the chip's `types`";
  }
  return "";
}
