/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled code of another language, with frames of its own: the file of the machine.
 */
#ifdef __aarch64__
#include "language_aarch64.S"
#else
#include "language_x86_64.S"
#endif
