// SPDX-License-Identifier: Apache-2.0
//
// Einsum: one product after the other, each a matrix product with batches.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace npu;

namespace {

/// A letter, or a number from 256 on for a dimension of the ellipsis, counted
/// from its right end.
using Label = int;
using Labels = SmallVector<Label>;

/// A tensor and what its dimensions are called.
struct Term {
  Value value;
  Labels labels;
};

class Einsum {
public:
  explicit Einsum(OnnxNode &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult parse(StringRef equation);
  FailureOr<Labels> parseLabels(StringRef text, int64_t rank);
  LogicalResult addInput(StringRef text, Value value);
  void labelImplicitResult(StringRef inputs);
  Term simplified(Term term, ArrayRef<Label> kept);
  Term diagonal(Term term, size_t first, size_t second);
  Term product(const Term &a, const Term &b, ArrayRef<Label> kept);
  Value arranged(const Term &term, ArrayRef<Label> order);
  int64_t extentOf(ArrayRef<Label> labels);

  OnnxNode &node;
  SmallVector<Term> terms;
  Labels result;
  std::map<Label, int64_t> extents;
  int64_t ellipsisRank = 0;
};

} // namespace

static bool isLetter(char c) { return llvm::isAlpha(c); }

static bool contains(ArrayRef<Label> labels, Label label) {
  return llvm::is_contained(labels, label);
}

/// The labels of a term; its ellipsis stands for `rank` minus the letters.
FailureOr<Labels> Einsum::parseLabels(StringRef text, int64_t rank) {
  Labels labels;
  auto letters = static_cast<int64_t>(llvm::count_if(text, isLetter));
  bool hasEllipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("...") && !hasEllipsis) {
      hasEllipsis = true;
      for (int64_t dim = rank - letters; dim-- > 0;)
        labels.push_back(256 + static_cast<Label>(dim));
      i += 2;
    } else if (isLetter(text[i])) {
      labels.push_back(text[i]);
    } else {
      return node.error("attribute 'equation' has '" + text +
                        "', expected letters and at most one ellipsis");
    }
  }
  return labels;
}

LogicalResult Einsum::addInput(StringRef text, Value value) {
  FailureOr<Labels> labels = parseLabels(text, rankOf(value));
  if (failed(labels))
    return failure();
  if (static_cast<int64_t>(labels->size()) != rankOf(value))
    return node.error("attribute 'equation' gives " + Twine(labels->size()) +
                      " labels to an operand of shape " +
                      shapes::text(shapeOf(value)));
  for (auto [label, extent] : llvm::zip(*labels, shapeOf(value))) {
    int64_t &known = extents.try_emplace(label, extent).first->second;
    bool broadcasts = label >= 256 && (known == 1 || extent == 1);
    if (known != extent && !broadcasts)
      return node.error("a label of attribute 'equation' has the extents " +
                        Twine(known) + " and " + Twine(extent));
    known = std::max(known, extent);
    if (label >= 256)
      ellipsisRank = std::max<int64_t>(ellipsisRank, label - 255);
  }
  terms.push_back({value, std::move(*labels)});
  return success();
}

/// The ellipsis, then the letters that occur once, by the alphabet.
void Einsum::labelImplicitResult(StringRef inputs) {
  for (int64_t dim = ellipsisRank; dim-- > 0;)
    result.push_back(256 + static_cast<Label>(dim));
  for (auto [label, extent] : extents)
    if (label < 256 && inputs.count(static_cast<char>(label)) == 1)
      result.push_back(label);
}

LogicalResult Einsum::parse(StringRef equation) {
  auto [left, right] = equation.split("->");
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != node.getInputCount())
    return node.error("attribute 'equation' has " + Twine(texts.size()) +
                      " operands, expected " + Twine(node.getInputCount()));
  for (auto [text, value] : llvm::zip(texts, node.getInputs()))
    if (failed(addInput(text, value)))
      return failure();
  if (!equation.contains("->")) {
    labelImplicitResult(left);
    return success();
  }
  auto letters = static_cast<int64_t>(llvm::count_if(right, isLetter));
  FailureOr<Labels> labels = parseLabels(right, letters + ellipsisRank);
  if (failed(labels))
    return failure();
  result = std::move(*labels);
  for (auto [i, label] : llvm::enumerate(result))
    if (!extents.count(label) ||
        contains(ArrayRef(result).take_front(i), label))
      return node.error("attribute 'equation' has a result label that no "
                        "operand has, or twice");
  return success();
}

