/* SPDX-License-Identifier: Apache-2.0
 *
 * The features that a processor of AArch64 must have: the runtime moves vector registers.
 */
#include "jit/objects/processor.h"

const char cn_jit_needed_features[] = "+neon";
