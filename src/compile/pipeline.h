/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipeline for those who have no more use for the module that they give to it.
 */
#ifndef CN_COMPILE_PIPELINE_H
#define CN_COMPILE_PIPELINE_H

#include <cairn/compile.h>

/* Do what cairn_compile_pipeline() does without a copy of the module first: `module`, which stays
 * the caller's, is to be disposed of afterwards, and nothing else. */
enum cairn_status cn_pipeline_take(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const struct cairn_compile_options *options,
                                   LLVMModuleRef *result);

#endif
