/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the format of a heap dump, as cairn_heap_dump() writes it and `cairn heap` reads it (docs/heap.md):
 *
 *   8 bytes   CN_DUMP_MAGIC
 *   u32       version, little-endian
 *   u32       0
 *   records   a byte of enum cn_dump_record each, then the values that its comment lists
 *
 * A number is in LEB128: seven bits per byte, low bits first, with the high bit set in all bytes except the last. A
 * difference is a number whose low bit is the sign, so that 0, -1, 1, -2 are encoded as 0, 1, 2, 3. A text is its
 * length and its bytes. An address is the address of a payload divided by 8. Types and places are numbered from 0 in
 * the order of their records.
 */
#ifndef CN_DUMP_FORMAT_H
#define CN_DUMP_FORMAT_H

#define CN_DUMP_MAGIC "\211CNHEAP\n"
enum { CN_DUMP_VERSION = 1, CN_DUMP_HEADER_BYTES = 16, CN_DUMP_UNIT_BYTES = 8 };

enum cn_dump_record {
  /* Texts: program, collector; numbers: past collections, maximum bytes of the heap. The first record, once. */
  CN_DUMP_RECORD_INFO = 1,
  /* Text: name. Number of fields of the fixed part; for each field, its offset in bytes, plus 1 if the reference is
   * weak, and its name as text. Then the element's size, the bytes before the first element, and the fields of an
   * element in the same form. */
  CN_DUMP_RECORD_TYPE,
  /* Numbers: type; distance from the address of the previous object; size with header; count of non-null references.
   * For each reference: difference between its place and the previous place (0 for the first), in units of 8 bytes from
   * the payload; difference between its target's address and the object's address. Addresses ascend. */
  CN_DUMP_RECORD_OBJECT,
  CN_DUMP_RECORD_PLACE, /* text: the name of a root */
  /* Numbers: enum cn_dump_root_kind, place, and the root's value, which is an address in bytes at the start, inside or
   * just past the end of an object. */
  CN_DUMP_RECORD_ROOT,
  CN_DUMP_RECORD_END /* counts of objects, references and roots; the last record */
};

enum cn_dump_root_kind { CN_DUMP_ROOT_STACK, CN_DUMP_ROOT_GLOBAL, CN_DUMP_ROOT_HANDLE, CN_DUMP_ROOT_KINDS };

#endif
