/* SPDX-License-Identifier: Apache-2.0
 *
 * What `cairn explain` knows about one compiled unit: its source, IR, assembly, safepoints and remarks, and the steps
 * that gather them. explain_compile() of unit.c runs the steps in the order of this file; page.h writes the page.
 *
 * Texts point into buffers of struct cn_explain, or live as long as the process.
 */
#ifndef CN_DRIVER_EXPLAIN_EXPLAIN_H
#define CN_DRIVER_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/compile.h>
#include "base/vector.h"
#include "driver/text.h"
#include "object/elf/input.h"

/* The position of an instruction. `line` belongs to the function that contains the instruction. For inlined code, `at`
 * has the position in the inlined function, and the chain of calls that leads there. */
struct cn_explain_position {
  unsigned line; /* 0 if unknown */
  unsigned at_line, at_column;
  const char *chain; /* as LLVM prints positions: "a.c:7:3 @[ a.c:15:16 ]"; null if unknown */
  bool inlined;
};

enum cn_explain_kind {
  CN_EXPLAIN_PLAIN,
  CN_EXPLAIN_POLL,       /* a safepoint that polls */
  CN_EXPLAIN_ALLOCATION, /* a safepoint in an allocation's slow path */
  CN_EXPLAIN_CALL,       /* another safepoint */
  CN_EXPLAIN_RELOCATION,
  CN_EXPLAIN_LEAF, /* a call without a safepoint */
  CN_EXPLAIN_KINDS
};
#define CN_EXPLAIN_NONE SIZE_MAX /* no index */

/* A line of IR or of assembly. */
struct cn_explain_line {
  struct cn_text text;
  struct cn_text block;    /* the label of its block; may be empty */
  struct cn_text ir_block; /* of assembly: the label of the block of IR that it was made of; may be empty */
  struct cn_explain_position position;
  enum cn_explain_kind kind;
  const char *why;   /* the reason why a call is a leaf, or null */
  size_t statepoint; /* IR: index in the unit's statepoints; assembly: index in the unit's safepoints */
};
struct cn_explain_lines {
  struct cn_explain_line *at;
  size_t count, room;
};

/* A reference that a statepoint relocates, by indices of `live`. */
struct cn_explain_pair {
  unsigned base, derived;
};

/* A statepoint of the IR. */
struct cn_explain_statepoint {
  enum cn_explain_kind kind; /* POLL, ALLOCATION or CALL */
  struct cn_text block;
  const char *why;
  size_t function; /* index */
  struct cn_explain_position position;
  CN_VECTOR(struct cn_text) live;    /* names of the operands of "gc-live" */
  CN_VECTOR(const char *) variables; /* of each of these, the source's variables, or null; empty if all are unknown */
  /* In the order of LLVM's stack map, each derived value once. */
  CN_VECTOR(struct cn_explain_pair) pairs;
  size_t safepoint; /* index of the first safepoint that the code generator made of it, or CN_EXPLAIN_NONE */
};

/* A safepoint of the machine code: a record of the stack map, with its line of assembly and its frame map. */
struct cn_explain_safepoint {
  enum cn_explain_kind kind;
  size_t function, line; /* indices of the function and of its line of assembly */
  size_t statepoint;     /* index, or CN_EXPLAIN_NONE if several statepoints fit */
  uint32_t return_offset;
  const char *frame; /* the frame map as text */
  /* The places of the derived references of the record's pairs, in its order. */
  CN_VECTOR(const char *) places;
};

struct cn_explain_function {
  const char *name; /* IR name */
  const char *file; /* of its source, or null */
  unsigned line;    /* of its definition; 0 if unknown */
  bool managed;
  struct cn_explain_lines ir, assembly;
};

/* A source file. `lines` has the texts of its lines; empty if the file is unreadable. */
struct cn_explain_source {
  const char *path;
  struct cn_input_file input;
  cn_texts lines;
};

struct cn_explain {
  const char *path;    /* of the unit, as the user wrote it */
  const char *options; /* the words for the compiler, for the page */
  bool native;         /* clang alone compiled the unit */
  bool failed;         /* the unit was refused */
  struct cairn_diagnostics diagnostics;
  struct cn_explain_source source;
  char *ir_text; /* the module as text */
  struct cn_input_file assembly_text;
  CN_VECTOR(struct cn_explain_function) functions; /* definitions, in the module's order */
  size_t last_found;                               /* by cn_explain_find_function() */
  CN_VECTOR(struct cn_explain_statepoint) statepoints;
  CN_VECTOR(struct cn_explain_safepoint) safepoints; /* in the order of the code */
};

/* ---- the steps ---- */

/* unit.c: compile the unit at `path` with the compiler options `words`, and gather all facts. Returns an exit status;
 * CN_EXIT_FAILED after messages. If Cairn refused the unit, `failed` is set and the diagnostics are in *explain; after
 * other failures, `failed` is false and there is nothing to show. */
int cn_explain_compile(struct cn_explain *explain, const char *path, char **words, int count);
void cn_explain_free(struct cn_explain *explain);

/* ir.c: take the functions, lines and statepoints of the finished module. */
void cn_explain_take_ir(struct cn_explain *explain, LLVMModuleRef module);

/* variables.c: name the variables in the statepoints of `function`, which begin at index `first`. */
void cn_explain_name_variables(struct cn_explain *explain, LLVMValueRef function, size_t first);

/* statepoint.c: take apart a statepoint, whose printed form is `text`. */
void cn_explain_take_statepoint(struct cn_explain_statepoint *statepoint, LLVMValueRef call, struct cn_text text);
/* statepoint.c: "NAME = gc.relocate(...)" for a relocation, whose printed form is `text`. */
struct cn_text cn_explain_shorten_relocation(struct cn_text text);
/* statepoint.c: "NAME = call CALLEE(ARGUMENTS)" for a statepoint. */
struct cn_text cn_explain_shorten_statepoint(struct cn_text text);

/* assembly.c: take the lines of assembly, and in *labels the lines that the records of the stack map follow, in the
 * order of the records. */
struct cn_explain_place {
  size_t function, line;
};
typedef CN_VECTOR(struct cn_explain_place) cn_explain_places;
void cn_explain_take_assembly(struct cn_explain *explain, cn_explain_places *records);

/* safepoints.c: take the safepoints of the object at `path`, which was assembled from the assembly and still has stack
 * maps. False after a message. */
bool cn_explain_take_safepoints(struct cn_explain *explain, const char *path, const cn_explain_places *records);

/* match.c: find the statepoint of each safepoint. */
void cn_explain_match(struct cn_explain *explain);

/* source.c: the index of the definition `name`, or CN_EXPLAIN_NONE. Fast if the names come in the module's order. */
size_t cn_explain_find_function(struct cn_explain *explain, struct cn_text name);

/* source.c: read a source file and split it into lines; the file may be missing. */
void cn_explain_read_source(struct cn_explain_source *source, const char *path);
void cn_explain_free_source(struct cn_explain_source *source);

#endif
