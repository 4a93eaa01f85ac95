// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/AcceptedLayouts.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/LayoutAgreement.h"
#include "compiler/Dialect/NPU/OutputCopy.h"

using namespace npu;

static ArrayRef<LayoutPattern> patternsOf(const Signature &signature,
                                          StringRef role) {
  auto found = signature.roles.find(role.str());
  if (found == signature.roles.end())
    return {};
  return found->second;
}

SmallVector<LayoutAttr>
npu::acceptedLayouts(const Signature &signature, LayoutOpInterface op,
                     StringRef role, Value value,
                     llvm::function_ref<KnownDims()> dims) {
  ArrayRef<LayoutPattern> patterns = patternsOf(signature, role);
  if (patterns.empty())
    return {};
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  const KnownDims known = dims();
  SmallVector<LayoutAttr> layouts;
  for (const LayoutPattern &pattern : patterns) {
    if (pattern.kind == LayoutPattern::Kind::Any)
      return {};
    if (std::optional<StoredOrder> order = pattern.resolve(shape, known))
      layouts.push_back(toLayout(op->getContext(), *order));
  }
  return layouts;
}

/// Whether the signature leaves it to others which layout a value has.
static bool takesAny(const Signature &signature, StringRef role) {
  ArrayRef<LayoutPattern> patterns = patternsOf(signature, role);
  return patterns.empty() || llvm::any_of(patterns, [](auto &pattern) {
           return pattern.kind == LayoutPattern::Kind::Any;
         });
}

ArrayRef<Signature> npu::signaturesOf(const TargetSpec &target,
                                      LayoutOpInterface op) {
  return isOnProcessor(op) || isCopy(op)
             ? ArrayRef<Signature>()
             : target.signatures(op.getDemandName());
}

/// Those whose conditions hold; without one, those without conditions, and
/// without these all: the op is not the chip's then, and nobody asks.
static SmallVector<bool, 4> holding(ArrayRef<Signature> signatures,
                                    LayoutOpInterface op) {
  SmallVector<bool, 4> special, plain;
  for (const Signature &signature : signatures) {
    plain.push_back(signature.when.empty());
    special.push_back(!plain.back() && allHold(signature.when, op));
  }
  if (llvm::is_contained(special, true))
    return special;
  if (llvm::is_contained(plain, true))
    return plain;
  return SmallVector<bool, 4>(signatures.size(), true);
}

SmallVector<unsigned>
npu::fittingSignatures(ArrayRef<Signature> signatures, LayoutOpInterface op,
                       llvm::function_ref<KnownDims(unsigned)> dims) {
  const SmallVector<bool, 4> held = holding(signatures, op);
  SmallVector<bool, 4> fits = held;
  unsigned operands = op->getNumOperands();
  for (unsigned slot = 0;
       slot < operands + op->getNumResults() && signatures.size() > 1; ++slot) {
    bool isOperand = slot < operands;
    StringRef role = isOperand ? op.getOperandRole(slot) : "result";
    Value value =
        isOperand ? op->getOperand(slot) : op->getResult(slot - operands);
    SmallVector<bool, 4> silent;
    for (auto [signature, holds] : llvm::zip(signatures, held))
      silent.push_back(!holds ||
                       (!takesAny(signature, role) &&
                        acceptedLayouts(signature, op, role, value, [&] {
                          return dims(slot);
                        }).empty()));
    if (llvm::all_of(silent, [](bool none) { return none; }))
      continue;
    for (auto [index, none] : llvm::enumerate(silent))
      fits[index] &= !none;
  }
  SmallVector<unsigned> fitting, all;
  for (auto [index, fit] : llvm::enumerate(fits)) {
    if (held[index])
      all.push_back(index);
    if (fit)
      fitting.push_back(index);
  }
  return fitting.empty() ? all : fitting;
}

using KnowsBlock = llvm::function_ref<bool(int64_t)>;

static bool agree(const ListedValue &a, LayoutAttr layoutA,
                  const ListedValue &b, LayoutAttr layoutB,
                  KnowsBlock knowsBlock) {
  return layoutsAgree(a.value, toStoredOrder(layoutA), b.value,
                      toStoredOrder(layoutB), knowsBlock);
}

/// Whether none of the orders that are listed for `b` agrees with that of `a`.
static bool isSingle(const ListedValue &a, const ListedValue &b,
                     KnowsBlock knowsBlock) {
  return llvm::none_of(b.listed, [&](LayoutAttr layout) {
    return agree(a, a.layout, b, layout, knowsBlock);
  });
}

static bool isListed(const ListedValue &value) {
  return llvm::any_of(value.listed, [&](LayoutAttr layout) {
    return layout.isEquivalent(value.layout, value.value.shape);
  });
}

bool npu::goTogether(const ListedValue &a, const ListedValue &b,
                     KnowsBlock knowsBlock) {
  if (agree(a, a.layout, b, b.layout, knowsBlock))
    return true;
  return isListed(a) && isListed(b) &&
         (isSingle(a, b, knowsBlock) || isSingle(b, a, knowsBlock));
}
