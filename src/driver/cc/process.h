/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs child processes and makes temporary files for cairn-cc.
 */
#ifndef CN_DRIVER_CC_PROCESS_H
#define CN_DRIVER_CC_PROCESS_H

#include <stdio.h>
#include "driver/cc/command.h"

/* The clang of the LLVM that this program was built with, or else the first in PATH. */
const char *cn_process_clang_path(void);

/* Another tool of that LLVM, such as "ld.lld", or NAME-22 in PATH. Null after a message that it is missing; `why` names
 * the user of the tool, `package` the Debian package that has it. */
const char *cn_process_find_llvm_tool(const char *name, const char *why, const char *package);

/* Print a command as clang's -### does: a line of quoted words. */
void cn_process_print_command(const struct cn_words *words, FILE *out);

/* Run words->at[0] and wait. Returns its exit status; 128 + signal if a signal ended it; 127 after a message if it did
 * not start. */
int cn_process_run(const struct cn_words *words);

/* Like cn_process_run(), with standard output and standard error into the files at these paths;
 * null leaves a stream as it is. */
int cn_process_run_redirected(const struct cn_words *words, const char *output, const char *errors);

/* Become words->at[0]: returns only a status to exit with. */
int cn_process_exec(const struct cn_words *words);

/* The name of a new temporary file, which is removed at exit, also at an exit by signal. Null after a message. */
const char *cn_temp_make_file_name(const char *stem, const char *suffix);

#endif
