/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: arrays, sorted, searched, sliced and grown.
 *
 *   static int by_age(const person_ref managed *a, const person_ref managed *b) { return (*a)->age - (*b)->age; }
 *
 *   cairn_sort(people, cairn_length(people), by_age);
 *   person_ref managed *oldest = cairn_array_slice(people, count - 10, 10);
 *
 *   CAIRN_VECTOR(people, person_ref);
 *   struct people managed *guests = cairn_new(struct people);
 *   cairn_push(guests, person);
 *
 * The elements may have any type, with references or without. The macros evaluate each argument once. They are for
 * functions, on any thread; threads that share an array must take turns. An index outside of a vector and a vector
 * without elements end the program, with one line on stderr and exit status 1.
 *
 * Slices and copies: cairn_copy() copies elements between arrays, and memmove() within one, references included:
 *   memmove(&a[i + 1], &a[i], (n - i) * sizeof a[0]);
 */
#ifndef CAIRN_ARRAY_H
#define CAIRN_ARRAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

/* The type of the elements of `array`, without qualifiers. */
#ifdef CAIRN_PLAIN
#define CAIRN_ELEMENT_(array) __typeof__(*(array))
#else
#define CAIRN_ELEMENT_(array) __typeof_unqual__(*(array))
#endif

/* cairn_sort(array, n, compare): sorts n elements like qsort(), and keeps the order of equal elements. `array` is an
 * array or points to an element. compare(a, b) gets the addresses of two elements, as references, and may allocate and
 * collect; the compiler can inline it. A merge sort with n log n comparisons, which allocates a second array. */
#define cairn_sort(array, n, compare) \
  __extension__({ \
    __typeof__(&(array)[0]) cairn_sorted_ = (array); \
    long cairn_count_ = (long)(n); \
    __typeof__(&(array)[0]) cairn_second_ = \
        cairn_new_array(CAIRN_ELEMENT_(array), cairn_count_ < 1 ? 1 : cairn_count_); \
    __typeof__(&(array)[0]) cairn_from_ = cairn_sorted_, cairn_to_ = cairn_second_, cairn_swap_; \
    CAIRN_SORT_RUNS_(cairn_from_, cairn_to_, cairn_count_, compare); \
    for (long cairn_run_ = CAIRN_SORT_RUN_; cairn_run_ < cairn_count_; cairn_run_ *= 2) { \
      for (long cairn_start_ = 0; cairn_start_ < cairn_count_; cairn_start_ += 2 * cairn_run_) \
        CAIRN_SORT_MERGE_(cairn_from_, cairn_to_, cairn_start_, cairn_run_, cairn_count_, compare); \
      cairn_swap_ = cairn_from_; \
      cairn_from_ = cairn_to_; \
      cairn_to_ = cairn_swap_; \
    } \
    if (cairn_from_ != cairn_sorted_) \
      cairn_copy(cairn_sorted_, cairn_from_, (size_t)cairn_count_ * sizeof *cairn_from_); \
    (void)0; \
  })

/* cairn_search(key, array, n, compare): the first of n sorted elements for which compare(key, element) is 0, like
 * bsearch(), as a reference into the array; null if there is no such element. */
#define cairn_search(key, array, n, compare) \
  __extension__({ \
    __auto_type cairn_key_ = (key); \
    __typeof__(&(array)[0]) cairn_found_ = (array); \
    long cairn_low_ = 0, cairn_count_ = (long)(n), cairn_high_ = cairn_count_; \
    while (cairn_low_ < cairn_high_) { \
      long cairn_middle_ = cairn_low_ + (cairn_high_ - cairn_low_) / 2; \
      if (compare(cairn_key_, &cairn_found_[cairn_middle_]) > 0) \
        cairn_low_ = cairn_middle_ + 1; \
      else \
        cairn_high_ = cairn_middle_; \
    } \
    if (cairn_low_ == cairn_count_ || compare(cairn_key_, &cairn_found_[cairn_low_]) != 0) \
      cairn_found_ = NULL; \
    cairn_found_ ? &cairn_found_[cairn_low_] : NULL; \
  })

/* cairn_array_slice(array, from, n): a new array, a copy of the n elements of `array` from index `from` on. */
#define cairn_array_slice(array, from, n) \
  __extension__({ \
    __typeof__(&(array)[0]) cairn_source_ = (array); \
    long cairn_first_ = (long)(from), cairn_count_ = (long)(n); \
    __auto_type cairn_slice_ = cairn_new_array(CAIRN_ELEMENT_(array), cairn_count_); \
    cairn_copy(cairn_slice_, &cairn_source_[cairn_first_], (size_t)cairn_count_ * sizeof *cairn_source_); \
    cairn_slice_; \
  })

/* ---- vectors ---- */

/* CAIRN_VECTOR(name, T): defines struct name, an array of elements T that grows at its end. v->at[0] to
 * v->at[v->length - 1] are the elements; `at` is null in a new vector. A vector is an object, a member of an object, or
 * a local; a zeroed vector is empty. `v` is a pointer to it, managed or not. */
#define CAIRN_VECTOR(name, T) \
  struct name { \
    CAIRN_OBJECT_(T) cairn_managed *at; \
    long length; \
  }

