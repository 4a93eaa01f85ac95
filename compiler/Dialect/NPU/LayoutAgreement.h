// SPDX-License-Identifier: Apache-2.0
//
// Whether an op may run on the orders in which two of its values are stored.
// Pure functions of integers.
#ifndef NPU_COMPILER_DIALECT_NPU_LAYOUTAGREEMENT_H
#define NPU_COMPILER_DIALECT_NPU_LAYOUTAGREEMENT_H

#include "compiler/Dialect/NPU/LayoutTransfer.h"

namespace npu {

/// Whether two values of an op are stored in orders that fit each other: the
/// dimensions that both have, larger than 1, are stored alike at the extents of
/// one of them, or in one spelling whose blocks `knowsBlock` has (all, where
/// nobody says). How one element is padded is not compared.
bool layoutsAgree(const RelatedValue &a, const StoredOrder &layoutA,
                  const RelatedValue &b, const StoredOrder &layoutB,
                  llvm::function_ref<bool(int64_t)> knowsBlock = nullptr);

/// What of a layout of `a` says with which layouts of `b` it agrees: of two
/// layouts that store `a` alike and have the same trait, each agrees with all
/// that the other agrees with, on either side. A value may have thousands of
/// spellings, and few traits.
llvm::SmallVector<int64_t, 32> agreementTrait(const RelatedValue &a,
                                              const StoredOrder &layout,
                                              const RelatedValue &b);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTAGREEMENT_H
