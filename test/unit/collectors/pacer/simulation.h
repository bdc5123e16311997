/* SPDX-License-Identifier: Apache-2.0
 *
 * A simulation of programs under the generational collector, in virtual time. The pacer (pacer.c of the collector) is
 * real; the program, the tracer, the marker and the memory are numbers: bytes that survive, picoseconds for each byte.
 * The order of calls is that of generational.c.
 */
#ifndef UNIT_COLLECTORS_PACER_SIMULATION_H
#define UNIT_COLLECTORS_PACER_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MIB = 1 << 20, MILLISECOND = 1000 * 1000 };

/* A program and its machine. */
struct program {
  size_t alive;        /* bytes of old objects that the program keeps; others of them die */
  size_t newest;       /* bytes of the newest objects, which are reachable at any time */
  size_t survival;     /* thousandths of the older bytes of a nursery that are reachable */
  size_t large;        /* thousandths of all allocated bytes in large objects */
  uint64_t allocation; /* picoseconds of the program for a byte that it allocates */
  uint64_t copy, walk; /* picoseconds to copy a byte; to promote a byte of the nursery in place */
  uint64_t mark;       /* picoseconds to mark a byte */
  uint64_t scan;       /* nanoseconds to scan the cards of 1 MiB of old objects */
  uint64_t roots;      /* nanoseconds to visit the roots */
  uint64_t visits;     /* nanoseconds of other visits, whatever the nursery has */
  uint64_t card;       /* nanoseconds to visit a dirty card */
  size_t dirty;        /* cards that become dirty for each MiB of allocation */
  size_t marker;       /* thousandths of the program's time in which the marker has a processor */
  size_t addresses;    /* free bytes in a row where the nursery can move */
  size_t groups;       /* of sparse blocks that a marking leaves */
  size_t slowness;     /* the collector takes this multiple of all times, as on a busy machine */
};

/* The course of a part of a run. */
struct course {
  size_t collections, whole, rest, markings, full; /* numbers, also of nurseries promoted in whole and in part */
  uint64_t time, paused, longest;                  /* nanoseconds */
  size_t beyond;                                   /* pauses that exceeded the goal by an eighth or more */
  size_t least_nursery;                            /* bytes */
  size_t peak;                                     /* bytes of old objects and nursery */
  size_t garbage;                                  /* bytes of garbage that were promoted */
  size_t allocated;                                /* bytes of all nurseries */
  size_t failed;                                   /* pauses that marked, and did not end the marking */
};

/* Begins a run without old objects. A goal of 0 nanoseconds is none. */
void start_simulation(uint64_t goal, size_t heap_max);

/* Runs the program for so many collections. */
struct course simulate(const struct program *program, size_t collections);

/* ---- of the simulated collection, in place of the runtime's and the collector's ---- */

uint64_t simulated_time(void);
uint64_t simulated_scan_time(void);
bool is_simulation_evacuating(void);

#endif
