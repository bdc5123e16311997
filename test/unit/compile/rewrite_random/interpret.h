/* SPDX-License-Identifier: Apache-2.0
 *
 * An interpreter of what generate.h makes, in which every statepoint moves every object: a
 * reference knows the time at which it was right.
 */
#ifndef CN_TEST_INTERPRET_H
#define CN_TEST_INTERPRET_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include "base/ptrmap.h"
#include "base/vector.h"

enum { OBJECTS = 4096, TRACE = 4096, CELLS = 1024 };

struct scalar {
  bool is_ref;
  uint32_t object; /* of a reference; 0: null */
  uint64_t number; /* of an integer; the offset of a reference */
  uint64_t time;   /* when the reference was right */
};
struct value {
  struct scalar part[2]; /* two for pairs and vectors */
};

struct machine {
  struct cn_ptrmap slots; /* LLVMValueRef -> index of `values` */
  CN_VECTOR(struct value) values;
  uint64_t time, flags, invokes;
  uint32_t objects;
  uint32_t fixed; /* the object that never moves; 0: none */
  struct scalar heap[OBJECTS];
  struct scalar local[CELLS]; /* of all allocas, one after the other */
  uint64_t cells;
  uint64_t trace[TRACE];
  unsigned trace_count;
  const char *wrong;
  bool stopped; /* after so many blocks; the rewriter adds some on edges of invokes */
  bool unknown; /* an instruction that the interpreter does not have: the run ends */
};

/* Run `f` of the module until it ends, is wrong, or has gone on long enough. */
struct machine *cn_interpret(LLVMModuleRef module);
void cn_interpret_free(struct machine *m);

#endif
