# What most of the compiler includes, parsed once: MLIR's headers and the
# dialect's ops take half the time of each file.
#
# A folder that sets NPU_PRECOMPILED has its libraries, programs and tests begin
# with these headers. Every file still includes what it uses: NPU_SANITIZE
# builds, the compiler's by `make soak`, are without.

# What tests that compute little are compiled with: half of a test's time to
# build is the optimizer's.
set(NPU_UNOPTIMIZED -O0 -U_FORTIFY_SOURCE)

# npu_precompile(NAME): the headers, for libraries (NAME), programs
# (NAME_program) and tests that are not optimized (NAME_test), which other
# options of the compiler make other code of.
function(npu_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Headers alone.\n")
  set(kinds "" "_program")
  if(NPU_BUILD_TESTS)
    list(APPEND kinds "_test")
  endif()
  foreach(kind IN LISTS kinds)
    add_library(${name}${kind} OBJECT "${source}")
    target_link_libraries(${name}${kind} PRIVATE npu_options ${ARG_LIBS})
    target_precompile_headers(${name}${kind} PRIVATE ${ARG_HEADERS})
    # The cache of compiled files compares contents, and times are in them else.
    target_compile_options(${name}${kind} PRIVATE -Xclang -fno-pch-timestamp)
  endforeach()
  list(POP_FRONT kinds)
  foreach(kind IN LISTS kinds)
    set_target_properties(${name}${kind} PROPERTIES POSITION_INDEPENDENT_CODE
                                                    OFF)
    target_compile_options(${name}${kind} PRIVATE -fPIE)
  endforeach()
  if(NPU_BUILD_TESTS)
    target_compile_options(${name}_test PRIVATE ${NPU_UNOPTIMIZED})
    target_link_libraries(${name}_test PRIVATE GTest::gtest)
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h>)
  endif()
endfunction()

# npu_reuse_precompiled(TARGET KIND): what the folder has, if any.
function(npu_reuse_precompiled target kind)
  if(NPU_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM "${NPU_PRECOMPILED}${kind}")
  endif()
endfunction()
