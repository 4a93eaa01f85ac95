// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/ArraySpec.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;
using cost::Contradiction;

static double ofType(const NumbersByType &numbers, mlir::Type type,
                     double absent) {
  auto found = numbers.find(static_cast<npu_dtype>(dtypeOf(type)));
  return found == numbers.end() ? absent : found->second;
}

double ArraySpec::rateOf(mlir::Type a, mlir::Type b) const {
  return rates.empty() ? 1 : std::min(ofType(rates, a, 1), ofType(rates, b, 1));
}

double ArraySpec::energyOf(mlir::Type a, mlir::Type b) const {
  return energies.empty()
             ? 0
             : std::max(ofType(energies, a, 0), ofType(energies, b, 0));
}

static std::string nameOf(npu_dtype type) {
  for (const TypeWord &word : typeVocabulary())
    if (word.type == type)
      return word.name.str();
  llvm_unreachable("a type without a name");
}

/// Numbers of types that the chip does not have would never be used.
static std::optional<Contradiction> strangeType(std::string_view key,
                                                const NumbersByType &numbers,
                                                ArrayRef<npu_dtype> types) {
  for (auto [type, number] : numbers)
    if (!llvm::is_contained(types, type))
      return Contradiction{key, "'" + nameOf(type) +
                                    "' is not one of the chip's `types`"};
  return std::nullopt;
}

static Contradiction partMissing(std::string_view key, StringRef other) {
  return {key, ("is a part of a chip's energy; " + other +
                ", which is another, is missing")
                   .str()};
}

/// Chips take numbers of f64 and i1 where they are moved or compared.
static bool isMultiplied(npu_dtype type) {
  return type != NPU_BOOL && type != NPU_F64;
}

/// Energy without one of its parts would be less than the chip takes.
static std::optional<Contradiction>
partOfEnergy(const NumbersByType &energies, ArrayRef<npu_dtype> types,
             const cost::Machine &machine, std::optional<double> linkEnergy) {
  if (energies.empty() && !machine.saysEnergy())
    return std::nullopt;
  if (energies.empty())
    return partMissing("dram_energy", "`mac_energy`");
  if (!machine.saysEnergy())
    return partMissing("mac_energy", "`dram_energy`");
  for (npu_dtype type : types)
    if (isMultiplied(type) && !energies.count(type))
      return Contradiction{"mac_energy", "says nothing of '" + nameOf(type) +
                                             "', which is one of `types`"};
  if (linkEnergy && *linkEnergy <= 0)
    return partMissing("dram_energy", "`link_energy` of `fallback`");
  return std::nullopt;
}

std::optional<Contradiction>
npu::contradictionIn(const ArraySpec &array, ArrayRef<npu_dtype> types,
                     const cost::Machine &machine,
                     std::optional<double> linkEnergy) {
  if (auto wrong = strangeType("mac_rates", array.rates, types))
    return wrong;
  if (auto wrong = strangeType("mac_energy", array.energies, types))
    return wrong;
  return partOfEnergy(array.energies, types, machine, linkEnergy);
}
