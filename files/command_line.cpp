// SPDX-License-Identifier: Apache-2.0

#include "files/command_line.h"

#include "files/shown_text.h"
#include "files/words.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <iostream>
#include <set>
#include <sstream>

namespace npu::files {
namespace {

constexpr size_t helpWidth = 100, helpColumn = 30;

/// What stands for the value, without what CLI11 adds of its checks: ":{a,b}",
/// ":INT in [1 - 5]", ":0 to 1".
std::string typeOf(const CLI::Option &option) {
  const std::string type = option.get_type_name();
  size_t end = 0;
  while ((end = type.find(':', end)) != std::string::npos) {
    const std::string check = type.substr(end + 1);
    if (check[0] == '{' || std::isdigit(static_cast<unsigned char>(check[0])) ||
        check.find(" in [") != std::string::npos)
      break;
    ++end;
  }
  return type.substr(0, end);
}

/// CLI11's, but no line is longer than helpWidth, and names of values are not
/// listed twice.
class HelpText : public CLI::Formatter {
public:
  explicit HelpText(std::function<void()> before) : before(std::move(before)) {
    column_width(helpColumn);
    label("OPTIONS", "options");
  }

  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (before)
      before();
    return CLI::detail::find_and_replace(
        Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  }
  /// Of a flag that may have a value, without what it is otherwise.
  std::string make_option_name(const CLI::Option *option,
                               bool isPositional) const override {
    std::string name = Formatter::make_option_name(option, isPositional);
    return name.substr(0, name.find('{'));
  }
  std::string make_description(const CLI::App *app) const override {
    return wrapped(app->get_description(), helpWidth, 0) + "\n";
  }
  std::string make_option_opts(const CLI::Option *option) const override {
    const std::string type = typeOf(*option);
    if (option->get_positional() || option->get_type_size() == 0 ||
        type.empty())
      return "";
    return " " + type;
  }
  std::string make_option_desc(const CLI::Option *option) const override {
    std::string text = option->get_description();
    if (!option->get_default_str().empty())
      text += " [" + option->get_default_str() + "]";
    if (!option->get_envname().empty())
      text += " (or $" + option->get_envname() + ")";
    std::string excluded;
    for (const CLI::Option *other : option->get_excludes())
      excluded += (excluded.empty() ? "" : ", ") + other->get_name();
    if (!excluded.empty())
      text += "; not with " + excluded;
    return wrapped(text, helpWidth - helpColumn, 0);
  }

private:
  std::function<void()> before;
};

bool isOption(const std::string &word) {
  return word.size() > 1 && word[0] == '-';
}

std::vector<std::string> longNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    names.insert(names.end(), option->get_lnames().begin(),
                 option->get_lnames().end());
  return names;
}

std::string unknownOption(const CLI::App &app, const std::string &word) {
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const std::string &known : longNames(app))
    names.push_back("--" + known);
  return "unknown option '" + name + "'" + suggestion(name, names);
}

/// "see PROGRAM --help" is where the list of options is.
std::string errorLine(const CLI::App &app, const std::string &message) {
  return app.get_name() + ": error: " + shownMessage(message);
}

CLI::Validator named(const std::vector<std::string> &names, const char *end,
                     const std::function<std::string(std::string &)> &check) {
  return {check, "{" + CLI::detail::join(names, ",") + end + "}"};
}

/// --completion, which needs no other word of the command line.
void printCompletion(const CLI::App &app, const std::string &shell) {
  std::cout << completionScript(app, shell);
  throw CLI::Success();
}

} // namespace

void prepareCommandLine(CLI::App &app, const ProgramFacts &facts) {
  app.formatter(std::make_shared<HelpText>(facts.beforeHelp));
  app.set_help_flag("-h,--help", "prints this and ends")->group("General");
  app.set_version_flag("--version", app.get_name() + " " + facts.version,
                       "prints the version and ends")
      ->group("General");
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string &shell) { printCompletion(app, shell); },
         "prints a script that completes this program's words in a shell, and "
         "ends: bash, zsh or fish")
      ->type_name("SHELL")
      ->check(oneOf({"bash", "zsh", "fish"}))
      ->trigger_on_parse()
      ->group("General");
  std::string text;
  if (!facts.more.empty())
    text = facts.more + "\n";
  text += std::string("Examples:\n") + facts.examples +
          "\nExit codes (docs/exit-codes.md):\n";
  std::istringstream codes(exitCodeLines(facts.codes));
  for (std::string line; std::getline(codes, line);)
    text += "  " + line.substr(2, 3) +
            wrapped(line.substr(5), helpWidth - 5, 5) + "\n";
  text.pop_back();
  app.footer(text);
}

void takeOneValueEach(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (!option->get_positional() && option->get_items_expected_max() > 1)
      option->allow_extra_args(false);
}

