// SPDX-License-Identifier: Apache-2.0
//
// Random chips and boundaries, and the whole random case.
#include "compiler/Layout/Problem/ImageAxes.h"
#include "test/compiler/Layout/RandomLayoutGraph.h"
#include "test/compiler/Layout/RandomOrders.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace npu;
using Words = test::RandomWords;

namespace {

/// The text of a target file, line by line; each demand is one line, so that a
/// finding can be made smaller by leaving lines out.
class TargetWriter {
public:
  TargetWriter(unsigned seed, bool tiled)
      : words(seed), lacks(seed + 1), array(seed + 2), tiled(tiled),
        blocks(words) {
    static const int64_t sizes[] = {2, 4, 8};
    block = sizes[words.pick(3)];
  }

  std::string write() {
    machine();
    bool titled = false;
    for (const OpWords &op : opVocabulary())
      // A relayout is what the stage meets demands with.
      if (op.name != "relayout" && words.oneIn(isOften(op) ? 2 : 5)) {
        if (!titled)
          text += "demands:\n";
        titled = true;
        demand(op);
      }
    if (!titled)
      text += "demands: []\n";
    if (mayLack)
      lack();
    return text;
  }

private:
  static constexpr StringRef lacked = "f32, ";

  bool isOften(const OpWords &op) const {
    return op.name.starts_with("conv") || (tiled && op.name == "matmul");
  }

  void machine() {
    auto number = [&](StringRef key, int64_t least, int64_t most,
                      StringRef unit) {
      text += ("  " + key + ": " + Twine(least + words.pick(most - least + 1)) +
               " " + unit + "\n")
                  .str();
    };
    text = "name: random\nsummary: random demands and numbers\n"
           "types: [";
    text += lacked.str() +
            "f16, bf16, i8, ui8, i32, i64, i1]\nblocks: [2, 4, 8]\n"
            "machine:\n";
    number("clock", 500, 2000, "MHz");
    number("mac_rows", 1, 16, "MAC");
    number("mac_columns", 1, 16, "MAC");
    number("vector_lanes", 1, 64, "lanes");
    bool hasMemory = words.pick(4);
    if (hasMemory) {
      number("sram", 1, 2048, "KiB");
      if (words.pick(2))
        number("sram_banks", 2, 32, "banks");
    }
    if (words.pick(2))
      number("dma_channels", 1, 2, "channels");
    if (!words.pick(4))
      number("transpose_bandwidth", 1, 64, "B/cycle");
    number("dram", 64, 4096, "MiB");
    number("dram_bandwidth", 1, 64, "GB/s");
    number("dma_burst", 16, 128, "B");
    number("dma_start", 0, 300, "cycles");
    number("kernel_start", 0, 300, "cycles");
    number("strided_access", 1, 6, "times");
    chipNumbers(hasMemory);
  }

  /// Of what a chip may say of its array, bandwidth on the chip, and energy.
  void chipNumbers(bool hasMemory) {
    auto number = [&](int64_t most) {
      return std::to_string(1 + array.pick(most));
    };
    if (array.oneIn(3))
      text += "  mac_rates: {i8: " + number(8) + " times, f16: " + number(4) +
              " times}\n";
    if (hasMemory && array.oneIn(3))
      text += "  sram_bandwidth: " + number(200) + " GB/s\n";
    if (array.oneIn(3))
      text += "  vector_unit: beside\n";
    if (saysEnergy) {
      text += "  mac_energy: {f32: " + number(9) + " pJ, f16: " + number(5) +
              " pJ, bf16: 2 pJ, i8: 0.5 pJ, ui8: 0.5 pJ, i32: 3 pJ, i64: 9 "
              "pJ}\n  dram_energy: " +
              number(200) + " pJ/B\n";
      if (hasMemory)
        text += "  sram_energy: " + number(20) + " pJ/B\n";
    }
    if (array.oneIn(3))
      text += "output_stage: [bias, requantize, activation, add]\n";
  }

  std::string channelsLast() { return "NWC, NHWC, NDHWC"; }
  std::string blocked() {
    std::string size = std::to_string(block);
    return "NCW" + size + "c, NCHW" + size + "c, NCDHW" + size + "c";
  }

  /// Of a chip that works on tiles: also an order of no blocks beside them.
  std::string tiles(bool hasImages, StringRef role) {
    std::string list = hasImages ? blocks.images() : blocks.matrices(role);
    if (words.oneIn(5))
      list += hasImages ? ", " + channelsLast() : ", row-major";
    return list;
  }

