/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: points, as the generator and the recorder know them.
 *
 * The last two live values of a point are constants that describe its other values. Byte i % 7 of word i / 7 has the
 * code of value i, or 0 after the last value; the highest byte of word 0 has the number of arguments, which are the
 * first values. In modules for reference (maker.h, `plain`) calls of random_push() with each value, and then of
 * random_record(), stand in place of a point.
 */
#ifndef CN_TEST_RANDOM_RECORDS_H
#define CN_TEST_RANDOM_RECORDS_H

enum { CN_RECORD_VALUES = 12, CN_RECORD_WORDS = 2, CN_RECORD_WORD_CODES = 7, CN_RECORD_ARGUMENTS_SHIFT = 56 };
/* Maximum number of points in a module. Ids are SEED << 16 | NUMBER; points that the recorder ignores have larger
 * numbers. */
enum { CN_RECORD_POINTS = 256, CN_RECORD_SEED_SHIFT = 16 };

enum cn_record_code {
  CN_RECORD_INTEGER = 64, /* up to this code: an integer of so many bits */
  CN_RECORD_DOUBLE,
  CN_RECORD_FLOAT,
  CN_RECORD_NUMBER,          /* the address of a number in an object, or null */
  CN_RECORD_REFERENCE,       /* the address of a reference in an object, or null */
  CN_RECORD_LOCAL_REFERENCE, /* the address of a reference in a frame */
  CN_RECORD_UNDEFINED = 128, /* added to the code of a value that the program has not defined */
};

#endif