std::string unknownWords(const CLI::App &app) {
  std::vector<std::string> words = app.remaining();
  for (const std::string &word : words)
    if (isOption(word))
      return unknownOption(app, word);
  return words.empty() ? "" : "unexpected argument '" + words.front() + "'";
}

/// A flag that knows yes and no only. One with a value of its own is written
/// "--profile{-}".
static bool isPlainFlag(const CLI::Option &option) {
  const std::string name = option.get_name();
  return option.get_items_expected_max() == 0 &&
         option.get_flag_value(name.substr(name.rfind('-', 1) + 1), "") ==
             "true";
}

static std::string noValueText(const CLI::Option &option,
                               const std::string &value) {
  return option.get_name() + " takes no value, but '" + value + "' is given";
}

/// CLI11 would take "--json=2" for "--json".
static void refuseValuesOfFlags(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    for (const std::string &value : option->results())
      if (isPlainFlag(*option) && value != "true" && value != "false")
        throw CLI::ValidationError(noValueText(*option, value));
}

/// What a script's empty variable makes of an option must not be as if the
/// option were not there.
static void refuseEmptyValues(const CLI::App &app, int argc, char **argv) {
  // Of a flag with a value of its own CLI11 takes that one then.
  std::set<std::string> words(argv, argv + argc);
  for (const CLI::Option *option : app.get_options()) {
    const std::vector<std::string> &values = option->results();
    bool isEmpty = std::find(values.begin(), values.end(), "") != values.end();
    if (isEmpty || words.count(option->get_name() + "="))
      throw CLI::ValidationError(option->get_name() +
                                 ": '' is no value; give one, or leave it out");
  }
}

/// CLI11 throws before refuseValuesOfFlags() sees the word.
static std::string conversionText(const CLI::App &app,
                                  const std::string &text) {
  for (const CLI::Option *option : app.get_options()) {
    const std::string begin =
        "Could not convert: " + option->get_name() + " = ";
    if (text.compare(0, begin.size(), begin) != 0)
      continue;
    const std::string value = text.substr(begin.size());
    return isPlainFlag(*option) ? noValueText(*option, value)
                                : option->get_name() + ": '" + value +
                                      "' is no " + typeOf(*option);
  }
  return text;
}

/// What is wrong, as CLI11 says it; of a value that is missing, which its
/// checks are no part of.
static std::string textOf(const CLI::App &app, const CLI::Error &error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ConversionError *>(&error))
    return conversionText(app, text);
  const bool isMissing = dynamic_cast<const CLI::ArgumentMismatch *>(&error) &&
                         text.find(" required ") != std::string::npos;
  return isMissing ? text.substr(0, text.find(':')) + ": a value is missing"
                   : text;
}

std::optional<int> readCommandLine(CLI::App &app, int argc, char **argv,
                                   const std::function<void()> &finish) {
  try {
    takeOneValueEach(app);
    app.parse(argc, argv);
    refuseEmptyValues(app, argc, argv);
    refuseValuesOfFlags(app);
    if (finish)
      finish();
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    if (error.get_exit_code() == exitInput) {
      std::cerr << errorLine(app, error.what()) << "\n";
      return exitInput;
    }
    // A word that is misspelled is why another one is missing.
    std::string unknown = unknownWords(app);
    std::cerr << errorLine(app, unknown.empty() ? textOf(app, error) : unknown)
              << "; see " << app.get_name() << " --help\n";
    return exitUsage;
  }
  return std::nullopt;
}

CLI::Validator oneOf(const std::vector<std::string> &names) {
  return named(names, "", [names](std::string &word) {
    return std::find(names.begin(), names.end(), word) != names.end()
               ? std::string()
               : unknownName(word, names);
  });
}

CLI::Validator suchAs(const std::vector<std::string> &names) {
  return named(names, ",...", [](std::string &) { return std::string(); });
}

std::vector<std::string> namesOf(const CLI::Option &option, bool &isOpen) {
  std::string type = option.get_type_name();
  size_t begin = type.find(":{"), end = type.rfind('}');
  isOpen = false;
  if (begin == std::string::npos || end == std::string::npos)
    return {};
  std::vector<std::string> names =
      CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
  isOpen = !names.empty() && names.back() == "...";
  if (isOpen)
    names.pop_back();
  return names;
}

CLI::Validator numberFrom(double least, double most) {
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

CLI::Validator wholeFrom(int64_t least, int64_t most) {
  const std::string range =
      std::to_string(least) + " to " + std::to_string(most);
  auto check = [least, most, range](std::string &given) {
    int64_t number = 0;
    const char *end = given.data() + given.size();
    auto [stop, code] = std::from_chars(given.data(), end, number);
    return code == std::errc() && stop == end && number >= least &&
                   number <= most
               ? std::string()
               : "'" + given + "' is not a whole number from " + range;
  };
  return {check, range};
}

} // namespace npu::files
