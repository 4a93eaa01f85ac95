// SPDX-License-Identifier: Apache-2.0
//
// npu-match-attention: softmax of the product of queries and keys, times
// values. Each match takes a product of matrices away, so the pass ends.
#include "compiler/Fusion/AttentionMask.h"
#include "compiler/Fusion/FusionRules.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "compiler/Kernel/KernelProblem.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MATCHATTENTION
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// What becomes one op; nothing is made before all of it is found.
struct Found {
  SmallVector<Operation *> steps; // from the last product to the first
  Value query, transposedKey, value;
  AttentionMask added;
  Value chosen;                      // a boolean mask instead, or null
  SmallVector<int64_t> chosenScores; // the shape of those that it chooses from
  double scale = 1, fill = 0;
  bool isOpenWhereFalse = false; // of a boolean mask
  SmallVector<int64_t> batch;    // of the scores where the mask meets them
  /// Rows of weights that count, others being `closed`, which is 0; or null.
  Value isOpen, closed;
  SmallVector<int64_t> openRows; // the shape of these weights
  bool hidesNan = false;         // rows of weights that are NaN are 0 instead
};

} // namespace

/// The extents in front of a matrix.
static ArrayRef<int64_t> batchOf(Value value) {
  return shapeOf(value).drop_back(2);
}

/// Passes by reshapes; that the matrices are the same again at their end is
/// seen there.
static Value behindReshapes(Value value, Found &found) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (!value.hasOneUse())
      break;
    found.steps.push_back(reshape);
    value = reshape.getInput();
  }
  return value;
}

/// A factor in front of a value, with which it is multiplied or divided.
static std::optional<float> factorOn(EltwiseOp op, unsigned &data) {
  bool isQuotient = isKind(op, NPU_INSTR_div);
  if (!isQuotient && !isKind(op, NPU_INSTR_mul))
    return std::nullopt;
  for (unsigned index : {1u, 0u}) {
    std::optional<float> factor = scalarOf(op.getInputs()[index]);
    data = 1 - index;
    if (!factor || (isQuotient && index == 0) ||
        op.getInputs()[data].getType() != op.getResult().getType())
      continue;
    float once = isQuotient ? 1 / *factor : *factor;
    if (once != 0 && isModestScale(once))
      return once;
  }
  return std::nullopt;
}

/// Whether it broadcasts to the scores.
static bool isMaskFor(Value mask, Value scores) {
  ArrayRef<int64_t> small = shapeOf(mask), all = shapeOf(scores);
  if (small.size() > all.size())
    return false;
  for (auto [one, whole] : llvm::zip(small, all.take_back(small.size())))
    if (one != 1 && one != whole)
      return false;
  return true;
}

/// scores + M; null where the op is another.
static Value matchAdded(EltwiseOp op, Found &found) {
  if (found.chosen || !isKind(op, NPU_INSTR_add))
    return {};
  // The scores are what comes of a product: the operand that is as large and
  // read once; a mask of their size may come first or second.
  for (unsigned index : {0u, 1u}) {
    Value scores = op.getInputs()[index], mask = op.getInputs()[1 - index];
    if (scores.getType() != op.getResult().getType() || !scores.hasOneUse() ||
        !llvm::isa_and_nonnull<MatmulOp, EltwiseOp, ReshapeOp>(
            scores.getDefiningOp()) ||
        !isMaskFor(mask, scores))
      continue;
    found.added.push(mask, shapeOf(scores));
    return scores;
  }
  return {};
}

/// max(scores + M, the least float), as OPT has it against infinities.
static Value matchBound(EltwiseOp op, Found &found) {
  if (found.chosen || !isKind(op, NPU_INSTR_max))
    return {};
  for (unsigned index : {0u, 1u}) {
    Value scores = op.getInputs()[index];
    std::optional<float> bound = scalarOf(op.getInputs()[1 - index]);
    if (bound && scores.hasOneUse() &&
        scores.getType() == op.getResult().getType() &&
        found.added.holdAbove(*bound))
      return scores;
  }
  return {};
}

/// C ? scores : fill, or C ? fill : scores.
static Value matchChosen(EltwiseOp op, Found &found) {
  if (found.chosen || !found.added.isEmpty() || !isKind(op, NPU_INSTR_select))
    return {};
  for (unsigned index : {1u, 2u}) {
    Value scores = op.getInputs()[index], mask = op.getInputs()[0];
    std::optional<float> fill = scalarOf(op.getInputs()[3 - index]);
    if (!fill || std::isnan(*fill) || !scores.hasOneUse() ||
        scores.getType() != op.getResult().getType() ||
        !isMaskFor(mask, scores))
      continue;
    found.chosen = mask;
    found.fill = *fill;
    found.isOpenWhereFalse = index == 2;
    found.chosenScores = SmallVector<int64_t>(shapeOf(scores));
    return scores;
  }
  return {};
}

