// SPDX-License-Identifier: Apache-2.0
//
// What every program says of a command line that it does not understand.
#ifndef NPU_FILES_USAGE_ERROR_H
#define NPU_FILES_USAGE_ERROR_H

#include "files/shown_text.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <sstream>
#include <string>

namespace npu::files {

/// "PROGRAM: error: what is wrong; see PROGRAM --help" on one line; for
/// CLI::App::failure_message. The app has the program's name.
inline std::string usageError(const CLI::App *app, const CLI::Error &error) {
  return app->get_name() + ": error: " + shownMessage(error.what()) + "; see " +
         app->get_name() + " --help\n";
}

/// A number within ends; CLI::Range takes nan for one.
inline CLI::Validator numberFrom(double least, double most) {
  std::ostringstream range;
  range << least << " to " << most;
  auto check = [least, most, text = range.str()](std::string &given) {
    double number = NAN;
    bool isNumber = CLI::detail::lexical_cast(given, number);
    return isNumber && number >= least && number <= most
               ? std::string()
               : "'" + given + "' is not a number from " + text;
  };
  return {check, range.str()};
}

} // namespace npu::files

#endif // NPU_FILES_USAGE_ERROR_H
