# `cpack -G DEB` in the build folder: Debian packages, one for each component.
# Dependencies are what dpkg-shlibdeps finds; oneDNN and HiGHS come along.
set(CPACK_PACKAGE_NAME npuc)
set(CPACK_PACKAGE_VENDOR npuc)
set(CPACK_PACKAGE_CONTACT "npuc <npuc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "compiler for neural processors that chooses data layouts")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime)
if(NPU_BUILD_COMPILER)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()
list(APPEND CPACK_COMPONENTS_ALL dev)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is in these packages is no dependency of them. oneDNN's wheel has no
# package's name in it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    "${PROJECT_BINARY_DIR}/lib" "${NPU_VENV}/lib")
if(HIGHS_LIBRARY)
  cmake_path(GET HIGHS_LIBRARY PARENT_PATH highs_folder)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${highs_folder}")
endif()
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_COMPILER_DEPENDS runtime)
set(CPACK_COMPONENT_DEV_DEPENDS ${CPACK_COMPONENTS_ALL})
list(REMOVE_ITEM CPACK_COMPONENT_DEV_DEPENDS dev)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "Runs compiled networks: libnpu, npu-run, and oneDNN for them.")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
    "Compiles networks: npuc, its tools, chip files and documents.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "Headers, libraries and CMake files to build on npuc.")
# npu-bench and its kin; they name the packages that Python lacks.
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libmlir-22-dev, liblld-22-dev, libprotobuf-dev, nlohmann-json3-dev, zlib1g-dev, libzstd-dev"
)
include(CPack)
