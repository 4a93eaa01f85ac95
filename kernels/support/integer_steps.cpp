// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/integer_steps.h"

#include "format/instr_kinds.h"
#include "kernels/support/integer_rows.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

/// Of a row: 1 KiB, so that a dozen values of a chain are in the nearest cache.
constexpr int64_t rowNumbers = 256;

static bool isNarrow(int32_t dtype) {
  return dtype == NPU_I8 || dtype == NPU_U8 || dtype == NPU_I16 ||
         dtype == NPU_I32;
}

/// The dimension of `output` that the operand alone varies over, -1 for none;
/// -2 where there are several.
static int dimensionOf(const npu_tensor_desc &operand,
                       const npu_tensor_desc &output) {
  int found = -1, shift = output.rank - operand.rank;
  for (int d = 0; d < operand.rank; ++d) {
    if (operand.dims[d] == 1)
      continue;
    if (found >= 0 || operand.dims[d] != output.dims[d + shift])
      return -2;
    found = d + shift;
  }
  return found;
}

/// Which of the problem's inputs the instructions read.
static std::vector<bool> readInputs(const Problem &problem) {
  std::vector<bool> isRead(problem.inputs.size());
  for (const npu_instr &instr : problem.instrs) {
    const int16_t values[3] = {instr.a, instr.b, instr.c};
    for (int i = 0; i < lookupInstr(instr.kind)->arity; ++i)
      if (static_cast<size_t>(values[i]) < isRead.size())
        isRead[static_cast<size_t>(values[i])] = true;
  }
  return isRead;
}

static bool isComputed(const npu_instr &instr) {
  switch (instr.kind) {
  case NPU_INSTR_cast:
  case NPU_INSTR_abs:
  case NPU_INSTR_neg:
  case NPU_INSTR_relu:
  case NPU_INSTR_bit_not:
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
  case NPU_INSTR_mul:
  case NPU_INSTR_min:
  case NPU_INSTR_max:
  case NPU_INSTR_bit_and:
  case NPU_INSTR_bit_or:
  case NPU_INSTR_bit_xor:
  case NPU_INSTR_shift_left:
  case NPU_INSTR_shift_right:
  case NPU_INSTR_mul_shift:
    return true;
  case NPU_INSTR_clip: // bounds of 32 bits
    return instr.alpha < 0x1p31F && instr.beta >= -0x1p31F;
  default:
    return false;
  }
}

/// Whether the output's blocks, if any, are one of the dimension.
static bool isPlainBut(const npu_tensor_desc &output, int dimension) {
  return output.block_count == 0 ||
         (output.block_count == 1 && output.block_dims[0] == dimension);
}

std::string IntegerSteps::refusal(const Problem &problem) {
  const npu_tensor_desc &output = problem.outputs[0];
  std::vector<bool> isRead = readInputs(problem);
  int channel = -1;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const npu_tensor_desc &input = problem.inputs[i];
    if (!isRead[i])
      continue;
    if (!isNarrow(input.dtype))
      return std::string("fused operand of type ") + dtypeName(input.dtype);
    if (elementCount(input) == 1 || sameStorage(input, output))
      continue;
    int dimension = dimensionOf(input, output);
    bool isOther = channel >= 0 && dimension != channel;
    int shift = output.rank - input.rank;
    if (dimension < 0 || isOther || !isPlainBut(input, dimension - shift))
      return "fused operand " + describe(input) +
             " is not one value, one per channel, or stored like the output";
    channel = dimension;
  }
  if (output.block_count &&
      !isPlainBut(output, channel < 0 ? output.block_dims[0] : channel))
    return "blocks of several dimensions";
  for (const npu_instr &instr : problem.instrs)
    if (!isComputed(instr) || !isNarrow(instr.dtype))
      return "fused " + std::string(lookupInstr(instr.kind)->name) + " of " +
             dtypeName(instr.dtype);
  return isNarrow(output.dtype)
             ? ""
             : std::string("result of type ") + dtypeName(output.dtype);
}

