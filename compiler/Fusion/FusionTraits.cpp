// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/FusionTraits.h"

using namespace npu;

/// Each kind is named, so that the compiler finds one that is forgotten.
FusionTraits npu::fusionTraitsOf(KernelOpInterface op) {
  npu_attrs ignored = {};
  FusionTraits traits;
  switch (op.getKernel(ignored)) {
  case NPU_OP_ELTWISE:
  case NPU_OP_REDUCE:
    traits.sinksTransposes = traits.sinksReshapes = true;
    return traits;
  case NPU_OP_PAD:
    traits.sinksTransposes = traits.movesElements = true;
    return traits;
  case NPU_OP_CONCAT:
    traits.sinksTransposes = traits.sinksReshapes = true;
    traits.keepsSign = traits.movesElements = true;
    return traits;
  case NPU_OP_MAX_POOL:
    traits.takesPads = traits.keepsSign = traits.movesElements = true;
    traits.keepsChannels = true;
    return traits;
  case NPU_OP_AVG_POOL:
    traits.takesPads = traits.keepsSign = traits.keepsChannels = true;
    return traits;
  case NPU_OP_CONV:
    traits.takesPads = traits.sumsWider = true;
    traits.factors = 2;
    return traits;
  case NPU_OP_MATMUL:
    traits.sumsWider = traits.sinksReshapes = true;
    traits.factors = 2;
    return traits;
  case NPU_OP_ATTENTION:
    traits.factors = 3;
    return traits;
  case NPU_OP_TRANSPOSE:
    traits.sinksReshapes = traits.keepsSign = traits.movesElements = true;
    return traits;
  case NPU_OP_RESHAPE:
    traits.keepsSign = traits.movesElements = true;
    return traits;
  case NPU_OP_SLICE:
  case NPU_OP_GATHER_ND:
    traits.sinksReshapes = traits.movesElements = true;
    return traits;
  case NPU_OP_TENSORNORM:
    traits.sinksReshapes = traits.storesRounded = true;
    return traits;
  case NPU_OP_SOFTMAX:
    traits.sinksReshapes = true;
    return traits;
  case NPU_OP_GATHER:
  case NPU_OP_RELAYOUT:
  case NPU_OP_BROADCAST:
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_TOP_K:
  case NPU_OP_UNPOOL:
  case NPU_OP_MASKUNPOOL:
  case NPU_OP_ROTATE:
    traits.movesElements = true;
    return traits;
  case NPU_OP_CONV_TRANSPOSE:
  case NPU_OP_CONV_BPW:
  case NPU_OP_CONV_WINOGRAD:
  case NPU_OP_WINOGRAD_WEIGHT:
  case NPU_OP_RESIZE:
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
  case NPU_OP_MAX_POOL_INDICES:
  case NPU_OP_CUMULATE:
  case NPU_OP_IMG2COL:
  case NPU_OP_CUSTOM:
    return traits;
  case NPU_OP_COUNT:
    break;
  }
  llvm_unreachable("a kernel of no kind");
}
