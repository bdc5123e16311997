/* SPDX-License-Identifier: Apache-2.0
 *
 * The index over the frame maps of all images: return address to safepoint. Built at the first
 * question after an image came or went, in memory straight from the system; a frame map that cannot
 * be read ends the program.
 */
#ifndef CN_RUNTIME_FRAMES_H
#define CN_RUNTIME_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/framemap.h"

/* The safepoint that returns to `pc`. False: there is no record of it. */
bool cn_frames_find(uintptr_t pc, struct cn_safepoint *safepoint);

/* True if the call that returns to `pc` lies in a function that has frame maps. */
bool cn_frames_inside(uintptr_t pc);

#endif
