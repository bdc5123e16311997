/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipeline for callers that dispose of their module afterwards. Private to src.
 */
#ifndef CN_COMPILE_PIPELINE_H
#define CN_COMPILE_PIPELINE_H

#include <cairn/compile.h>

/* Runs the pipeline like cairn_compile_pipeline(), but on `module` itself instead of a copy. The caller still owns
 * `module`, and may only dispose of it. */
enum cairn_status cn_pipeline_run_consuming(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            const struct cairn_compile_options *options, LLVMModuleRef *result);

#endif
