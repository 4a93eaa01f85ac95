# What most of the compiler includes, parsed once: MLIR's headers and the
# dialect's ops take half the time of each file.
#
# A folder that sets NPU_PRECOMPILED has its libraries, programs and tests begin
# with these headers. Every file still includes what it uses: NPU_SANITIZE
# builds, the compiler's by `make soak`, are without.

# npu_precompile(NAME): the headers, for libraries (NAME) and for programs
# (NAME_program), which other options of the compiler make other code of.
function(npu_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Headers alone.\n")
  foreach(kind IN ITEMS "" "_program")
    add_library(${name}${kind} OBJECT "${source}")
    target_link_libraries(${name}${kind} PRIVATE npu_options ${ARG_LIBS})
    target_precompile_headers(${name}${kind} PRIVATE ${ARG_HEADERS})
    # The cache of compiled files compares contents, and times are in them else.
    target_compile_options(${name}${kind} PRIVATE -Xclang -fno-pch-timestamp)
  endforeach()
  set_target_properties(${name}_program PROPERTIES POSITION_INDEPENDENT_CODE
                                                   OFF)
  target_compile_options(${name}_program PRIVATE -fPIE)
endfunction()

# npu_reuse_precompiled(TARGET KIND): what the folder has, if any.
function(npu_reuse_precompiled target kind)
  if(NPU_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM "${NPU_PRECOMPILED}${kind}")
  endif()
endfunction()