  /// Layouts for one operand: image orders, orders of one rank, or any mix.
  std::string layouts(const OpWords &op, StringRef role) {
    if (tiled && !words.oneIn(5))
      return tiles(op.rank != 0 || (op.name != "matmul" && words.oneIn(2)),
                   role);
    switch (words.pick(8)) {
    case 0:
    case 1:
      return channelsLast();
    case 2:
      return blocked();
    case 3:
      return channelsLast() + ", row-major";
    case 4:
      return "row-major";
    case 5:
      return words.shuffled("NHWC") + ", " + words.shuffled("NCW");
    case 6:
      return words.oneIn(3)   ? words.order(2 + words.pick(4), block)
             : words.oneIn(6) ? words.pieces(2 + words.pick(3))
                              : words.order(2 + words.pick(4));
    default:
      return blocked() + ", " + channelsLast();
    }
  }

  std::string weights() {
    if (tiled && !words.oneIn(4))
      return blocks.weights();
    static const StringRef lists[] = {"WOI, HWOI, DHWOI", "OIW, OIHW, OIDHW",
                                      "IHWO, IWO", "row-major"};
    return words.anyOf(lists).str();
  }

  /// What one role of an op takes: mostly what its others take; the matrices of
  /// a product may each be cut in their own way.
  std::string layoutsOf(const OpWords &op, StringRef role,
                        const std::string &common) {
    if (role == "weight" || role == "indices")
      return weights();
    if (role == "bias")
      return "row-major";
    bool own = tiled && op.name == "matmul" ? !words.oneIn(3) : words.oneIn(5);
    return own ? layouts(op, role) : common;
  }

  /// What an entry multiplies the op's time by, in all or in its first layout.
  std::string cost(const OpWords &op, StringRef result) {
    if (op.sensitivity == Sensitivity::Data || !words.oneIn(3))
      return "";
    std::string factor = std::to_string(1 + words.pick(5)) + " times";
    if (result.empty() || words.oneIn(2))
      return std::string(", cost: ") + (words.oneIn(3) ? "0." : "") + factor;
    return ", cost: {" + result.split(",").first.str() + ": " + factor + "}";
  }

  /// One signature of an op: the layouts of its roles, and what they cost.
  std::pair<std::string, std::string> signature(const OpWords &op) {
    std::string common = layouts(op, ""), roles, result;
    for (StringRef role : demandRoles(op)) {
      if (words.oneIn(4))
        continue;
      std::string own = layoutsOf(op, role, common);
      roles += (", " + role + ": [" + own + "]").str();
      if (role == "result")
        result = own;
    }
    return {roles, cost(op, result)};
  }

  /// Mostly one signature, now and then up to three.
  void demand(const OpWords &op) {
    std::set<std::string> known; // no two have the same layouts
    do {
      auto [roles, cost] = signature(op);
      std::string limits =
          mayLack && lacks.oneIn(4) ? ", " + when(op) : std::string();
      if (known.insert(roles).second)
        text += ("  - {ops: [" + op.name + "]" + roles + cost + limits + "}\n")
                    .str();
    } while (known.size() < 3 && words.oneIn(3));
  }

  /// Of every third chip: what it does not run. Each entry is one line.
  void lack() {
    bool titled = false;
    for (const OpWords &op : opVocabulary())
      if (op.sensitivity != Sensitivity::Data && lacks.oneIn(3)) {
        if (!titled)
          text += "unsupported:\n";
        titled = true;
        text += "  - {ops: [" + op.name.str() + "]" +
                (lacks.oneIn(2) ? ", " + when(op) : "") + "}\n";
      }
    text += "fallback: {target: host, link_bandwidth: " +
            std::to_string(1 + lacks.pick(16)) +
            " GB/s, link_start: " + std::to_string(1 + lacks.pick(3000)) +
            " cycles" + (saysEnergy ? ", link_energy: 30 pJ/B" : "") + "}\n";
    // Of every fourth without energies: f32, which the processor then moves.
    if (!saysEnergy && lacks.oneIn(4))
      text.erase(text.find(lacked), lacked.size());
  }