IntegerSteps::IntegerSteps(const Problem &problem)
    : instrs(problem.instrs), outputType(problem.outputs[0].dtype) {
  const npu_tensor_desc &output = problem.outputs[0];
  std::vector<bool> isRead = readInputs(problem);
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const npu_tensor_desc &input = problem.inputs[i];
    Operand operand{input.dtype, problem.isConstant(i)};
    if (isRead[i])
      operand.kind = elementCount(input) == 1     ? Operand::Single
                     : sameStorage(input, output) ? Operand::Full
                                                  : Operand::Channel;
    operands.push_back(operand);
  }
  findView(problem);
  for (size_t k = 0; k < instrs.size();) {
    Step step;
    step.first = step.last = k;
    int64_t low = std::numeric_limits<int32_t>::min(), high = ~low;
    if (isScaling(instrs[k]))
      while (follows(step, step.last + 1, low, high))
        ++step.last;
    const int16_t read[3] = {instrs[k].a, instrs[k].b, instrs[k].c};
    int rows = isScaling(instrs[k]) ? 1 : 3;
    for (int i = 0; i < rows; ++i)
      if (static_cast<size_t>(read[i]) < operands.size())
        operands[static_cast<size_t>(read[i])].hasRow = true;
    k = step.last + 1;
    steps.push_back(std::move(step));
  }
}

void IntegerSteps::findView(const Problem &problem) {
  const npu_tensor_desc &output = problem.outputs[0];
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].kind == Operand::Channel)
      dimension = dimensionOf(problem.inputs[i], output);
  if (int channel = dimension; channel >= 0) {
    channels = output.dims[channel];
    lanes = blockOf(output, channel);
    blocks = (channels + lanes - 1) / lanes;
    const auto *end = output.order + output.rank;
    const auto *place =
        std::find(output.order, end, static_cast<int8_t>(channel));
    for (const auto *behind = place + 1; behind != end; ++behind)
      inner *= output.dims[*behind];
    if (inner == 1 && lanes == 1) // channels last
      std::swap(lanes, blocks);
  }
  rowsOfPixel = (lanes + rowNumbers - 1) / rowNumbers;
  rowElements = rowsOfPixel > 1 ? rowNumbers : rowNumbers / lanes * lanes;
  constexpr int64_t each = ScaleGroup::numbers;
  period = static_cast<int>((rowElements + each - 1) / each);
}

/// Whether it is a product with constants, of 32 bits.
bool IntegerSteps::isScaling(const npu_instr &instr) const {
  auto isConstant = [&](int16_t value) {
    auto at = static_cast<size_t>(value);
    return at < operands.size() && operands[at].isConstant &&
           operands[at].kind != Operand::Full;
  };
  return instr.kind == NPU_INSTR_mul_shift && instr.dtype == NPU_I32 &&
         isConstant(instr.b) && isConstant(instr.c);
}

/// The numbers of a type.
static std::pair<int64_t, int64_t> rangeOf(int32_t dtype) {
  int64_t count = int64_t{1} << (8 * dtypeBytes(dtype));
  return dtype == NPU_U8 ? std::pair(int64_t{0}, count - 1)
                         : std::pair(-count / 2, count / 2 - 1);
}

/// Whether instruction `next` alone reads the step's result, and only moves or
/// bounds it. `low` and `high` are what is known of the result, before and
/// after.
bool IntegerSteps::follows(const Step &step, size_t next, int64_t &low,
                           int64_t &high) const {
  auto number = static_cast<int16_t>(operands.size() + 1 + step.last);
  if (next >= instrs.size())
    return false;
  for (size_t k = next; k < instrs.size(); ++k)
    for (int16_t value : {instrs[k].a, instrs[k].b, instrs[k].c})
      if (value == number && (k > next || value != instrs[next].a))
        return false;
  const npu_instr &instr = instrs[next];
  auto other = static_cast<size_t>(instr.b);
  bool isByNumber = instr.b >= 0 && other < operands.size() &&
                    operands[other].kind == Operand::Single;
  auto [least, most] = rangeOf(instr.dtype);
  if (instr.a != number || instr.c >= 0)
    return false;
  bool isUnbounded = instrs[step.last].kind == NPU_INSTR_mul_shift;
  bool isBounded = instrs[step.last].kind == NPU_INSTR_clip;
  bool isMoved = instrs[step.last].kind == NPU_INSTR_add &&
                 step.last > step.first + 1; // behind bounds
  if (isMoved) // the last conversion: storing cuts off what a cast does
    return instr.kind == NPU_INSTR_cast && instr.dtype == outputType &&
           next + 1 == instrs.size();
  switch (instr.kind) {
  case NPU_INSTR_add:
    return isByNumber && (isUnbounded || isBounded) && instr.dtype == NPU_I32;
  case NPU_INSTR_cast:
    return low >= least && high <= most;
  case NPU_INSTR_clip:
    low = std::min(std::max(low, lowOf(instr)), highOf(instr));
    high = std::min(std::max(high, lowOf(instr)), highOf(instr));
    return low >= least && high <= most;
  case NPU_INSTR_min:
  case NPU_INSTR_max: // both numbers are of the type
    low = least;
    high = most;
    return isByNumber;
  default:
    return false;
  }
}

