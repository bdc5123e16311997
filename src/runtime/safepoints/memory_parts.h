/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the parts of the process's memory for CAIRN_STATS, at the peak and at the end of the program. The collector
 * reports its parts (cairn_report_memory()); the runtime adds its own, and "other" is the rest of the resident set.
 * Both functions are called on one thread at a time.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_MEMORY_PARTS_H
#define CN_RUNTIME_SAFEPOINTS_MEMORY_PARTS_H

/* Takes the parts if the resident set has grown by more than one part in 64 since they were taken. Called after each
 * collection, in phase STOP. Does nothing without CAIRN_STATS. */
void cn_memory_note_peak(void);

/* Prints the lines of CAIRN_STATS. At the end of the program; excludes stops meanwhile. */
void cn_memory_print_parts(void);

#endif
