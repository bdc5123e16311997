/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of a program that runs under `step` (step.c). Without it each is a breakpoint trap that ends the program.
 */
#ifndef STEP_H
#define STEP_H

enum {
  STEP_SELF = 0x57e90001,  /* step the calling thread from here on */
  STEP_END = 0x57e90002,   /* no longer */
  STEP_THREAD = 0x57e90003 /* step each thread that is made from here on, for all its life */
};

#define step_request(request) __asm__ volatile("int3" ::"a"(request) : "memory")

#endif
