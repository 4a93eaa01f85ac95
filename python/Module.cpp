// SPDX-License-Identifier: Apache-2.0
//
// npuc._npuc: both C APIs for npuc/*.py, which is what users see.
#include "python/Module.h"

#include "python/Failure.h"

using namespace npu::python;

/// The classes are Python's, so that users can read and subclass them.
static void translate(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure &failure) {
    nb::object type = nb::module_::import_("npuc.errors").attr(failure.type);
    nb::tuple arguments = nb::make_tuple(
        nb::str(failure.message.data(), failure.message.size()), failure.code);
    PyErr_SetObject(type.ptr(), arguments.ptr());
  }
}

NB_MODULE(_npuc, module) {
  nb::register_exception_translator(translate);
  addCompilation(module);
  addModel(module);
}