/// What follows the product, where `rows` are those of the inputs.
ScaleEnd IntegerSteps::endOf(const Step &step,
                             const int32_t *const *rows) const {
  ScaleEnd end;
  constexpr int64_t least = std::numeric_limits<int32_t>::min(), most = ~least;
  for (size_t k = step.first + 1; k <= step.last; ++k) {
    const npu_instr &instr = instrs[k];
    int32_t number = instr.b >= 0 ? *rows[instr.b] : 0;
    if (instr.kind == NPU_INSTR_add)
      (k == step.first + 1 ? end.offset : end.behind) = number;
    else if (instr.kind == NPU_INSTR_clip)
      end.clip(lowOf(instr), highOf(instr));
    else if (instr.kind == NPU_INSTR_max)
      end.clip(number, most);
    else if (instr.kind == NPU_INSTR_min)
      end.clip(least, number);
  }
  return end;
}

/// The channel that rows of this start begin with.
int64_t IntegerSteps::channelOf(int64_t start) const {
  return start / rowsOfPixel * lanes + start % rowsOfPixel * rowNumbers;
}

void IntegerSteps::pack(const void *const *data) {
  for (Step &step : steps) {
    const npu_instr &instr = instrs[step.first];
    if (isScaling(instr) && data[instr.b] && data[instr.c])
      packScale(step, data);
  }
  packPairs(data);
}

void IntegerSteps::packScale(Step &step, const void *const *data) const {
  const npu_instr &instr = instrs[step.first];
  auto numberAt = [&](int16_t operand, int64_t channel) {
    const Operand &read = operands[static_cast<size_t>(operand)];
    int64_t at = read.kind == Operand::Single ? 0 : channel;
    int32_t number;
    loadRow(read.dtype, data[operand], at, &number, 1);
    return number;
  };
  step.channels.clear();
  for (int64_t channel = 0; channel < channels; ++channel)
    step.channels.push_back({numberAt(instr.b, channel),
                             numberAt(instr.c, channel), instr.alpha == 1.0F});
  step.end = endOfBytes(step, data);
  step.isSplit = false;
  const MulShift &first = step.channels.front();
  auto [least, most] = boundsOf(instr.a, data);
  bool isSmall = std::max(-least, most) <= SmallScale::most &&
                 first.shift >= 0 && first.shift <= SmallScale::mostShift;
  step.small.reset();
  if (isSmall && step.first == step.last &&
      operands[static_cast<size_t>(instr.b)].kind == Operand::Single &&
      operands[static_cast<size_t>(instr.c)].kind == Operand::Single)
    step.small.emplace(first.factor, first.shift);
  constexpr int64_t each = ScaleGroup::numbers;
  int64_t starts = blocks * rowsOfPixel;
  step.scales.assign(static_cast<size_t>(starts * period), ScaleGroup());
  step.floats.assign(step.end ? step.scales.size() : 0, FloatGroup());
  for (int64_t start = 0; start < starts; ++start)
    for (int64_t i = 0; i < int64_t{period} * each; ++i) {
      int64_t channel = channelOf(start) + (rowsOfPixel > 1 ? i : i % lanes);
      if (channel >= channels)
        continue;
      auto group = static_cast<size_t>(start * period + i / each);
      const MulShift &one = step.channels[static_cast<size_t>(channel)];
      auto place = static_cast<int>(i % each);
      step.scales[group].set(place, one.factor, one.shift, one.twice);
      if (step.end)
        step.isSplit |= step.floats[group].set(place, one, *step.end);
    }
}

