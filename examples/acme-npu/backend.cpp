// SPDX-License-Identifier: Apache-2.0
//
// acme-asm MODEL OUTPUT.s [npuc's options]: npuc reads the network, fuses ops,
// chooses layouts, plans memory and tiles; what it planned is written here as
// the chip's assembly.
//
//   .arena 3211264
//   k1_conv2d: ; Conv 'c1'
//     tile   m=3136 k=147 n=64 count=1 stays=weights
//     read   arena+3211264 1x3x224x224xf32 acdb
//     read   weights+0 64x3x7x7xf32 cdab
//     conv2d dilations=[1, 1] groups=1 pads=[3, 3, 3, 3] strides=[2, 2]
//     relu
//     write  arena+0 1x64x112x112xf32 acdb
#include <npu/compiler/Dialect/NPU/NPUDialect.h>
#include <npu/compiler/Dialect/NPU/OpNames.h>
#include <npu/compiler/Driver/Session.h>

#include <cstdio>
#include <llvm/Support/raw_ostream.h>
#include <string>

namespace {

using mlir::cast;
using mlir::dyn_cast;
using mlir::isa;

class Assembler {
public:
  explicit Assembler(llvm::raw_ostream &out) : out(out) {}

  void write(mlir::func::FuncOp function) {
    auto memory = function->getAttrOfType<mlir::DictionaryAttr>("npu.memory");
    out << ".arena   " << number(memory, "arena") << "\n"
        << ".weights " << number(memory, "weights") << "\n";
    for (mlir::BlockArgument input : function.getArguments())
      out << ".input   " << input.getArgNumber() << " " << typeOf(input)
          << "\n";
    for (mlir::Operation &op : function.front())
      if (auto plan = op.getAttrOfType<mlir::DictionaryAttr>("npu.kernel"))
        writeKernel(op, plan);
    out << "  halt\n";
  }

private:
  void writeKernel(mlir::Operation &op, mlir::DictionaryAttr plan) {
    out << plan.getAs<mlir::StringAttr>("name").getValue() << ":";
    std::string node = npu::nodeName(op.getLoc());
    out << (node.empty() ? "\n" : " ; " + node + "\n");
    if (!isa<npu::RelayoutOp>(op))
      writeTile(plan.getAs<mlir::DictionaryAttr>("tile"));
    auto places = plan.getAs<mlir::ArrayAttr>("places");
    unsigned place = 0;
    for (mlir::Value operand : op.getOperands())
      writeTransfer("read  ", places[place++], operand);
    writeSteps(op);
    for (mlir::Value result : op.getResults())
      writeTransfer("write ", places[place++], result);
  }

  void writeTile(mlir::DictionaryAttr tile) {
    out << "  tile  ";
    for (mlir::NamedAttribute part : tile) {
      out << " " << part.getName().getValue() << "=";
      if (auto text = dyn_cast<mlir::StringAttr>(part.getValue()))
        out << text.getValue();
      else
        out << number(tile, part.getName());
    }
    out << "\n";
  }

  /// Between a place in memory and the chip, in the order that is stored there.
  void writeTransfer(llvm::StringRef verb, mlir::Attribute place,
                     mlir::Value value) {
    mlir::NamedAttribute at = *cast<mlir::DictionaryAttr>(place).begin();
    out << "  " << verb << " " << at.getName().getValue() << "+"
        << cast<mlir::IntegerAttr>(at.getValue()).getInt() << " "
        << typeOf(value) << "\n";
  }

  /// The instructions of one kernel: of a fused one those of its body.
  void writeSteps(mlir::Operation &op) {
    if (auto fused = dyn_cast<npu::FusedOp>(op)) {
      for (mlir::Operation &step : fused.getBody().front().without_terminator())
        writeStep(step);
      return;
    }
    writeStep(op);
  }

  void writeStep(mlir::Operation &op) {
    if (isa<npu::RelayoutOp>(op)) {
      out << "  move   " << lettersOf(op.getOperand(0)) << " -> "
          << lettersOf(op.getResult(0)) << "\n";
      return;
    }
    out << "  " << op.getName().stripDialect();
    for (mlir::NamedAttribute attribute : op.getAttrDictionary()) {
      llvm::StringRef name = attribute.getName().getValue();
      if (name.contains('.')) // of the compiler, not of the op
        continue;
      out << " " << name << "=";
      attribute.getValue().print(out, /*elideType=*/true);
    }
    out << "\n";
  }

  static std::string lettersOf(mlir::Value value) {
    return npu::getLayout(value).getLetters();
  }

  /// "1x64x56x56xf32 acdb".
  static std::string typeOf(mlir::Value value) {
    auto type = cast<mlir::RankedTensorType>(value.getType());
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (int64_t extent : type.getShape())
      stream << extent << "x";
    stream << type.getElementType() << " " << lettersOf(value);
    return text;
  }

  static int64_t number(mlir::DictionaryAttr from, llvm::StringRef name) {
    return from.getAs<mlir::IntegerAttr>(name).getInt();
  }

  llvm::raw_ostream &out;
};

} // namespace

static int fail(const std::string &message, int code) {
  std::fprintf(stderr, "acme-asm: error: %s\n", message.c_str());
  return code;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fail("usage: acme-asm MODEL OUTPUT.s [--target=acme.yaml ...]", 2);
  npu::DriverOptions options;
  std::string wrong = npu::readOptions({argv + 3, argv + argc}, options);
  if (!wrong.empty())
    return fail(wrong, 2);
  options.compile.model = argv[1];
  options.compile.output = argv[2];

  npu::Session session(options, [](const npu::Message &message) {
    std::fprintf(stderr, "acme-asm: %s: %s\n",
                 npu::severityName(message.severity),
                 message.withPlace().c_str());
  });
  if (!session.declareFiles() ||
      session.run(npu::Stage::Planned) != npu::CompileStatus::Ok)
    return 1;
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto functions = session.module().getOps<mlir::func::FuncOp>();
  Assembler(stream).write(*functions.begin());
  std::string failed = session.files.write(argv[2], text);
  if (failed.empty())
    failed = session.files.commit();
  return failed.empty() ? 0 : fail(failed, 1);
}
