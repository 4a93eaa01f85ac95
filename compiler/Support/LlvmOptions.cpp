// SPDX-License-Identifier: Apache-2.0
#include "compiler/Support/LlvmOptions.h"

using namespace npu;

std::string npu::llvmComplaint(StringRef said, StringRef program) {
  auto [first, rest] = said.split('\n');
  first.consume_front((program + ": ").str());
  // Of some values LLVM has said itself what is wrong.
  std::string text = first.empty() ? "a value is wrong, see above"
                                   : first.split("  Try: ").first.str();
  StringRef unknown = text;
  if (unknown.consume_front("Unknown command line argument "))
    text = "unknown option " + unknown.rtrim('.').str();
  StringRef meant = rest.split('\n').first;
  meant.consume_front((program + ": ").str());
  if (meant.consume_front("Did you mean "))
    text += "; did you mean " + meant.str();
  return text;
}
