// SPDX-License-Identifier: Apache-2.0
//
// #npu.layout: text in both forms (letters, image names) and questions.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Letters.h"
#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace npu;

/// A word of a closed set.
template <typename Enum>
static mlir::ParseResult parseWord(mlir::AsmParser &parser, Enum &value) {
  llvm::SMLoc location = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return failure();
  std::optional<Enum> found = symbolizeEnum<Enum>(word);
  if (!found)
    return parser.emitError(location, "'")
           << word << "' is none of " << llvm::join(wordsOf<Enum>(), ", ");
  value = *found;
  return success();
}

template <typename Enum>
static void printWord(mlir::AsmPrinter &printer, Enum value) {
  printer << stringifyEnum(value);
}

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/NPU/NPUAttrs.cpp.inc"

void NPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/NPU/NPUAttrs.cpp.inc"
      >();
}

/// The letter that stands for each logical dimension, in logical order, given
/// the letters of an image name: N,C or O,I first, then D,H,W or L. Empty if
/// they are no image axes.
static std::string canonicalLetters(StringRef name) {
  std::string letters;
  for (char letter : StringRef("NOCIDHWL"))
    if (name.contains(letter))
      letters += letter;
  bool mixed = (name.contains('N') || name.contains('C')) &&
               (name.contains('O') || name.contains('I'));
  return mixed || letters.size() != name.size() ? std::string() : letters;
}

/// Reads the blocks behind the order ("16c4n"); `dims` finds a letter's
/// dimension.
static bool parseBlocks(StringRef text, function_ref<int64_t(char)> dimOf,
                        SmallVectorImpl<LayoutBlock> &blocks) {
  int64_t elements = 1;
  while (!text.empty()) {
    int64_t size = 0;
    if (text.consumeInteger(10, size) || size < 2 || size > largestBlocks ||
        text.empty())
      return false;
    elements *= size;
    if (elements > largestBlocks)
      return false;
    int64_t dim = dimOf(text.front());
    if (dim < 0 || blocks.size() == NPU_MAX_BLOCKS)
      return false;
    blocks.push_back({dim, size});
    text = text.drop_front();
  }
  return true;
}

LayoutAttr LayoutAttr::fromText(MLIRContext *context, StringRef text,
                                std::string &error) {
  if (text == "scalar")
    return get(context, {}, {});
  error = ("'" + text +
           "' is not a layout: expected letters such as acdb or aBcd16b, or a "
           "name such as NHWC, HWOI or NCHW16c")
              .str();
  StringRef order = text.take_while([](char c) { return !llvm::isDigit(c); });
  StringRef blockText = text.drop_front(order.size());
  if (order.empty() || order.size() > NPU_MAX_RANK)
    return {};
  // Letters always hold an a; no name does.
  bool isName = !order.contains_insensitive('a');
  std::string canonical = isName ? canonicalLetters(order) : "abcdefgh";
  if (canonical.empty())
    return {};
  auto dimOf = [&](char letter) -> int64_t {
    size_t found = isName ? canonical.find(llvm::toUpper(letter))
                          : canonical.find(llvm::toLower(letter));
    return found < order.size() ? static_cast<int64_t>(found) : -1;
  };
  SmallVector<int64_t> dims;
  SmallVector<LayoutBlock> blocks;
  for (char letter : order)
    dims.push_back(dimOf(letter));
  auto blockDim = [&](char letter) {
    return llvm::isLower(letter) ? dimOf(letter) : int64_t(-1);
  };
  if (!parseBlocks(blockText, blockDim, blocks))
    return {};
  SmallVector<bool> seen(order.size(), false);
  for (auto [letter, dim] : llvm::zip(order, dims)) {
    if (dim < 0 || seen[dim])
      return {};
    seen[dim] = true;
    bool blocked = llvm::any_of(
        blocks, [&, d = dim](const LayoutBlock &b) { return b.dim == d; });
    if (!isName && blocked != llvm::isUpper(letter))
      return {};
  }
  error.clear();
  return get(context, dims, blocks);
}

Attribute LayoutAttr::parse(mlir::AsmParser &parser, Type) {
  StringRef text;
  llvm::SMLoc location;
  if (parser.parseLess() || parser.getCurrentLocation(&location) ||
      parser.parseKeyword(&text) || parser.parseGreater())
    return {};
  std::string error;
  LayoutAttr layout = fromText(parser.getContext(), text, error);
  if (!layout)
    parser.emitError(location) << error;
  return layout;
}

void LayoutAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << getLetters() << ">";
}

LogicalResult
LayoutAttr::verify(function_ref<mlir::InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> order, ArrayRef<LayoutBlock> blocks) {
  int64_t rank = order.size();
  if (rank > NPU_MAX_RANK)
    return emitError() << "layout of rank " << rank << ", at most "
                       << NPU_MAX_RANK << " is supported";
  SmallVector<bool> seen(rank, false);
  for (int64_t dim : order) {
    if (dim < 0 || dim >= rank || seen[dim])
      return emitError() << "layout order is not a permutation";
    seen[dim] = true;
  }
  int64_t elements = 1;
  for (const LayoutBlock &block : blocks) {
    bool isPossible = block.dim >= 0 && block.dim < rank && block.size >= 2 &&
                      block.size <= largestBlocks / elements;
    if (!isPossible)
      return emitError() << "layout block of dimension " << block.dim
                         << " and size " << block.size << " is impossible";
    elements *= block.size;
  }
  if (blocks.size() > NPU_MAX_BLOCKS)
    return emitError() << "layout with more than " << NPU_MAX_BLOCKS
                       << " blocks";
  return success();
}

LayoutAttr LayoutAttr::getRowMajor(MLIRContext *context, int64_t rank) {
  return get(context, llvm::to_vector(llvm::seq<int64_t>(0, rank)), {});
}

int64_t LayoutAttr::getBlockOf(int64_t dim) const {
  int64_t product = 1;
  for (const LayoutBlock &block : getBlocks())
    if (block.dim == dim)
      product *= block.size;
  return product;
}

bool LayoutAttr::isEquivalent(LayoutAttr other, ArrayRef<int64_t> shape) const {
  if (*this == other)
    return true;
  if (getRank() != other.getRank())
    return false;
  // Most are not blocked, and many are compared.
  if (!isBlocked() && !other.isBlocked())
    return sameOrder(getOrder(), other.getOrder(), shape);
  return sameStorage(toStoredOrder(*this), toStoredOrder(other), shape);
}

bool LayoutAttr::isRowMajor(ArrayRef<int64_t> shape) const {
  return isEquivalent(getRowMajor(getContext(), getRank()), shape);
}

int64_t LayoutAttr::getStoredElements(ArrayRef<int64_t> shape) const {
  int64_t product = 1;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    int64_t block = getBlockOf(dim);
    product *= (extent + block - 1) / block * block;
  }
  return product;
}

std::string LayoutAttr::getLetters() const {
  return lettersOf(toStoredOrder(*this));
}
