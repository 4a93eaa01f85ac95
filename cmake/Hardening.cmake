# What a fault in our code may not become: all libraries and programs are built
# so, and test/install/elf_files.py reads it off what was built.
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong)
# The dynamic loader's tables are read-only before main() runs.
add_link_options(LINKER:-z,relro,-z,now)
# Sanitizers know more of buffers, and their own versions of these functions;
# nothing is known without optimisation.
if(NOT NPU_SANITIZE AND NOT NPU_TSAN AND NOT NPU_FUZZ)
  add_compile_definitions(
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:_FORTIFY_SOURCE=2>")
endif()