/// What is known of a value, where `data` has constants.
std::pair<int64_t, int64_t>
IntegerSteps::boundsOf(int16_t value, const void *const *data) const {
  auto at = static_cast<size_t>(value);
  if (at < operands.size())
    return rangeOf(operands[at].dtype);
  std::pair<int64_t, int64_t> all = rangeOf(NPU_I32);
  if (at == operands.size())
    return all;
  const npu_instr &instr = instrs[at - operands.size() - 1];
  auto other = static_cast<size_t>(instr.b);
  bool isByNumber = instr.b >= 0 && other < operands.size() &&
                    operands[other].kind == Operand::Single && data[other];
  std::pair<int64_t, int64_t> bounds = rangeOf(instr.dtype);
  if (instr.kind == NPU_INSTR_clip)
    return {std::max(bounds.first, lowOf(instr)),
            std::min(bounds.second, highOf(instr))};
  if (instr.dtype != NPU_I32)
    return bounds;
  if (instr.kind == NPU_INSTR_cast)
    return boundsOf(instr.a, data);
  if (instr.kind == NPU_INSTR_sub && isByNumber) {
    int32_t number;
    loadRow(operands[other].dtype, data[other], 0, &number, 1);
    auto [low, high] = boundsOf(instr.a, data);
    bool wraps = low - number < all.first || high - number > all.second;
    return wraps ? all : std::pair(low - number, high - number);
  }
  return all;
}

/// What follows the product, where it makes numbers of a byte by constants.
std::optional<ScaleEnd>
IntegerSteps::endOfBytes(const Step &step, const void *const *data) const {
  std::vector<int32_t> numbers(operands.size());
  std::vector<const int32_t *> rows;
  for (size_t v = 0; v < operands.size(); ++v) {
    bool isKnown = operands[v].kind == Operand::Single && data[v];
    if (isKnown)
      loadRow(operands[v].dtype, data[v], 0, &numbers[v], 1);
    rows.push_back(isKnown ? &numbers[v] : nullptr);
  }
  for (size_t k = step.first + 1; k <= step.last; ++k)
    if (instrs[k].b >= 0 && !rows[static_cast<size_t>(instrs[k].b)])
      return std::nullopt; // not known yet
  std::optional<ScaleEnd> end = centred(endOf(step, rows.data()));
  bool isRisingAll =
      end &&
      std::all_of(step.channels.begin(), step.channels.end(),
                  [&](const MulShift &one) { return isRising(one, *end); });
  return isRisingAll ? end : std::nullopt;
}

std::optional<IntegerSteps::Floats>
IntegerSteps::floats(const std::vector<int32_t> &biases) const {
  const Step &last = steps.back();
  auto result = static_cast<int16_t>(operands.size());
  for (size_t k = 0; k < last.first; ++k, ++result) {
    bool isSame =
        instrs[k].kind == NPU_INSTR_cast && instrs[k].dtype == NPU_I32;
    if (!isSame || instrs[k].a != result)
      return std::nullopt;
  }
  if (!storesBytes() || instrs[last.first].a != result)
    return std::nullopt;
  Floats found;
  found.end = last.end->bounded();
  auto [least, most] = rangeOf(outputType);
  if (found.end.low < least || found.end.high > most)
    return std::nullopt; // what is stored wraps
  size_t count = std::max(biases.size(), last.channels.size());
  for (size_t channel = 0; channel < count; ++channel) {
    const MulShift &step = last.channels[channels == 1 ? 0 : channel];
    std::optional<FloatScale> scale =
        floatScaleOf(step, found.end, biases.empty() ? 0 : biases[channel]);
    if (!scale)
      return std::nullopt;
    for (int32_t number : scale->wrong)
      found.unsure.push_back({static_cast<int64_t>(channel), step, number});
    found.scales.push_back(scale->scale);
    found.offsets.push_back(scale->offset);
  }
  return found;
}

bool IntegerSteps::isPacked() const {
  return std::all_of(steps.begin(), steps.end(), [&](const Step &step) {
    return !isScaling(instrs[step.first]) || !step.scales.empty();
  });
}

size_t IntegerSteps::scratchBytes() const {
  return (operands.size() + instrs.size()) * rowNumbers * sizeof(int32_t);
}

/// Elements from `element` on, which begins a row.
IntegerSteps::Run IntegerSteps::runAt(int64_t element, int64_t end) const {
  int64_t pixel = element / lanes, lane = element % lanes;
  int64_t block = blocks == 1 ? 0 : pixel / inner % blocks;
  int64_t count = std::min(rowElements, end - element);
  if (rowsOfPixel > 1)
    count = std::min(count, lanes - lane);
  else if (blocks > 1)
    count = std::min(count, (inner - pixel % inner) * lanes);
  return {count, block * rowsOfPixel + lane / rowNumbers};
}