/// From what softmax reads to the product: masks in front of scales only, for a
/// scale behind a mask would scale it too.
static MatmulOp matchScores(Value value, Found &found) {
  while (true) {
    value = behindReshapes(value, found);
    if (!value.hasOneUse())
      return {};
    if (auto product = value.getDefiningOp<MatmulOp>())
      return product.isPacked() ? MatmulOp() : product;
    auto op = value.getDefiningOp<EltwiseOp>();
    if (!op)
      return {};
    unsigned data = 0;
    Value next;
    if (std::optional<float> factor = factorOn(op, data)) {
      found.scale *= *factor;
      next = op.getInputs()[data];
    } else if (found.scale != 1) {
      return {};
    } else if (!(next = matchAdded(op, found)) &&
               !(next = matchBound(op, found))) {
      next = matchChosen(op, found);
    }
    if (!next)
      return {};
    found.steps.push_back(op);
    value = next;
  }
}

/// Factors on queries or keys by themselves.
static Value withoutFactors(Value value, Found &found) {
  while (auto op = value.getDefiningOp<EltwiseOp>()) {
    unsigned data = 0;
    std::optional<float> factor =
        value.hasOneUse() ? factorOn(op, data) : std::nullopt;
    if (!factor)
      break;
    found.scale *= *factor;
    value = op.getInputs()[data];
  }
  return value;
}

/// C ? weights : 0 with a C for each row, as ONNX's Attention has it for rows
/// of which nothing may be attended.
static Value matchOpenRows(Value weights, Found &found) {
  EltwiseOp op = definedBy(weights, NPU_INSTR_select);
  if (!op || !weights.hasOneUse())
    return weights;
  Value isOpen = op.getInputs()[0], rows = op.getInputs()[1],
        closed = op.getInputs()[2];
  ArrayRef<int64_t> shape = shapeOf(isOpen);
  if (scalarOf(closed) != 0.0f || rows.getType() != weights.getType() ||
      !isMaskFor(isOpen, rows) || (!shape.empty() && shape.back() != 1))
    return weights;
  found.steps.push_back(op);
  found.isOpen = isOpen;
  found.closed = closed;
  found.openRows = SmallVector<int64_t>(shapeOf(rows));
  return behindReshapes(rows, found);
}

/// isNaN(weights) ? 0 : weights, as PyTorch has it, either way round. A row of
/// softmax is NaN as a whole or nowhere.
static Value matchHiddenNan(Value weights, Found &found) {
  EltwiseOp op = definedBy(weights, NPU_INSTR_select);
  if (!op || !weights.hasOneUse())
    return weights;
  Value condition = op.getInputs()[0];
  EltwiseOp isNan = definedBy(condition, NPU_INSTR_logical_not);
  EltwiseOp equal =
      definedBy(isNan ? isNan.getInputs()[0] : condition, NPU_INSTR_equal);
  Value rows = op.getInputs()[isNan ? 2 : 1],
        zero = op.getInputs()[isNan ? 1 : 2];
  if (!equal || equal.getInputs()[0] != rows || equal.getInputs()[1] != rows ||
      scalarOf(zero) != 0.0f || rows.getType() != weights.getType() ||
      !condition.hasOneUse() || !equal.getResult().hasOneUse() ||
      !llvm::all_of(rows.getUsers(), [&](Operation *user) {
        return user == op || user == equal;
      }))
    return weights;
  found.steps.push_back(op);
  found.hidesNan = true;
  return rows;
}

/// Where the scores have other shapes on their way than the product gave them:
/// softmax is of its rows, and so are masks. Settles what is in front of the
/// matrices; false where these become others.
static bool settleShapes(Found &found, ArrayRef<int64_t> product,
                         ArrayRef<int64_t> softmax, ArrayRef<int64_t> weights) {
  auto isOfMatrices = [&](ArrayRef<int64_t> shape) {
    return shape.size() >= 2 && shape.take_back(2) == product.take_back(2);
  };
  if (!isOfMatrices(weights) || softmax.back() != product.back())
    return false;
  if (!found.added.isEmpty()) {
    if (!found.added.settle(product))
      return false;
    found.batch = SmallVector<int64_t>(found.added.getBatch());
  } else if (found.chosen) {
    if (!isOfMatrices(found.chosenScores))
      return false;
    found.batch =
        SmallVector<int64_t>(ArrayRef(found.chosenScores).drop_back(2));
  } else {
    // Where softmax has them, heads are a dimension of their own.
    found.batch = SmallVector<int64_t>(
        (isOfMatrices(softmax) ? softmax : product).drop_back(2));
  }
  return !found.isOpen ||
         (isOfMatrices(found.openRows) &&
          ArrayRef(found.openRows).drop_back(2) == ArrayRef(found.batch));
}

