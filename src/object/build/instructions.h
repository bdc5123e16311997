/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises the instructions before a return address; instructions_PORT.c is the implementation. Private to
 * src/object.
 */
#ifndef CN_OBJECT_BUILD_INSTRUCTIONS_H
#define CN_OBJECT_BUILD_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "framemap/port.h"

/* A port's instructions. The functions only read bytes in [start, end). */
struct cn_instructions {
  const struct cn_frame_port *port;

  /* True if shadows need a fence each, because LLVM may end them beyond their blocks. */
  bool fences_shadows;

  /* The length of the call that ends at `end`, in code that begins at `start`. 0 if no call ends at `end`. */
  unsigned (*call_length)(const unsigned char *start, const unsigned char *end);

  /* The length of the no-op that ends at `end`. 0 if no no-op ends at `end`. Patchable statepoints
   * ("statepoint-num-patch-bytes") end in a no-op. */
  unsigned (*nop_length)(const unsigned char *start, const unsigned char *end);

  /* True if [start, end) consists of no-ops of the forms that LLVM emits. */
  bool (*is_nops)(const unsigned char *start, const unsigned char *end);

  /* The length of the call of a patchpoint's target at `start`, in the form that LLVM emits. 0 if code of another form
   * is there. */
  unsigned (*target_call_length)(const unsigned char *start, const unsigned char *end);

  /* The reason why stack maps do not tell the frame of the function with code [start, end), or null. */
  const char *(*frame_refusal)(const unsigned char *start, const unsigned char *end);
};

extern const struct cn_instructions cn_instructions_x86_64, cn_instructions_aarch64;

/* The instructions of a port. */
const struct cn_instructions *cn_instructions_of(const struct cn_frame_port *port);

#endif
