/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises UTF-8 in bytes of unknown origin.
 */
#ifndef CN_BASE_UTF8_H
#define CN_BASE_UTF8_H

#include <stddef.h>

/* The length of the UTF-8 sequence at the start of `size` bytes (RFC 3629, section 4), or 0 if the sequence is
 * malformed, is longer than `size`, or is the byte 0. */
unsigned cn_utf8_sequence_length(const unsigned char *bytes, size_t size);

#endif
