/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel includes. It defines setup_NAME(), which allocates what it works on, and
 * kernel_NAME(), which is timed and allocates nothing, or so little that no collection happens and
 * only the code is compared.
 *
 * Memory comes from Cairn where Cairn compiles the kernel, and otherwise from an allocator of the
 * harness that puts everything at the same offsets within its pages: the variants must not differ
 * by the luck of alignment.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <cairn/cairn.h>

#ifdef BENCH_NATIVE_MEMORY
void managed *bench_object(long bytes);
void managed *bench_indexed(long bytes);
#define bench_new(T) ((T managed *)bench_object((long)sizeof(T)))
#define bench_array(T, n) ((T managed *)bench_indexed((n) * (long)sizeof(T)))
#define bench_managed_callee(f) (f)
#ifdef CAIRN_PLAIN
#define bench_text(p) (p)
#else /* LLVM's own passes have no calls of the C library on references */
#define bench_text(p) ((const char *)(p))
#endif
#else
#define bench_new(T) cairn_new(T)
#define bench_array(T, n) cairn_new_array(T, n)
#define bench_managed_callee(f) cairn_managed_callee(f)
#define bench_text(p) (p)
#endif

#define NOINLINE __attribute__((noinline))

/* A reference that is read anew each round: keeps the optimiser from doing the work of several
 * rounds once. */
#define ANEW managed *volatile

#endif
