/* SPDX-License-Identifier: Apache-2.0
 *
 * The analyses as text: one line per fact, with equal text in each execution. Private to src/compile/print.
 */
#ifndef CN_COMPILE_PRINT_PRINT_H
#define CN_COMPILE_PRINT_PRINT_H

#include <stdio.h>
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* Print the facts of `function` after a title. */
typedef void cn_function_printer(struct cn_ctx *ctx, LLVMValueRef function, FILE *out);
cn_function_printer cn_print_cfg;       /* print_blocks.c */
cn_function_printer cn_print_loops;     /* print_blocks.c */
cn_function_printer cn_print_frequency; /* print_blocks.c */
cn_function_printer cn_print_calls;     /* print_calls.c */
cn_function_printer cn_print_cost;      /* print_cost.c */
cn_function_printer cn_print_paths;     /* print_cost.c */
cn_function_printer cn_print_polls;     /* print_cost.c */
cn_function_printer cn_print_allocas;   /* print_memory.c */
cn_function_printer cn_print_promises;  /* print_memory.c */

/* Print the facts of ctx->module, with the title. */
typedef void cn_module_printer(struct cn_ctx *ctx, FILE *out);
cn_module_printer cn_print_callgraph; /* print_calls.c */
cn_module_printer cn_print_managed;   /* print_calls.c */
cn_module_printer cn_print_layouts;   /* print_memory.c */

/* Print "%name", or "#N" for an unnamed block. */
void cn_print_block_name(const struct cn_cfg *cfg, uint32_t b, FILE *out);

/* Print ", `what` N", with "unknown" for CN_WORK_UNKNOWN. */
void cn_print_work(const char *what, uint64_t work, FILE *out);

#endif
