/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the format of a heap dump, as cairn_heap_dump() writes it and `cairn heap` reads it (docs/heap.md):
 *
 *   8 bytes   CN_DUMP_MAGIC
 *   u32       version, little-endian
 *   u32       0
 *   records   a byte of enum cn_dump_record each, then the values that its comment lists
 *
 * A number is in LEB128: seven bits per byte, the low ones first, the high bit set in all bytes except the last. A
 * difference is a number, too, whose low bit is the sign: 0, -1, 1, -2 are 0, 1, 2, 3. A text is its length and its
 * bytes. Addresses are those of payloads; all are multiples of 8, and divided by that. Types and places have numbers in
 * the order of their records, from 0.
 */
#ifndef CN_DUMP_FORMAT_H
#define CN_DUMP_FORMAT_H

#define CN_DUMP_MAGIC "\211CNHEAP\n"
enum { CN_DUMP_VERSION = 1, CN_DUMP_HEADER_BYTES = 16, CN_DUMP_UNIT_BYTES = 8 };

enum cn_dump_record {
  /* Texts: program, collector; numbers: collections so far, the most bytes of the heap. Once, and first. */
  CN_DUMP_RECORD_INFO = 1,
  /* Text: name; number of fields of the fixed part; each: offset in bytes, plus 1 if the reference is weak, and its
   * name as text. The same of each element, after the bytes from element to element and those before the first. */
  CN_DUMP_RECORD_TYPE,
  /* Numbers: type; distance from the address of the object before; size with header; count of non-null references. For
   * each reference: difference of its place to the place before (for the first, to 0), in units of 8 bytes from the
   * payload; difference of its target to the object. Addresses ascend. */
  CN_DUMP_RECORD_OBJECT,
  CN_DUMP_RECORD_PLACE, /* text: the name of a root */
  /* Numbers: enum cn_dump_root_kind, place, address of the object that the root points to, or an address in that object
   * or just past it, in bytes. */
  CN_DUMP_RECORD_ROOT,
  CN_DUMP_RECORD_END /* numbers: of objects, of references, of roots; the dump ends here */
};

enum cn_dump_root_kind { CN_DUMP_ROOT_STACK, CN_DUMP_ROOT_GLOBAL, CN_DUMP_ROOT_HANDLE, CN_DUMP_ROOT_KINDS };

#endif
