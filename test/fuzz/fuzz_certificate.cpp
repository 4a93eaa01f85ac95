// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a certificate: it holds, or one sentence says why not. One that
// holds says what its plan costs, and nothing else is true of that.

#include "certificate/certificate.h"

#include <cstdlib>

using namespace npu::certificate;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Work work;
  work.left = 1 << 22; // what takes longer is not waited for
  bool holds = false;
  try {
    Certificate certificate =
        read(std::string(reinterpret_cast<const char *>(data), size), work);
    check(certificate, work);
    holds = true;
    --certificate.planCost;
    check(certificate, work);
    abort();
  } catch (const Malformed &) {
    if (holds && work.left >= 0)
      abort();
  } catch (const Refuted &error) {
    if (std::string(error.what()).empty())
      abort();
  }
  return 0;
}
