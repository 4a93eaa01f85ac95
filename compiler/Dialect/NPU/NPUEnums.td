// SPDX-License-Identifier: Apache-2.0
//
// Closed sets of words. The numbers are those of format/program_format.h;
// NPUKernels.cpp asserts it.
#ifndef NPU_ENUMS_TD
#define NPU_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "compiler/Dialect/NPU/NPUDialect.td"

class NPU_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::npu";
  let genSpecializedAttr = 0;
}

/// Written `#npu.pad_mode<edge>`.
class NPU_EnumAttr<EnumAttrInfo info, string word>
    : EnumAttr<NPU_Dialect, info, word> {
  let summary = "one of #npu." # word # "<" #
                !interleave(!foreach(case, info.enumerants, case.str), ", ") #
                ">";
  let assemblyFormat = "`<` custom<Word>($value) `>`";
}

def NPU_PadMode : NPU_Enum<"PadMode", "What stands beyond the border.", [
  I32EnumAttrCase<"Constant", 0, "constant">,
  I32EnumAttrCase<"Reflect", 1, "reflect">,
  I32EnumAttrCase<"Edge", 2, "edge">,
  I32EnumAttrCase<"Wrap", 3, "wrap">]>;
def NPU_PadModeAttr : NPU_EnumAttr<NPU_PadMode, "pad_mode">;

def NPU_ReduceKind : NPU_Enum<"ReduceKind", "How many become one.", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"Prod", 4, "prod">,
  I32EnumAttrCase<"L1", 5, "l1">,
  I32EnumAttrCase<"L2", 6, "l2">,
  I32EnumAttrCase<"LogSum", 7, "log_sum">,
  I32EnumAttrCase<"LogSumExp", 8, "log_sum_exp">,
  I32EnumAttrCase<"SumSquare", 9, "sum_square">]>;
def NPU_ReduceKindAttr : NPU_EnumAttr<NPU_ReduceKind, "reduce_kind">;

def NPU_CumulateKind : NPU_Enum<"CumulateKind", "What is cumulated.", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Prod", 1, "prod">]>;
def NPU_CumulateKindAttr : NPU_EnumAttr<NPU_CumulateKind, "cumulate_kind">;

def NPU_ScatterReduction : NPU_Enum<
    "ScatterReduction", "What an update does to the element.", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">]>;
def NPU_ScatterReductionAttr
    : NPU_EnumAttr<NPU_ScatterReduction, "scatter_reduction">;

def NPU_ResizeMode : NPU_Enum<"ResizeMode", "How a resize interpolates.", [
  I32EnumAttrCase<"Nearest", 0, "nearest">,
  I32EnumAttrCase<"Linear", 1, "linear">,
  I32EnumAttrCase<"Cubic", 2, "cubic">]>;
def NPU_ResizeModeAttr : NPU_EnumAttr<NPU_ResizeMode, "resize_mode">;

def NPU_ResizeCoordinates : NPU_Enum<
    "ResizeCoordinates", "Where an element of the result lies in the data.", [
  I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
  I32EnumAttrCase<"PytorchHalfPixel", 1, "pytorch_half_pixel">,
  I32EnumAttrCase<"AlignCorners", 2, "align_corners">,
  I32EnumAttrCase<"Asymmetric", 3, "asymmetric">,
  I32EnumAttrCase<"HalfPixelSymmetric", 4, "half_pixel_symmetric">]>;
def NPU_ResizeCoordinatesAttr
    : NPU_EnumAttr<NPU_ResizeCoordinates, "resize_coordinates">;

def NPU_ResizeNearest : NPU_Enum<
    "ResizeNearest", "Which neighbour is the nearest.", [
  I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
  I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
  I32EnumAttrCase<"Floor", 2, "floor">,
  I32EnumAttrCase<"Ceil", 3, "ceil">]>;
def NPU_ResizeNearestAttr : NPU_EnumAttr<NPU_ResizeNearest, "resize_nearest">;

/// These have no numbers either: steps with other functions stand for them.
def NPU_Rounding : NPU_Enum<
    "Rounding", "Which of two neighbours a quantized number becomes.", [
  I32EnumAttrCase<"HalfEven", 0, "half_even">,
  I32EnumAttrCase<"HalfAway", 1, "half_away">,
  I32EnumAttrCase<"HalfUp", 2, "half_up">,
  I32EnumAttrCase<"Twice", 3, "twice">]>;
def NPU_RoundingAttr : NPU_EnumAttr<NPU_Rounding, "rounding">;

/// unpool has no numbers: "nearest" is a resize.
def NPU_UnpoolMode : NPU_Enum<"UnpoolMode", "Where unpool puts an element.", [
  I32EnumAttrCase<"Nearest", 0, "nearest">,
  I32EnumAttrCase<"Zero", 1, "zero">]>;
def NPU_UnpoolModeAttr : NPU_EnumAttr<NPU_UnpoolMode, "unpool_mode">;

#endif // NPU_ENUMS_TD
