/* SPDX-License-Identifier: Apache-2.0
 *
 * A library, but no plugin. */
int answer(void);
int answer(void) { return 42; }
