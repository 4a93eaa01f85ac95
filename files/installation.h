// SPDX-License-Identifier: Apache-2.0
//
// Where what came with this program lies: chip files and the like. Nothing of
// the place of the build or of the installation is compiled in, so that a
// folder may be moved.
#ifndef NPU_FILES_INSTALLATION_H
#define NPU_FILES_INSTALLATION_H

#include <string>

namespace npu::files {

/// The folder of the file that holds this code, without links: that of the
/// program, or of the shared library that this function is linked into. Empty
/// if the system does not tell.
std::string ownFolder();

/// `path` ("share/npuc/targets") in the installation that this code is part
/// of: beside the folder of programs or libraries, or beside the folder that
/// libraries' own lies in (lib/x86_64-linux-gnu). Without links; empty if it is
/// not there.
std::string installedPath(const std::string &path);

} // namespace npu::files

#endif // NPU_FILES_INSTALLATION_H
