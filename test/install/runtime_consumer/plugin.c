/* SPDX-License-Identifier: Apache-2.0
 *
 * The least that is a plugin, from the installed headers alone. */
#include <npu/plugin.h>

static const npu_plugin nothing = {
    {sizeof(npu_plugin), NPU_PLUGIN_ABI_VERSION, "nothing", "1"},
    NULL,
    NULL,
    0,
    0};

const npu_plugin_header *npu_plugin_get(const npu_plugin_host *host,
                                        uint32_t abi_version) {
  return host && abi_version == NPU_PLUGIN_ABI_VERSION ? &nothing.header : NULL;
}
