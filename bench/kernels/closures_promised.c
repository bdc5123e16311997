/* SPDX-License-Identifier: Apache-2.0
 *
 * The same closures, with the promise at the call that all code they have is managed.
 */
#include "../programs/kernel.h"

#define callee_of(f) bench_managed_callee(f)
#define setup_closures setup_closures_promised
#define kernel_closures kernel_closures_promised
#include "closures.c"