/// The channels of a row, pixel after pixel.
void IntegerSteps::fillChannels(const void *const *data, int64_t start,
                                int32_t *rows) const {
  int64_t channel = channelOf(start);
  for (size_t v = 0; v < operands.size(); ++v) {
    if (operands[v].kind != Operand::Channel || !operands[v].hasRow)
      continue;
    int32_t *row = rows + static_cast<int64_t>(v) * rowNumbers;
    // Lanes behind the last channel hold anything: they are cleared at last.
    int64_t width = std::min({lanes, rowNumbers, channels - channel});
    loadRow(operands[v].dtype, data[v], channel, row, static_cast<int>(width));
    std::fill(row + width, row + std::min(lanes, rowNumbers), 0);
    for (int64_t filled = lanes; filled < rowNumbers; filled += lanes)
      std::copy_n(row, std::min(lanes, rowNumbers - filled), row + filled);
  }
}

/// A row whose channels begin as those of `start`.
void IntegerSteps::scale(const Step &step, const ScaleEnd &end, int64_t start,
                         const int32_t *a, int32_t *out, int n) const {
  const ScaleGroup *exact = step.scales.data() + start * period;
  if (step.small)
    scaleSmallRow(*step.small, a, out, n);
  else if (step.end)
    scaleRow(exact, step.floats.data() + start * period, step.isSplit,
             *step.end, a, out, n);
  else
    scaleRow(exact, period, end, a, out, n);
}

/// Whether the last step stores the output's bytes.
bool IntegerSteps::storesBytes() const {
  return steps.back().end && (outputType == NPU_I8 || outputType == NPU_U8);
}

void IntegerSteps::run(const void *const *data, const int32_t *sums,
                       void *output, void *scratch, Range range) const {
  // The values as instructions count them; the result proper has no row.
  std::vector<const int32_t *> values(operands.size() + 1 + instrs.size());
  std::vector<int32_t *> own(values.size());
  for (size_t v = 0, row = 0; v < values.size(); ++v)
    if (v != operands.size())
      values[v] = own[v] = static_cast<int32_t *>(scratch) +
                           static_cast<int64_t>(row++) * rowNumbers;
  bool needsChannels = false;
  for (size_t v = 0; v < operands.size(); ++v) {
    needsChannels |= operands[v].kind == Operand::Channel && operands[v].hasRow;
    if (operands[v].kind != Operand::Single)
      continue;
    loadRow(operands[v].dtype, data[v], 0, own[v], 1);
    std::fill_n(own[v], rowNumbers, *own[v]);
  }
  std::vector<ScaleEnd> ends;
  for (const Step &step : steps)
    ends.push_back(endOf(step, values.data()));
  int64_t filled = -1; // the start of rows that the channels are of
  for (int64_t element = range.begin; element < range.end;) {
    Run run = runAt(element, range.end);
    auto n = static_cast<int>(run.count);
    if (needsChannels && run.start != filled)
      fillChannels(data, filled = run.start, own[0]);
    for (size_t v = 0; v < operands.size(); ++v)
      if (operands[v].kind == Operand::Full && !(pairs && pairs->operand == v))
        loadRow(operands[v].dtype, data[v], element, own[v], n);
    values[operands.size()] = sums + (element - range.begin);
    auto value = [&](int16_t number) {
      return values[static_cast<size_t>(std::max<int16_t>(number, 0))];
    };
    for (size_t s = 0; s < steps.size(); ++s) {
      const npu_instr &instr = instrs[steps[s].first];
      size_t to = operands.size() + 1 + steps[s].last;
      bool isSame = instr.kind == NPU_INSTR_cast && instr.dtype == NPU_I32;
      values[to] = isSame ? value(instr.a) : own[to];
      if (pairs && pairs->step == s) {
        scale(steps[s], ends[s], run.start, value(instr.a), own[to], n);
        storePairs(pairs->scale, own[to],
                   static_cast<const char *>(data[pairs->operand]) + element,
                   operands[pairs->operand].dtype == NPU_I8,
                   static_cast<char *>(output) + element, n);
        break;
      }
      if (s + 1 == steps.size() && storesBytes())
        storeScaled(steps[s].scales.data() + run.start * period,
                    steps[s].floats.data() + run.start * period,
                    steps[s].isSplit, *steps[s].end, value(instr.a),
                    static_cast<int8_t *>(output) + element, n);
      else if (isScaling(instr))
        scale(steps[s], ends[s], run.start, value(instr.a), own[to], n);
      else if (!isSame)
        stepRow(instr, value(instr.a), value(instr.b), value(instr.c), own[to],
                n);
    }
    if (!storesBytes())
      storeRow(outputType, values.back(), output, element, n);
    element += run.count;
  }
}

} // namespace npu::kernels