static std::optional<Found> match(MatmulOp last) {
  Found found;
  found.steps.push_back(last);
  auto isPlain = [](MatmulOp op) {
    return !op.isPacked() && isF32(op.getA()) &&
           batchOf(op.getA()) == batchOf(op.getB()) &&
           !batchOf(op.getA()).empty();
  };
  if (!isPlain(last))
    return std::nullopt;
  Value weights = matchOpenRows(behindReshapes(last.getA(), found), found);
  weights = matchHiddenNan(weights, found);
  auto softmax = weights.getDefiningOp<SoftmaxOp>();
  bool isReadOnce = found.hidesNan || weights.hasOneUse();
  if (!softmax || !isReadOnce || softmax.getIsLog() ||
      static_cast<int64_t>(softmax.getAxis()) !=
          tensorType(softmax.getResult()).getRank() - 1)
    return std::nullopt;
  found.steps.push_back(softmax);
  MatmulOp first = matchScores(softmax.getInput(), found);
  if (!first || !isPlain(first))
    return std::nullopt;
  found.steps.push_back(first);
  found.query = withoutFactors(first.getA(), found);
  found.transposedKey = withoutFactors(first.getB(), found);
  found.value = last.getB();
  return std::isfinite(found.scale) &&
                 settleShapes(found, shapeOf(first.getResult()),
                              shapeOf(softmax.getResult()),
                              shapeOf(last.getA()))
             ? std::optional(std::move(found))
             : std::nullopt;
}

/// x of fewer heads where `value` repeats each of them: x in five dimensions,
/// broadcast, in four again.
static Value unrepeated(Value value) {
  auto joined = value.getDefiningOp<ReshapeOp>();
  auto wide =
      joined ? joined.getInput().getDefiningOp<BroadcastOp>() : BroadcastOp();
  auto split = wide ? wide.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
  if (!split)
    return {};
  ArrayRef<int64_t> from = shapeOf(split.getInput()), whole = shapeOf(value),
                    five = shapeOf(wide.getResult());
  if (from.size() != 4 || whole.size() != 4 || five.size() != 5)
    return {};
  const int64_t times = five[2];
  if (shapeOf(split.getResult()) !=
          ArrayRef<int64_t>({from[0], from[1], 1, from[2], from[3]}) ||
      five != ArrayRef<int64_t>({from[0], from[1], times, from[2], from[3]}) ||
      whole != ArrayRef<int64_t>({from[0], from[1] * times, from[2], from[3]}))
    return {};
  return split.getInput();
}

namespace {

/// Makes the operands and the op.
class AttentionMaker {
public:
  AttentionMaker(OpBuilder &builder, const Found &found)
      : builder(builder), found(found), location(fuseLocations(found.steps)) {}

  FailureOr<Value> run() {
    FailureOr<Value> query = inBatch(found.query), key = keys(),
                     value = inBatch(found.value), mask = found.chosen;
    if (!found.added.isEmpty())
      mask = found.added.make(builder, location);
    else if (found.isOpenWhereFalse)
      mask = makeEltwise(builder, location, NPU_INSTR_logical_not, {*mask});
    if (failed(query) || failed(key) || failed(value) || failed(mask))
      return failure();
    Value allValues = *value;
    Value fewKeys = unrepeated(*key), fewValues = unrepeated(*value);
    if (fewKeys && fewValues && batchOf(fewKeys) == batchOf(fewValues)) {
      key = fewKeys;
      value = fewValues;
    }
    SmallVector<int64_t> shape(found.batch);
    shape.push_back(shapeOf(*query)[found.batch.size()]);
    shape.push_back(shapeOf(*value).back());
    auto made = AttentionOp::create(
        builder, location, RankedTensorType::get(shape, builder.getF32Type()),
        *query, *key, *value, *mask, builder.getF64FloatAttr(found.scale),
        builder.getF64FloatAttr(found.fill), builder.getBoolAttr(false));
    Value result = made.getResult();
    if (found.isOpen)
      result = select(found.isOpen, result, found.closed);
    if (found.hidesNan)
      result = withoutNan(result, allValues);
    return makeReshape(builder, location, result,
                       shapeOf(found.steps.front()->getResult(0)));
  }

private:
  Value select(Value condition, Value chosen, Value otherwise) {
    return EltwiseOp::create(builder, location, chosen.getType(),
                             builder.getI32IntegerAttr(NPU_INSTR_select),
                             ValueRange{condition, chosen, otherwise},
                             builder.getF32FloatAttr(0),
                             builder.getF32FloatAttr(0));
  }

