// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_TEST_RUNTIME_FULLDISK_H
#define NPU_TEST_RUNTIME_FULLDISK_H

#include <csignal>
#include <sys/resource.h>

namespace npu::test {

/// Files may not grow beyond `bytes` while this lives: a disk that is full.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit small = {bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &old); }

private:
  rlimit old = {};
};

} // namespace npu::test

#endif // NPU_TEST_RUNTIME_FULLDISK_H
