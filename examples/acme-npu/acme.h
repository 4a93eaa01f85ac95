/* SPDX-License-Identifier: Apache-2.0
 *
 * What both halves of the plugin say of it. */
#ifndef ACME_H
#define ACME_H

#define ACME_NAME "acme"
#define ACME_VERSION "1.0"

#endif
