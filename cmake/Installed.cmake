# What `cmake --install` puts where. Nothing in it names the build: programs and
# libraries find each other by $ORIGIN, CMake files and pkg-config by where they
# lie themselves.
include(CMakePackageConfigHelpers)
include(cmake/Completion.cmake)

# --- what runs
# -----------------------------------------------------------------

npu_install_library(runtime npu npu_static)
if(NPU_BUILD_PROGRAMS)
  npu_install_program(runtime npu-run)
  npu_install_completions(runtime npu-run)
endif()
if(NPU_ONEDNN)
  npu_install_library(runtime npu_team)
  npu_install_bundled(runtime "${NPU_ONEDNN_LIBRARY}")
endif()
install(
  FILES LICENSE README.md
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT runtime)

if(NPU_BUILD_COMPILER)
  npu_install_program(
    compiler
    npuc
    npu-opt
    npu-dump
    npu-lsp-server
    npu-check-certificate
    npu-kernel-table)
  npu_install_library(compiler npuc_library)
  npu_install_bundled(compiler "${HIGHS_LIBRARY}")
  install(
    DIRECTORY targets
    DESTINATION "${NPU_SHARED_FILES}"
    COMPONENT compiler)
  install(
    DIRECTORY docs/
    DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    COMPONENT compiler
    FILES_MATCHING
    REGEX "\\.(md|json|png|ipynb)$")
  npu_install_python(compiler)
  npu_install_completions(
    compiler
    npuc
    npu-dump
    npu-check-certificate
    npu-kernel-table
    ${NPU_PYTHON_PROGRAMS})
endif()

# --- what others build with
# ----------------------------------------------------

install(
  DIRECTORY examples
  DESTINATION "${NPU_SHARED_FILES}"
  COMPONENT dev)
install(
  DIRECTORY include/npu
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT dev)
# What plugins speak of.
install(
  FILES format/program_format.h
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/npu/format"
  COMPONENT dev)
if(NPU_BUILD_COMPILER)
  install(
    DIRECTORY include/npuc
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    COMPONENT dev)
  # The static libraries, lowest first.
  npu_install_library(
    compiler
    npu_options
    npu_onednn
    npu_highs
    npu_mlir
    npu_cost
    npu_files
    npu_command_line
    npu_certificate
    npu_format
    npu_plugin
    npu_kernels
    npu_chip
    npu_runtime
    npu_search
    npu_support
    npu_dialect
    npu_target
    npu_kernel_problem
    npu_frontend
    npu_onnx_proto
    npu_onnx
    npu_tosa
    npu_tflite
    npu_fusion
    npu_layout
    npu_codegen
    npu_html
    npu_pipeline
    npu_driver)
  # Sources and what is made of them by TableGen lie in the same places. Of the
  # kernels only what the compiler's headers speak of.
  file(
    GLOB_RECURSE headers CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}"
    certificate/*.h
    compiler/*.h
    compiler/*.td
    cost/*.h
    files/*.h
    format/*.h
    plugin/*.h)
  list(FILTER headers EXCLUDE REGEX "^compiler/tools/")
  # Who builds with npuc needs no flatbuffers.
  list(FILTER headers EXCLUDE REGEX "/Frontend/TFLite/Tflite[^I].*\\.h$")
  file(
    GLOB kernel_headers CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}"
    kernels/*.h)
  foreach(header IN LISTS headers kernel_headers)
    cmake_path(GET header PARENT_PATH folder)
    install(
      FILES "${header}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/npu/${folder}"
      COMPONENT dev)
  endforeach()
  install(
    DIRECTORY "${PROJECT_BINARY_DIR}/compiler"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/npu"
    COMPONENT dev
    FILES_MATCHING
    REGEX "\\.(h\\.inc|pb\\.h)$"
    PATTERN CMakeFiles EXCLUDE
    PATTERN "*.dir" EXCLUDE
    PATTERN tools EXCLUDE)
endif()

install(
  EXPORT npuc-runtime
  NAMESPACE npuc::
  DESTINATION "${NPU_CMAKE_FILES}"
  COMPONENT dev)
if(NPU_BUILD_COMPILER)
  install(
    EXPORT npuc-compiler
    NAMESPACE npuc::
    DESTINATION "${NPU_CMAKE_FILES}"
    COMPONENT dev)
endif()
configure_package_config_file(
  cmake/npucConfig.cmake.in "${PROJECT_BINARY_DIR}/cmake/npucConfig.cmake"
  INSTALL_DESTINATION "${NPU_CMAKE_FILES}"
  PATH_VARS NPU_SHARED_FILES CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/cmake/npucConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/cmake/npucConfig.cmake"
        "${PROJECT_BINARY_DIR}/cmake/npucConfigVersion.cmake"
  DESTINATION "${NPU_CMAKE_FILES}"
  COMPONENT dev)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
           "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE NPU_UP)
set(NPU_PKG_CONFIG npu.pc npu-static.pc)
if(NPU_BUILD_COMPILER)
  list(APPEND NPU_PKG_CONFIG npuc.pc)
endif()
foreach(file IN LISTS NPU_PKG_CONFIG)
  configure_file(cmake/${file}.in "${PROJECT_BINARY_DIR}/cmake/${file}" @ONLY)
  install(
    FILES "${PROJECT_BINARY_DIR}/cmake/${file}"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT dev)
endforeach()