/// Keeps the elements where two dimensions have the same index.
Term Einsum::diagonal(Term term, size_t first, size_t second) {
  int64_t extent = shapeOf(term.value)[first], rank = rankOf(term.value);
  Type i64 = node.getBuilder().getI64Type();
  auto count = [&](size_t axis) {
    return node.countAlong(extent, static_cast<int64_t>(axis), rank, i64);
  };
  Value isOn = equal(node, count(first), count(second));
  Value zero = node.scalar(0, elementOf(term.value));
  term.value =
      node.reduce(select(node, isOn, term.value, zero), ReduceKind::Sum,
                  static_cast<int64_t>(second), false);
  term.labels.erase(term.labels.begin() + second);
  return term;
}

/// Without labels twice, without dimensions that only broadcast, and summed
/// over labels that nothing else has.
Term Einsum::simplified(Term term, ArrayRef<Label> kept) {
  for (size_t i = 0; i < term.labels.size(); ++i)
    for (size_t j = term.labels.size(); j-- > i + 1 && term.value;)
      if (term.labels[i] == term.labels[j])
        term = diagonal(term, i, j);
  Ints summed, shape;
  Labels left;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    int64_t extent = term.value ? shapeOf(term.value)[i] : 0;
    bool onlyBroadcasts = extent == 1 && extents[label] != 1;
    if (onlyBroadcasts || !contains(kept, label)) {
      summed.push_back(static_cast<int64_t>(i));
      continue;
    }
    left.push_back(label);
    shape.push_back(extent);
  }
  if (!summed.empty())
    term.value = node.reduce(term.value, ReduceKind::Sum, summed, false);
  term.labels = left;
  return term;
}

int64_t Einsum::extentOf(ArrayRef<Label> labels) {
  int64_t extent = 1;
  for (Label label : labels)
    extent *= extents[label];
  return extent;
}

Value Einsum::arranged(const Term &term, ArrayRef<Label> order) {
  Ints permutation;
  for (Label label : order)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return node.transpose(term.value, permutation);
}

/// Labels of both that are not kept are summed over.
Term Einsum::product(const Term &a, const Term &b, ArrayRef<Label> kept) {
  Labels batch, inner, rows, columns;
  for (Label label : a.labels)
    (!contains(b.labels, label) ? rows
     : contains(kept, label)    ? batch
                                : inner)
        .push_back(label);
  for (Label label : b.labels)
    if (!contains(a.labels, label))
      columns.push_back(label);
  auto joined = [](const Labels &x, const Labels &y, const Labels &z) {
    Labels all(x);
    all.append(y);
    all.append(z);
    return all;
  };
  Value left = node.reshape(arranged(a, joined(batch, rows, inner)),
                            {extentOf(batch), extentOf(rows), extentOf(inner)});
  Value right =
      node.reshape(arranged(b, joined(batch, inner, columns)),
                   {extentOf(batch), extentOf(inner), extentOf(columns)});
  Labels labels = joined(batch, rows, columns);
  Value all =
      inner.empty() ? multiply(node, left, right) : node.matmul(left, right);
  Ints shape;
  for (Label label : labels)
    shape.push_back(extents[label]);
  return {node.reshape(all, shape), labels};
}

LogicalResult Einsum::run() {
  std::string equation = node.getString("equation", "");
  llvm::erase(equation, ' ');
  if (failed(parse(equation)) || node.hasFailed())
    return failure();
  Term total;
  for (auto [i, term] : llvm::enumerate(terms)) {
    Labels later(result);
    for (const Term &other : ArrayRef(terms).drop_front(i + 1))
      later.append(other.labels);
    Labels wanted(later);
    if (i > 0)
      wanted.append(total.labels);
    Term next = simplified(term, wanted);
    total = i == 0 ? next : simplified(product(total, next, later), later);
    if (!total.value)
      return failure();
  }
  // A dimension that every operand broadcasts has extent 1 and stays.
  return node.setResult(arranged(total, result));
}

LogicalResult npu::buildEinsum(OnnxNode &node) { return Einsum(node).run(); }
