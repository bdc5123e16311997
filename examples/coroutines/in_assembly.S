/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines whose switch is called like managed code: the file of the machine.
 */
#ifdef __aarch64__
#include "in_assembly_aarch64.S"
#else
#include "in_assembly_x86_64.S"
#endif
