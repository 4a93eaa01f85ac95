// SPDX-License-Identifier: Apache-2.0
//
// The end of a program that has no memory left, or no stack: one error and an
// exit code, whoever asked for the memory. Libraries that know no exceptions
// would abort, or go on with a null pointer.
#ifndef NPU_FILES_LAST_WORDS_H
#define NPU_FILES_LAST_WORDS_H

namespace npu::files {

/// First in main(), after prepareProcess(): `program` is the name in messages.
/// The exit code is exitMemory.
void prepareLastWords(const char *program);

/// Who says whose code a thread is in that crashes, or null if it is ours; a
/// handler of signals asks.
void setCulprit(const char *(*culprit)());
/// The answer; null where nobody can say.
const char *culprit();

/// Ends the process like that. For libraries that have a handler of their own.
[[noreturn]] void endWithoutMemory();
/// Whether there is so little that this is the likely reason of a failure.
bool isMemoryGone();

} // namespace npu::files

#endif // NPU_FILES_LAST_WORDS_H
