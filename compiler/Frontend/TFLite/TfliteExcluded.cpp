// SPDX-License-Identifier: Apache-2.0
//
// Why an operator of TFLite has no row: for the page docs/tflite-ops.md.
#include "compiler/Frontend/TFLite/TfliteOps.h"

using namespace npu;
using tflite::BuiltinOperator;

/// The operators of another language that files may hold.
static bool isStableHlo(BuiltinOperator kind) {
  return StringRef(tflite::EnumNameBuiltinOperator(kind))
      .starts_with("STABLEHLO_");
}

StringRef npu::whyNoTfliteOp(BuiltinOperator kind) {
  if (isStableHlo(kind))
    return "StableHLO within a file: converters write TFLite's own operators "
           "in their place";
  switch (kind) {
  case BuiltinOperator::HASHTABLE:
  case BuiltinOperator::HASHTABLE_FIND:
  case BuiltinOperator::HASHTABLE_IMPORT:
  case BuiltinOperator::HASHTABLE_SIZE:
  case BuiltinOperator::HASHTABLE_LOOKUP:
  case BuiltinOperator::LSH_PROJECTION:
  case BuiltinOperator::SKIP_GRAM:
    return "strings and hash tables, which no tensor of a program holds";
  case BuiltinOperator::RANDOM_STANDARD_NORMAL:
  case BuiltinOperator::RANDOM_UNIFORM:
  case BuiltinOperator::MULTINOMIAL:
    return "random numbers: a program gives the same results for the same "
           "inputs";
  case BuiltinOperator::UNIQUE:
  case BuiltinOperator::EMBEDDING_LOOKUP_SPARSE:
    return "data decide the result's size, or how far is read";
  case BuiltinOperator::CONCAT_EMBEDDINGS:
  case BuiltinOperator::CALL:
  case BuiltinOperator::DELEGATE:
  case BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES:
    return "LiteRT has no kernel of it, or makes it only as it runs";
  default:
    return "not yet";
  }
}
