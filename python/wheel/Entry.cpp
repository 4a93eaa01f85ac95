// SPDX-License-Identifier: Apache-2.0
//
// npuc as a function of the library, for the thin program.

int npucMain(int argc, char **argv); // main() of compiler/tools/npuc

extern "C" int npuc_main(int argc, char **argv) { return npucMain(argc, argv); }
