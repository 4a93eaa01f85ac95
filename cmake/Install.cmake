# How things are installed; what is, stands in Installed.cmake.
include(GNUInstallDirs)

# Libraries that come along, beside those of the system of the same names.
set(NPU_BUNDLED "${CMAKE_INSTALL_LIBDIR}/npuc")
set(NPU_SHARED_FILES "${CMAKE_INSTALL_DATADIR}/npuc")
set(NPU_CMAKE_FILES "${CMAKE_INSTALL_LIBDIR}/cmake/npuc")

# npu_set_run_path(COMPONENT FOLDER BUILD_FOLDER TARGETS...): where what is
# installed into FOLDER, and built in BUILD_FOLDER, finds libraries. The build
# has the same paths: else CMake ends them in an empty one, so that it can write
# others over them, and the dynamic loader takes that for the current folder.
function(npu_set_run_path component folder build_folder)
  set(paths)
  foreach(library_folder IN ITEMS "${CMAKE_INSTALL_LIBDIR}" "${NPU_BUNDLED}")
    cmake_path(RELATIVE_PATH library_folder BASE_DIRECTORY "${folder}")
    list(APPEND paths "$ORIGIN/${library_folder}")
  endforeach()
  set(library_folder lib)
  cmake_path(RELATIVE_PATH library_folder BASE_DIRECTORY "${build_folder}")
  list(APPEND paths "$ORIGIN/${library_folder}")
  list(TRANSFORM paths REPLACE "/\\.$" "")
  list(REMOVE_DUPLICATES paths)
  # LLVM's own folder, which is the system's. Debian has libMLIR only there.
  if(component STREQUAL compiler)
    list(APPEND paths "${LLVM_LIBRARY_DIRS}")
  endif()
  set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "${paths}"
                                           BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# npu_install_program(COMPONENT TARGETS...): into bin/.
function(npu_install_program component)
  npu_set_run_path(${component} "${CMAKE_INSTALL_BINDIR}" bin ${ARGN})
  install(
    TARGETS ${ARGN}
    EXPORT npuc-${component}
    RUNTIME COMPONENT ${component})
endfunction()

# npu_install_library(COMPONENT TARGETS...): shared ones for whom programs run
# (and their link without version for who builds), static ones for who builds.
function(npu_install_library component)
  npu_set_run_path(${component} "${CMAKE_INSTALL_LIBDIR}" lib ${ARGN})
  install(
    TARGETS ${ARGN}
    EXPORT npuc-${component}
    LIBRARY COMPONENT ${component} NAMELINK_COMPONENT dev
    ARCHIVE COMPONENT dev)
endfunction()

# npu_install_bundled(COMPONENT FILE): a library of a Python wheel.
function(npu_install_bundled component file)
  file(REAL_PATH "${file}" real)
  cmake_path(GET file FILENAME name)
  install(
    PROGRAMS "${real}"
    DESTINATION "${NPU_BUNDLED}"
    RENAME "${name}"
    COMPONENT ${component})
  # Programs of the build find it where those of an installation do.
  set(built "${PROJECT_BINARY_DIR}/lib/${name}")
  if(NOT EXISTS "${built}" OR IS_SYMLINK "${built}")
    file(CREATE_LINK "${real}" "${built}" SYMBOLIC)
  endif()
endfunction()

# npu_link_bundled(TARGET FILE): who uses the interface library TARGET links a
# library of a Python wheel, in the build where the wheel has it.
function(npu_link_bundled target file)
  cmake_path(GET file FILENAME name)
  target_link_libraries(
    ${target}
    INTERFACE "$<BUILD_INTERFACE:${file}>"
              "$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${NPU_BUNDLED}/${name}>")
endfunction()
