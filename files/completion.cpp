// SPDX-License-Identifier: Apache-2.0
//
// Scripts for shells, made of the table of options, so that they know every
// option there is.
#include "files/command_line.h"

namespace npu::files {
namespace {

/// What a shell needs to know of one option.
struct Row {
  std::vector<std::string> words; ///< "-o", "--output"
  std::string text;               ///< the first clause of the description
  std::vector<std::string> values;
  bool takesValue = false; ///< and is no flag
  bool takesFile = false;
  bool isRepeated = false;
};

std::string firstClause(const std::string &text) {
  return text.substr(0, text.find_first_of(":;("));
}

std::vector<Row> rowsOf(const CLI::App &app) {
  std::vector<Row> rows;
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty())
      continue;
    Row row;
    for (const std::string &name : option->get_snames())
      row.words.push_back("-" + name);
    for (const std::string &name : option->get_lnames())
      row.words.push_back("--" + name);
    row.text = firstClause(option->get_description());
    row.takesValue =
        option->get_items_expected_min() > 0 && option->get_type_size() != 0;
    row.isRepeated = option->get_expected_max() > 1;
    bool isOpen = false;
    row.values = namesOf(*option, isOpen);
    const std::string type = option->get_type_name();
    row.takesFile = row.takesValue &&
                    (isOpen || (row.values.empty() &&
                                (type.compare(0, 4, "TEXT") == 0 ||
                                 type.find("FILE") != std::string::npos)));
    rows.push_back(row);
  }
  return rows;
}

std::string joined(const std::vector<std::string> &words, const char *between) {
  return CLI::detail::join(words, between);
}

/// The name of a shell's function.
std::string functionOf(const std::string &program) {
  std::string name = "_" + program;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string bashScript(const std::string &program,
                       const std::vector<Row> &rows) {
  const std::string function = functionOf(program);
  std::vector<std::string> all;
  std::string cases;
  for (const Row &row : rows) {
    all.insert(all.end(), row.words.begin(), row.words.end());
    if (row.takesValue)
      cases += "    " + joined(row.words, "|") + ") words='" +
               joined(row.values, " ") +
               "' files=" + (row.takesFile ? "1" : "") + " ;;\n";
  }
  // bash splits --name=value at the sign.
  return function +
         "() {\n"
         "  local word=$2 option=$3 words= files=1\n"
         "  [[ $option == = ]] && "
         "option=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  [[ $word == = ]] && word=\n"
         "  case $option in\n" +
         cases + "    *) [[ $word == -* ]] && words='" + joined(all, " ") +
         "' files= ;;\n"
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  if [[ $files ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "
         "\"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F " +
         function + " " + program + "\n";
}

/// Without what zsh and fish read in quoted descriptions.
std::string plain(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c != '\'' && c != '[' && c != ']' && c != ':' && c != '\\')
      result += c == '\n' ? ' ' : c;
  return result;
}

std::string zshScript(const std::string &program,
                      const std::vector<Row> &rows) {
  const std::string function = functionOf(program);
  std::string text =
      "#compdef " + program + "\n" + function + "() {\n  _arguments \\\n";
  for (const Row &row : rows)
    for (const std::string &word : row.words) {
      bool isLong = word.compare(0, 2, "--") == 0;
      text += std::string("    '") + (row.isRepeated ? "*" : "") + word +
              (row.takesValue && isLong ? "=" : "") + "[" + plain(row.text) +
              "]";
      if (row.takesValue)
        text += row.values.empty() ? ":value:"
                                   : ":value:(" + joined(row.values, " ") + ")";
      if (row.takesValue && row.values.empty() && row.takesFile)
        text += "_files";
      text += "' \\\n";
    }
  // In a folder of functions the file itself is what zsh calls first.
  return text +
         "    '*:file:_files'\n}\nif [[ $zsh_eval_context[-1] == "
         "loadautofunc ]]; then\n  " +
         function + " \"$@\"\nelse\n  compdef " + function + " " + program +
         "\nfi\n";
}

std::string fishScript(const std::string &program,
                       const std::vector<Row> &rows) {
  std::string text;
  for (const Row &row : rows) {
    text += "complete -c " + program;
    for (const std::string &word : row.words)
      text += word.compare(0, 2, "--") == 0 ? " -l " + word.substr(2)
                                            : " -s " + word.substr(1);
    if (row.takesValue)
      text += row.takesFile ? " -r" : " -x";
    if (!row.values.empty())
      text += " -a '" + joined(row.values, " ") + "'";
    text += " -d '" + plain(row.text) + "'\n";
  }
  return text;
}

} // namespace

std::string completionScript(const CLI::App &app, const std::string &shell) {
  const std::vector<Row> rows = rowsOf(app);
  const std::string program = app.get_name();
  return shell == "bash"  ? bashScript(program, rows)
         : shell == "zsh" ? zshScript(program, rows)
                          : fishScript(program, rows);
}

} // namespace npu::files
