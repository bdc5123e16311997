/* SPDX-License-Identifier: Apache-2.0
 *
 * The shell of tiny. Managed C. */
#ifndef TINY_REPL_H
#define TINY_REPL_H

/* Runs inputs of the terminal until their end, in one module; returns the status of the program. */
int tiny_repl(void);

#endif