  /// A row that is NaN is 0 times all values instead: 0, but NaN where one of
  /// these is not finite, and then all rows are NaN there.
  Value withoutNan(Value result, Value values) {
    SmallVector<int64_t> shape(batchOf(values));
    shape.append({1, shapeOf(values).drop_back().back()});
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    Value zeros = makeFloats(builder, location, shape,
                             std::vector<float>(static_cast<size_t>(count)));
    shape.back() = shapeOf(values).back();
    Value none = MatmulOp::create(
        builder, location, RankedTensorType::get(shape, builder.getF32Type()),
        zeros, values);
    Value isNumber = EltwiseOp::create(
        builder, location, tensorType(result).clone(builder.getI1Type()),
        builder.getI32IntegerAttr(NPU_INSTR_equal), ValueRange{result, result},
        builder.getF32FloatAttr(0), builder.getF32FloatAttr(0));
    return select(isNumber, result, none);
  }

  /// The same matrices under the scores' batch dimensions.
  FailureOr<Value> inBatch(Value value) {
    SmallVector<int64_t> shape(found.batch);
    llvm::append_range(shape, shapeOf(value).take_back(2));
    return makeReshape(builder, location, value, shape);
  }

  /// Rows of keys: what was transposed, or a transpose of it.
  FailureOr<Value> keys() {
    const auto rank = static_cast<int64_t>(shapeOf(found.transposedKey).size());
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
    std::swap(order[rank - 1], order[rank - 2]);
    auto before = found.transposedKey.getDefiningOp<TransposeOp>();
    FailureOr<Value> key =
        before && toInts(before.getPermutation()) == order
            ? FailureOr<Value>(before.getInput())
            : makeTranspose(builder, location, found.transposedKey, order);
    return failed(key) ? key : inBatch(*key);
  }

  OpBuilder &builder;
  const Found &found;
  Location location;
};

/// Whether the op for such shapes is one kernel: one that nobody sees.
bool isKernel(const Found &found, const FusionRules &rules) {
  Location location = found.query.getLoc();
  OpBuilder builder(found.query.getContext());
  Block block;
  builder.setInsertionPointToStart(&block);
  auto matrix = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> shape(found.batch);
    shape.append({rows, columns});
    return RankedTensorType::get(shape, builder.getF32Type());
  };
  int64_t rows = shapeOf(found.query).drop_back().back(),
          size = shapeOf(found.query).back(),
          keys = shapeOf(found.transposedKey).back(),
          width = shapeOf(found.value).back();
  Value mask;
  if (found.chosen)
    mask = block.addArgument(found.chosen.getType(), location);
  else if (!found.added.isEmpty())
    mask = block.addArgument(
        tensorType(found.query).clone(found.added.getShape()), location);
  auto op = AttentionOp::create(
      builder, location, matrix(rows, width),
      block.addArgument(matrix(rows, size), location),
      block.addArgument(matrix(keys, size), location),
      block.addArgument(matrix(keys, width), location), mask,
      builder.getF64FloatAttr(found.scale), builder.getF64FloatAttr(found.fill),
      builder.getBoolAttr(false));
  bool isOne = kernels::validate(makeProblem(op, /*threads=*/1)).empty() &&
               rules.takeAttention(op);
  op.erase();
  return isOne;
}

// Pattern: softmax(Q * K^T * s + M) * V -> attention(Q, K, V, M)
// Pattern: softmax(C ? Q * K^T * s : f) * V -> attention(Q, K, V, C)
struct MatchAttention : OpRewritePattern<MatmulOp> {
  MatchAttention(MLIRContext *context, const FusionRules &rules)
      : OpRewritePattern(context), rules(rules) {}

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Found> found = match(op);
    if (!found || !isKernel(*found, rules))
      return rewriter.notifyMatchFailure(op, "no attention, or no kernel");
    FailureOr<Value> made = AttentionMaker(rewriter, *found).run();
    if (failed(made))
      return failure();
    rewriter.replaceOp(op, *made);
    return success();
  }

  const FusionRules &rules;
};

struct MatchAttentionPass
    : PassOfTarget<npu::impl::MatchAttentionBase<MatchAttentionPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    const TargetSpec *chip = spec.get();
    if (chip && !llvm::is_contained(chip->algorithms, "attention"))
      return;
    if (failed(matchAttention(getOperation(), chip)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::matchAttention(Operation *root, const TargetSpec *target) {
  if (!hasAny<SoftmaxOp>(root))
    return success();
  const std::unique_ptr<FusionRules> rules = fusionRulesOf(target);
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<MatchAttention>(root->getContext(), *rules);
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass>
npu::createMatchAttention(const TargetSpec *target) {
  return std::make_unique<MatchAttentionPass>(target);
}
