// SPDX-License-Identifier: Apache-2.0

#include "files/progress_line.h"

#include <atomic>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace npu::files {
namespace {

std::atomic<bool> isShown{false};
constexpr std::string_view wipe = "\r\033[K";

bool takesSequences() {
  const char *terminal = std::getenv("TERM");
  const char *plain = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && terminal && *terminal &&
         std::string_view(terminal) != "dumb" && !(plain && *plain);
}

bool send(std::string_view text) {
  return write(STDERR_FILENO, text.data(), text.size()) >= 0;
}

} // namespace

void showProgress(std::string_view text) {
  static const bool isWanted = takesSequences();
  if (!isWanted)
    return;
  isShown = send(std::string(wipe) + std::string(text));
}

void clearProgress() {
  if (isShown.exchange(false))
    send(wipe);
}

} // namespace npu::files
