/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs child processes and makes temporary files for cairn-cc.
 */
#ifndef CN_DRIVER_CC_PROCESS_H
#define CN_DRIVER_CC_PROCESS_H

#include <stdio.h>
#include "driver/cc/command.h"

/* The path of the clang of the LLVM that this program was built with, or else of the first clang in PATH. */
const char *cn_process_clang_path(void);

/* The path of a tool of the same LLVM, such as "ld.lld", or else of NAME-22 in PATH. Null after a message if the tool
 * is missing; in the message, `why` names the option that needs the tool, and `package` its Debian package. */
const char *cn_process_find_llvm_tool(const char *name, const char *why, const char *package);

/* Print a command as a line of quoted words, like clang's -###. */
void cn_process_print_command(const struct cn_words *words, FILE *out);

/* Run words->at[0] and wait. Returns the program's exit status; 128 + signal if a signal ended the program; 127 after a
 * message if the start failed. */
int cn_process_run(const struct cn_words *words);

/* Like cn_process_run(), with standard output and standard error redirected to the files at these paths. A null path
 * leaves a stream unchanged. */
int cn_process_run_redirected(const struct cn_words *words, const char *output, const char *errors);

/* Replace this process by words->at[0]. Returns only after a failure, with an exit status. */
int cn_process_exec(const struct cn_words *words);

/* Make the name of a new temporary file, which is removed when the process exits or a signal ends it. Null after a
 * message. */
const char *cn_temp_make_file_name(const char *stem, const char *suffix);

#endif
