/* SPDX-License-Identifier: Apache-2.0
 *
 * The wheel's program npuc: all of it lies in the library beside it. */

int npuc_main(int argc, char **argv);

int main(int argc, char **argv) { return npuc_main(argc, argv); }
