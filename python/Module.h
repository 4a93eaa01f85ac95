// SPDX-License-Identifier: Apache-2.0
//
// The parts of the extension module npuc._npuc.
#ifndef NPU_PYTHON_MODULE_H
#define NPU_PYTHON_MODULE_H

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace npu::python {

void addCompilation(nb::module_ &module);
void addModel(nb::module_ &module);

} // namespace npu::python

#endif // NPU_PYTHON_MODULE_H
