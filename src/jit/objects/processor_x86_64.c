/* SPDX-License-Identifier: Apache-2.0
 *
 * The features that a processor of x86-64 must have.
 */
#include "jit/objects/processor.h"

const char cn_jit_needed_features[] = "+64bit";
