/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of any length up to a limit, read by vectors of 32 bytes (texts_wide.c), for processors with AVX2. The results
 * are those of the functions in texts.c with the same names. Any thread, phase MUTATE.
 */
#ifndef CN_RUNTIME_ARCH_X86_64_TEXTS_H
#define CN_RUNTIME_ARCH_X86_64_TEXTS_H

#include <stddef.h>
#include <stdint.h>

size_t cn_text_length_wide(const char *text, size_t limit);
int64_t cn_text_compare_wide(const char *a, const char *b, size_t limit);
size_t cn_text_find_wide(const char *text, int c, size_t limit);

#endif
