/* SPDX-License-Identifier: Apache-2.0
 *
 * The features that a processor must have for this machine's code.
 */
#ifndef CN_JIT_PROCESSOR_X86_64_H
#define CN_JIT_PROCESSOR_X86_64_H

#define CN_JIT_NEEDED_FEATURES "+64bit"

#endif