/* cairn_push(v, item): appends an item; returns nothing. cairn_pop(v): removes the last element and returns it.
 * cairn_insert(v, index, item): puts the item before the element at `index`, or at the end if `index` is the length.
 * cairn_remove(v, index): removes the element at `index`. cairn_reserve(v, n): makes room for n further elements. The
 * functions convert an item to the element's type. Arrays double, so a push takes constant time on average. */
#define cairn_push(vector, item) \
  __extension__({ \
    __auto_type cairn_vector_ = (vector); \
    CAIRN_ITEM_(cairn_vector_) cairn_item_ = (item); \
    cairn_reserve(cairn_vector_, 1); \
    cairn_vector_->at[cairn_vector_->length++] = cairn_item_; \
    (void)0; \
  })

#define cairn_pop(vector) \
  __extension__({ \
    __auto_type cairn_vector_ = (vector); \
    cairn_vector_check_("cairn_pop", 0, cairn_vector_->length); \
    CAIRN_ITEM_(cairn_vector_) cairn_item_ = cairn_vector_->at[cairn_vector_->length - 1]; \
    cairn_vector_shorten_(cairn_vector_); \
    cairn_item_; \
  })

#define cairn_insert(vector, index, item) \
  __extension__({ \
    __auto_type cairn_vector_ = (vector); \
    long cairn_index_ = (long)(index); \
    CAIRN_ITEM_(cairn_vector_) cairn_item_ = (item); \
    cairn_vector_check_("cairn_insert", cairn_index_, cairn_vector_->length + 1); \
    cairn_reserve(cairn_vector_, 1); \
    memmove(&cairn_vector_->at[cairn_index_ + 1], &cairn_vector_->at[cairn_index_], \
            (size_t)(cairn_vector_->length - cairn_index_) * sizeof *cairn_vector_->at); \
    cairn_vector_->at[cairn_index_] = cairn_item_; \
    cairn_vector_->length++; \
    (void)0; \
  })

#define cairn_remove(vector, index) \
  __extension__({ \
    __auto_type cairn_vector_ = (vector); \
    long cairn_index_ = (long)(index); \
    cairn_vector_check_("cairn_remove", cairn_index_, cairn_vector_->length); \
    memmove(&cairn_vector_->at[cairn_index_], &cairn_vector_->at[cairn_index_ + 1], \
            (size_t)(cairn_vector_->length - cairn_index_ - 1) * sizeof *cairn_vector_->at); \
    cairn_vector_shorten_(cairn_vector_); \
  })

#define cairn_reserve(vector, n) \
  __extension__({ \
    __auto_type cairn_reserved_ = (vector); \
    long cairn_room_ = cairn_reserved_->at ? cairn_length(cairn_reserved_->at) : 0; \
    long cairn_needed_ = cairn_reserved_->length + (long)(n); \
    if (__builtin_expect(cairn_needed_ > cairn_room_, 0)) \
      cairn_reserved_->at = cairn_resize_array(cairn_reserved_->at, \
                                               cairn_needed_ > 2 * cairn_room_ ? cairn_needed_ + 3 : 2 * cairn_room_); \
    (void)0; \
  })

/* ---- implementation ---- */

#define CAIRN_SORT_RUN_ 8

/* Sorts runs of CAIRN_SORT_RUN_ elements by insertion. The first element of the other array is the item in transit. */
#define CAIRN_SORT_RUNS_(a, item, n, compare) \
  for (long cairn_at_ = 1; cairn_at_ < n; cairn_at_++) { \
    long cairn_hole_ = cairn_at_, cairn_start_ = cairn_at_ & -CAIRN_SORT_RUN_; \
    item[0] = a[cairn_at_]; \
    for (; cairn_hole_ > cairn_start_ && compare(&a[cairn_hole_ - 1], &item[0]) > 0; cairn_hole_--) \
      a[cairn_hole_] = a[cairn_hole_ - 1]; \
    a[cairn_hole_] = item[0]; \
  }

/* Merges the runs at start and start + run. */
#define CAIRN_SORT_MERGE_(from, to, start, run, n, compare) \
  do { \
    long cairn_left_ = start, cairn_middle_ = start + run < n ? start + run : n; \
    long cairn_right_ = cairn_middle_, cairn_end_ = n - cairn_middle_ < run ? n : cairn_middle_ + run; \
    for (long cairn_at_ = start; cairn_at_ < cairn_end_; cairn_at_++) \
      if (cairn_right_ == cairn_end_ || \
          (cairn_left_ < cairn_middle_ && compare(&from[cairn_left_], &from[cairn_right_]) <= 0)) \
        to[cairn_at_] = from[cairn_left_++]; \
      else \
        to[cairn_at_] = from[cairn_right_++]; \
  } while (0)

/* The type of an item: that of an element as a value, which has no qualifiers. */
#define CAIRN_ITEM_(vector) __typeof__(((void)0, (vector)->at[0]))

/* Drops the last place, which must not keep an object alive. */
#define cairn_vector_shorten_(vector) ((void)memset(&(vector)->at[--(vector)->length], 0, sizeof *(vector)->at))

static inline void cairn_vector_check_(const char *function, long index, long length)
{
  if (__builtin_expect(index < 0 || index >= length, 0)) {
    fprintf(stderr, "cairn: %s: index %ld of %ld\n", function, index, length);
    exit(1);
  }
}

#endif
