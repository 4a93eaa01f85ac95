// SPDX-License-Identifier: Apache-2.0
//
// The target of a pass: given by whoever builds the pipeline, or named by the
// pass's option.
#ifndef NPU_COMPILER_FUSION_TARGETOPTION_H
#define NPU_COMPILER_FUSION_TARGETOPTION_H

#include "compiler/Target/Plugins.h"
#include "compiler/Target/TargetSpec.h"

#include "mlir/IR/Diagnostics.h"

namespace npu {

class TargetOption {
public:
  TargetOption() = default;
  /// `given` must outlive it; null: none is given.
  explicit TargetOption(const TargetSpec *given) : known(given) {}

  /// Reads the named one, an error if there is none.
  LogicalResult load(MLIRContext *context, StringRef nameOrPath) {
    std::string error;
    loaded = loadTarget(nameOrPath, error, allowedPlugins(*context));
    if (!loaded)
      return mlir::emitError(mlir::UnknownLoc::get(context), error);
    addPlugins(*context, *loaded);
    return success();
  }

  /// The named one before the given one; null where there is neither.
  const TargetSpec *get() const { return loaded ? &*loaded : known; }

private:
  std::optional<TargetSpec> loaded;
  const TargetSpec *known = nullptr;
};

/// A pass that tablegen made with an option `target`: the named one, else the
/// given one, which must outlive it.
template <typename Base>
class PassOfTarget : public Base {
public:
  using Base::Base;
  explicit PassOfTarget(const TargetSpec *given) : spec(given) {}

  LogicalResult initialize(MLIRContext *context) override {
    return this->target.empty() ? mlir::success()
                                : spec.load(context, this->target);
  }

protected:
  TargetOption spec;
};

} // namespace npu

#endif // NPU_COMPILER_FUSION_TARGETOPTION_H
