# npu-bench and the other programs in Python. What they import lies in bench/
# beside targets/, in the source tree as in an installation; a program of a few
# lines starts them.
set(NPU_PYTHON_PROGRAMS npu-bench npu-compare npu-layout-diff npu-reduce
                        npu-sweep npuc-quantize)

# npu_launchers(FOLDER FROM): one for each program; the lines FROM say where
# they start from: `from`, `cache`, `packages`, `python`.
function(npu_launchers folder NPU_LAUNCH_FROM)
  foreach(program IN LISTS NPU_PYTHON_PROGRAMS)
    string(REPLACE "-" "_" NPU_PACKAGE ${program})
    configure_file(
      "${PROJECT_SOURCE_DIR}/bench/launcher.in" "${folder}/${program}" @ONLY
      FILE_PERMISSIONS
      OWNER_READ
      OWNER_WRITE
      OWNER_EXECUTE
      GROUP_READ
      GROUP_EXECUTE
      WORLD_READ
      WORLD_EXECUTE)
  endforeach()
endfunction()

# npu_install_python(COMPONENT [EXCLUDE_FROM_ALL])
function(npu_install_python component)
  # Python is the user's; what the programs import is in requirements.txt.
  set(from_installation
      [[from="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/npuc" packages="$from/share/npuc/bench" python="${NPU_PYTHON:-python3}"]]
  )
  npu_launchers("${PROJECT_BINARY_DIR}/cmake/launchers" "${from_installation}")
  install(
    DIRECTORY "${PROJECT_BINARY_DIR}/cmake/launchers/"
    DESTINATION "${CMAKE_INSTALL_BINDIR}"
    USE_SOURCE_PERMISSIONS
    COMPONENT ${component} ${ARGN})
  list(TRANSFORM NPU_PYTHON_PROGRAMS REPLACE "-" "_" OUTPUT_VARIABLE packages)
  list(TRANSFORM packages PREPEND "${PROJECT_SOURCE_DIR}/bench/")
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/bench/models" ${packages}
    DESTINATION "${NPU_SHARED_FILES}/bench"
    COMPONENT ${component} ${ARGN}
    FILES_MATCHING
    REGEX "\\.(py|css|html|js)$"
    PATTERN __pycache__ EXCLUDE)
  install(
    FILES "${PROJECT_SOURCE_DIR}/setup/requirements.txt"
    DESTINATION "${NPU_SHARED_FILES}/setup"
    COMPONENT ${component} ${ARGN})
endfunction()