  /// A condition that some ops of a random graph meet and some do not.
  std::string when(const OpWords &op) {
    SmallVector<const OpFact *> known;
    for (const OpFact &fact : opFacts())
      if (fact.isOf(op))
        known.push_back(&fact);
    const OpFact &fact = *known[lacks.pick(static_cast<int64_t>(known.size()))];
    std::string value;
    if (fact.numbers) {
      static const StringRef texts[] = {"up to ", "from ", "multiple of ", ""};
      value = lacks.anyOf(texts).str() + std::to_string(1 + lacks.pick(8));
    } else {
      SmallVector<StringRef> all = fact.allowed(op);
      value = all[lacks.pick(static_cast<int64_t>(all.size()))].str();
    }
    return "when: {" + fact.name.str() + ": " + value + "}";
  }

  Words words;
  /// Drawn apart, so that a seed's other demands stay what they were.
  Words lacks, array;
  bool mayLack = lacks.oneIn(3);
  bool saysEnergy = array.oneIn(3);
  bool tiled;
  test::RandomBlocks blocks;
  int64_t block;
  std::string text;
};

/// --io-layout for a function: mostly one word, else by name.
class BoundaryWriter {
public:
  BoundaryWriter(mlir::func::FuncOp function, unsigned seed)
      : function(function), axes(function), words(seed) {}

  std::string write() {
    std::string text = words.oneIn(3) ? "free" : "fixed";
    if (!words.oneIn(3))
      return text;
    for (BlockArgument argument : function.getArguments())
      add(text,
          function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                "npu.name"),
          argument);
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands())
      add(text,
          function.getResultAttrOfType<StringAttr>(operand.getOperandNumber(),
                                                   "npu.name"),
          operand.get());
    return text;
  }

private:
  void add(std::string &text, StringAttr name, Value value) {
    int64_t rank = tensorType(value).getRank();
    if (rank == 0 || words.oneIn(2))
      return;
    static const int64_t sizes[] = {4, 2, 8, 2};
    std::string layout =
        words.oneIn(5)
            ? words.order(rank, ArrayRef(sizes).take_front(1 + words.pick(3)))
            : words.order(rank);
    std::string ignored;
    static const StringRef images[] = {"NHWC", "NCHW", "NWC", "NCHW4c"};
    StringRef image = words.anyOf(images);
    if (words.oneIn(2) &&
        LayoutPattern::parse(image, ignored)->resolve(rank, axes.of(value)))
      layout = image.str();
    text += ("," + name.getValue() + "=" + layout).str();
  }

  mlir::func::FuncOp function;
  ImageAxesAnalysis axes;
  Words words;
};

} // namespace

std::string test::randomTarget(unsigned seed, bool tiled) {
  return TargetWriter(seed, tiled).write();
}

std::optional<TargetSpec> test::targetOf(const LayoutCase &problem,
                                         std::string &error) {
  if (problem.target.find('\n') == std::string::npos)
    return loadTarget(problem.target, error);
  // A target is called as its file is.
  StringRef name = StringRef(problem.target).split("name: ").second;
  std::string file = name.take_until([](char c) { return c == '\n'; }).str();
  return parseTarget(problem.target, file + ".yaml", error);
}

test::LayoutCase test::randomLayoutCase(MLIRContext &context, uint64_t seed,
                                        GraphKind kind) {
  // Neighbouring seeds must not give neighbouring graphs.
  std::seed_seq sequence{static_cast<uint32_t>(seed),
                         static_cast<uint32_t>(seed >> 32)};
  uint32_t seeds[4];
  sequence.generate(std::begin(seeds), std::end(seeds));
  Words words(seeds[3]);
  test::LayoutCase made;
  auto module = test::randomLayoutGraph(
      context, seeds[0], static_cast<int>(1 + words.pick(10)), kind);
  llvm::raw_string_ostream(made.graph) << *module;
  static const StringRef shipped[] = {"npu-nhwc", "npu-nchw", "npu-nchw16c",
                                      "host"};
  static const StringRef blocked[] = {"npu-tiles", "npu-sticks", "npu-packs",
                                      "npu-nc1hwc0", "npu-nc1hwc2"};
  if (kind.tiled)
    made.target = words.oneIn(4) ? words.anyOf(blocked).str()
                                 : test::randomTarget(seeds[1], true);
  else
    made.target = kind.runnable || words.oneIn(2)
                      ? words.anyOf(shipped).str()
                      : test::randomTarget(seeds[1], false);
  // The reference chip has the most demands in image axes.
  if (kind.permuted && !kind.tiled && words.oneIn(3))
    made.target = "npu-nhwc";
  made.io =
      BoundaryWriter(*module->getOps<mlir::func::FuncOp>().begin(), seeds[2])
          .write();
  return made;
}
