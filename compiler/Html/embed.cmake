# PAGE with STYLE and SCRIPTS in place of @STYLE@ and @SCRIPT@, as C++ in
# OUTPUT.
cmake_minimum_required(VERSION 3.25)
file(READ "${PAGE}" html)
file(READ "${STYLE}" css)
set(code "")
foreach(script IN LISTS SCRIPTS)
  file(READ "${script}" part)
  string(CONCAT code "${code}" "${part}" "\n")
endforeach()
string(REPLACE "@STYLE@" "${css}" html "${html}")
string(REPLACE "@SCRIPT@" "${code}" html "${html}")
string(
  CONCAT cpp
         "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n"
         "#include \"compiler/Html/PageTemplate.h\"\n"
         "llvm::StringRef npu::pageTemplate() {\n  return R\"npuc("
         "${html}"
         ")npuc\";\n}\n")
file(WRITE "${OUTPUT}" "${cpp}")
