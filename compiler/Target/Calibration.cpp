// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Calibration.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace npu;

static const char *const advice = "`npu-bench --calibrate` measures this one";

std::string npu::processorName() {
  // Sizes of files in /proc are not known before they are read.
  auto text = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (!text)
    return "unknown";
  SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (StringRef line : lines)
    if (line.starts_with("model name"))
      return line.split(':').second.trim().str();
  return "unknown";
}

std::string npu::calibrationPath(StringRef name) {
  llvm::SmallString<128> path;
  std::string cache = llvm::sys::Process::GetEnv("XDG_CACHE_HOME").value_or("");
  if (!cache.empty())
    path = cache;
  else if (llvm::sys::path::home_directory(path))
    llvm::sys::path::append(path, ".cache");
  else
    return "";
  llvm::sys::path::append(path, "npuc", name + ".yaml");
  return path.str().str();
}

/// Why the table's numbers are not this machine's; empty: they are.
static std::string mismatchOf(const Measured &table, StringRef library) {
  std::string processor = processorName();
  if (table.processor != processor)
    return "the processor '" + table.processor + "', this is '" + processor +
           "'";
  if (table.library != library)
    return "'" + table.library + "', this is '" + library.str() + "'";
  return "";
}

/// Says so where the numbers are for another number of threads.
static std::string threadsNote(const TargetSpec &table, int threads) {
  if (table.measured->threads == threads)
    return "";
  auto measured = static_cast<int64_t>(table.measured->threads);
  return llvm::formatv("target {0}: '{1}' was measured with {2} threads, the "
                       "program is for {3}; layouts and times are those of "
                       "{2}, `npu-bench --calibrate --threads={3}` measures "
                       "anew",
                       table.name, table.file, measured, threads);
}

std::optional<TargetSpec>
npu::loadCalibratedTarget(StringRef nameOrPath, StringRef library, int threads,
                          const AllowedPlugins &allowed, std::string &note,
                          std::string &error) {
  std::optional<TargetSpec> shipped = loadTarget(nameOrPath, error, allowed);
  if (!shipped || !shipped->measured || shipped->name != nameOrPath)
    return shipped;
  std::string path = calibrationPath(shipped->name);
  if (path.empty() || !llvm::sys::fs::exists(path)) {
    note =
        "target " + shipped->name + ": numbers of another machine; " + advice;
    return shipped;
  }
  std::optional<TargetSpec> table = loadTarget(path, error, allowed);
  if (table && !table->measured)
    error = path + ":1: key 'measured' is missing";
  if (!error.empty()) {
    error += "; remove the file, or write it anew with `npu-bench --calibrate`";
    return std::nullopt;
  }
  std::string why = mismatchOf(*table->measured, library);
  if (why.empty()) {
    table->measured->ofThisMachine = true;
    note = threadsNote(*table, threads);
    return table;
  }
  note = "target " + shipped->name + ": '" + path + "' was measured with " +
         why + "; it is not used, " + advice;
  return shipped;
}
