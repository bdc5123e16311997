/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is migrated: all its units and files, its types, and the places that the migration may change. One
 * thread; the program owns everything that its functions return, until cn_program_free().
 */
#ifndef CN_MIGRATE_PROGRAM_H
#define CN_MIGRATE_PROGRAM_H

#include <clang-c/Index.h>
#include "base/ptrmap.h"
#include "migrate/classes.h"
#include "migrate/source.h"

enum cn_type_kind { CN_TYPE_SCALAR, CN_TYPE_VOID, CN_TYPE_POINTER, CN_TYPE_ARRAY, CN_TYPE_FUNCTION, CN_TYPE_RECORD };

/* A type with its pointers, each of which is a node of the classes. Types are trees: a record has its own table. */
struct cn_type {
  enum cn_type_kind kind;
  uint32_t pointer;   /* of a pointer */
  struct cn_type *to; /* the target, the element or the result */
  struct cn_type **parameters;
  size_t count;
  bool variadic;
  bool character;
  struct cn_record *record;
  char *name; /* as C writes the type; null for a type without a name */
};

struct cn_record {
  char *tag; /* "struct node"; null without a tag */
  CN_VECTOR(struct cn_type *) fields;
  CN_VECTOR(struct cn_union *) unions; /* that are defined in the record */
  bool complete;
  bool managed, ordinary; /* decided: objects of the heap are references, and ordinary memory */
};

/* A declaration in a union. */
struct cn_union_part {
  uint32_t begin, end; /* tokens: the first, and the semicolon */
  bool leaves;         /* a struct */
};

/* A pointer in a union. */
struct cn_union_member {
  uint32_t pointer;
  struct cn_position position;
  char *name;
  bool direct; /* a member of the union, and not of a struct in it */
};

/* A union in a struct. */
struct cn_union {
  struct cn_position position; /* of the word `union` */
  uint32_t open, close;        /* tokens: the braces */
  bool named;                  /* a member with a name has the union as its type */
  bool numbers;                /* members that are no pointers */
  bool fixed;                  /* cannot be edited, or a use needs an ordinary union */
  CN_VECTOR(struct cn_union_part) parts;
  CN_VECTOR(struct cn_union_member) members;
};

/* The declarators of one declaration, which share its specifiers. */
struct cn_declarator_entry {
  uint32_t begin;   /* token: the first of the declarator */
  uint32_t name;    /* offset: the declared name */
  uint32_t pointer; /* the pointer that the first token makes; 0 for an object */
};

struct cn_group {
  uint32_t file, begin; /* token: the first of the declaration */
  CN_VECTOR(struct cn_declarator_entry) entries;
};

/* A name that typedef gives a record. */
struct cn_typedef {
  struct cn_position position; /* of the name in its typedef */
  struct cn_record *record;
  char *name;
  bool managed; /* decided: the typedef gets the qualifier */
};

/* A file that needs a header if the pointer becomes managed. */
struct cn_need {
  uint32_t file, pointer;
  bool array; /* <cairn/array.h>; otherwise <cairn/string.h> */
};

enum cn_use_form { CN_USE_VALUE, CN_USE_MEMBER, CN_USE_ADDRESS };

/* A use of a variable: the name, the `.` after it, or the `&` before it. */
struct cn_variable_use {
  enum cn_use_form form;
  uint32_t begin, end; /* offsets */
};

/* A struct or a pointer on the stack, which may become an object of the heap; or a variable outside of functions or a
 * static one, which may become a static object. */
struct cn_variable {
  struct cn_position position; /* of the name */
  char *name;
  struct cn_type *type;
  uint32_t name_end;          /* offset */
  struct cn_name *linked;     /* of a static object; null for a variable on the stack */
  uint32_t pointer;           /* to a variable on the stack; 0 until its address is taken */
  struct cn_position address; /* the place that first takes the address */
  bool fixed;                 /* a use has no text in the file */
  bool initialised;
  bool list;            /* the initialiser has braces */
  uint32_t value_begin; /* offset: the initialiser */
  CN_VECTOR(struct cn_variable_use) uses;
};

enum cn_allocation_form {
  CN_ALLOCATE_ONE,
  CN_ALLOCATE_ARRAY,
  CN_ALLOCATE_FLEXIBLE,
  CN_ALLOCATE_RESIZED,
  CN_ALLOCATE_TEXT /* strdup(), strndup() */
};

/* A call of malloc() or a function like it. */
struct cn_allocation {
  enum cn_allocation_form form;
  struct cn_position position;
  uint32_t begin, end; /* offsets: the call with its cast */
  uint32_t pointer;
  struct cn_type *element;
  char *other;   /* the text of another element type, which the result is cast from; may be null */
  char *count;   /* the text of the number of elements; may be null */
  char *array;   /* the text of the array that gets another length, or of the text that is copied */
  uint32_t from; /* the pointer to the text that is copied */
  char *member;  /* the flexible member */
  bool rewritable;
};

enum cn_free_form {
  CN_FREE_STATEMENT,
  CN_FREE_BRANCH,
  CN_FREE_EXPRESSION,
  CN_FREE_EVALUATED /* the argument has effects */
};

struct cn_free_call {
  enum cn_free_form form;
  struct cn_position position;
  uint32_t begin, end; /* offsets: the statement, its condition included; or the call */
  uint32_t pointer;
  /* Of a call through a pointer to a function, which frees if free() is among the functions; otherwise 0 and null. */
  uint32_t function;
  struct cn_type *parameter, *argument;
};

/* A call of qsort(). */
struct cn_sort_call {
  struct cn_position position;
  uint32_t begin, end;
  struct cn_type *base;
  char *text; /* of the call that replaces it */
};

/* An edit that is made if one of the pointers becomes managed. */
struct cn_conditional_edit {
  const uint32_t *pointers;
  size_t count;
  struct cn_position position;
  uint32_t end;
  char *text;
};

enum cn_flow_kind {
  CN_FLOW_VARIABLE, /* to a variable of a function */
  CN_FLOW_MEMORY,   /* to another place */
  CN_FLOW_CALL      /* an argument or a result */
};

struct cn_flow {
  uint32_t from, to; /* pointers; from is 0 for an advance, such as p++ */
  enum cn_flow_kind kind;
  struct cn_position position;
  uint32_t end;  /* offset after the expression; 0 for a call */
  uint32_t loop; /* offset + 1 of the outermost loop; 0 outside */
  bool inside;   /* the value may point behind the start of an object */
  uint32_t next; /* index + 1 of the next one with the same target */
};

/* A place where a person must decide, beside the reasons of the classes. */
struct cn_note {
  struct cn_position position;
  uint32_t pointer; /* 0: always; otherwise the note counts if the pointer becomes managed */
  const char *text;
  const char *choices;
};

struct cn_file {
  char *path;
  struct cn_source *source; /* null for a file that stays as it is */
  bool system;
  CN_VECTOR(uint32_t) includes; /* the files that this file includes */
  bool needs_text, needs_array; /* <cairn/string.h>, <cairn/array.h> */
};

/* A name with linkage, in all units. */
struct cn_name {
  char *usr;
  struct cn_type *type;
  bool defined;
  const struct cn_callee *callee; /* of an allocator of the program */
  uint32_t storage;               /* of a variable: the pointer to it; 0 until its address is taken */
  struct cn_position address;     /* the place that first takes the address */
};

struct cn_migrate_options {
  bool strings, prefer, list, in_place;
  const char *include; /* the folder of Cairn's headers */
};

struct cn_program {
  struct cn_migrate_options options;
  struct cn_classes classes;
  CN_VECTOR(struct cn_file) files; /* number 0 is unused */
  CN_VECTOR(CXTranslationUnit) units;
  CN_VECTOR(struct cn_allocation) allocations;
  CN_VECTOR(struct cn_free_call) frees;
  CN_VECTOR(struct cn_sort_call) sorts;
  CN_VECTOR(struct cn_note) notes;
  CN_VECTOR(struct cn_flow) flows;
  CN_VECTOR(struct cn_conditional_edit) conditional;
  CN_VECTOR(struct cn_group) groups;
  CN_VECTOR(struct cn_typedef) typedefs;
  CN_VECTOR(struct cn_need) needs;
  CN_VECTOR(struct cn_variable) variables;
  CN_VECTOR(struct cn_record *) all_records;
  CN_VECTOR(struct cn_union *) unions;
  CN_VECTOR(void *) memory;
  struct cn_ptrmap file_numbers;     /* by CXFile */
  struct cn_ptrmap declared;         /* by position: struct cn_type * */
  struct cn_ptrmap records;          /* by position: struct cn_record * */
  struct cn_ptrmap places;           /* by position: a pointer */
  struct cn_ptrmap group_numbers;    /* by position: an index + 1 */
  struct cn_ptrmap suppressed;       /* by position: stars that share the qualifier before them */
  struct cn_ptrmap variable_numbers; /* by position: an index */
  struct cn_ptrmap union_numbers;    /* by position: struct cn_union * */
  struct cn_ptrmap calls;            /* by position: calls that are known already */
  struct cn_position statement;      /* the start of the declaration that is walked; file 0 outside */
  void *names;                       /* a tree of tsearch(): struct cn_name */
  void *variable_names;              /* a tree of tsearch(): strings */
};

/* Zeroed memory that the program owns. */
void *cn_program_alloc(struct cn_program *program, size_t bytes);
/* Makes the program the owner of a string. */
char *cn_program_keep(struct cn_program *program, char *string);
void cn_program_free(struct cn_program *program);

/* The key of a position in a map. */
static inline const void *cn_position_key(struct cn_position position)
{
  return (const void *)(((uintptr_t)position.file + 1) << 32 | position.at);
}

/* The position of a location, in the file that contains it, or the place where its macro is expanded. True if the text
 * may be edited: it lies in a file of the program, outside of the bodies of macros. */
bool cn_program_locate(struct cn_program *program, CXSourceLocation location, struct cn_position *position);
/* The offsets of a cursor's text. False if an end may not be edited, or the ends are in different files. */
bool cn_program_extent(struct cn_program *program, CXCursor cursor, struct cn_position *begin, uint32_t *end);
/* A copy of a cursor's text, or null. */
char *cn_program_text_of(struct cn_program *program, CXCursor cursor);
/* The source of a file of the program, or null. */
struct cn_source *cn_program_source(const struct cn_program *program, uint32_t file);
bool cn_program_is_system(struct cn_program *program, CXCursor cursor);
/* True for a cursor in Cairn's own headers. */
bool cn_program_is_cairn(struct cn_program *program, CXCursor cursor);

/* The entry of the name with linkage that the cursor declares; added if it is absent. */
struct cn_name *cn_program_name(struct cn_program *program, CXCursor cursor);
/* A copy of the cursor's name, which the caller frees. */
char *cn_cursor_name(CXCursor cursor);
bool cn_cursor_is_named(CXCursor cursor, const char *name);

struct cn_cursors {
  CXCursor *at;
  size_t count, room;
};
/* The target of a pointer type, also of a typedef of one. */
CXType cn_cursor_pointee(CXCursor expression);
/* Like clang_getUnqualifiedType(), which refuses invalid types. */
CXType cn_unqualified(CXType type);
/* The children of a cursor. The caller frees them with cn_free(). */
struct cn_cursors cn_cursor_children(CXCursor cursor);

struct cn_counts {
  size_t pointers, allocations, frees, places, lines, changed;
};
/* ---- types.c ---- */

extern struct cn_type cn_type_scalar;

/* The type of a variable, a parameter, a member, a function or a typedef. */
struct cn_type *cn_type_declared(struct cn_program *program, CXCursor declaration);
/* A type as an expression has it: without places. */
struct cn_type *cn_type_of_expression(struct cn_program *program, CXType type);
/* The type that a cast or a compound literal writes in parentheses at its start. */
struct cn_type *cn_type_written(struct cn_program *program, CXCursor cast);
struct cn_type *cn_type_pointer(struct cn_program *program, uint32_t pointer, struct cn_type *to);
/* A pointer to a known object outside of the heap. */
struct cn_type *cn_type_pointer_held(struct cn_program *program, struct cn_type *to, struct cn_held what);
/* Makes the pointers of both types equal. */
void cn_type_unify(struct cn_program *program, struct cn_type *a, struct cn_type *b);
/* Holds all pointers of a type. */
void cn_type_hold(struct cn_program *program, struct cn_type *type, enum cn_reason reason, struct cn_position position,
                  const char *name);
/* True if a variable of the program has the name, which may hide a typedef. */
bool cn_type_is_hidden(const struct cn_program *program, const char *name);
/* The type of a pointer's target, also if the pointer is a void pointer; or null. */
struct cn_type *cn_type_target(struct cn_program *program, const struct cn_type *type);

/* ---- unions.c ---- */

/* The union with the definition; added if it is absent. */
struct cn_union *cn_union_of(struct cn_program *program, CXCursor definition);
/* Notes a member of `record`, which is a union or lies in one. */
void cn_union_note_member(struct cn_program *program, struct cn_type *type, CXCursor field, CXCursor record);
/* Keeps the union of the member `field`, if it lies in one, an ordinary union. */
void cn_union_hold(struct cn_program *program, CXCursor field);
/* Holds the pointers of the unions that stay ordinary. */
void cn_unions_hold_fixed(struct cn_program *program);

/* ---- allocators.c ---- */

enum cn_callee_kind {
  CN_CALLEE_OTHER,
  CN_CALLEE_ALLOCATE, /* arguments: size; or size and count */
  CN_CALLEE_RESIZE,
  CN_CALLEE_FREE,
  CN_CALLEE_COPY,
  CN_CALLEE_FILL,
  CN_CALLEE_READ,
  CN_CALLEE_SEARCH,
  CN_CALLEE_PRINT,
  CN_CALLEE_FORMAT, /* arguments: stream, format */
  CN_CALLEE_COPY_TEXT,
  CN_CALLEE_DUPLICATE,
  CN_CALLEE_SORT,
  CN_CALLEE_SAME, /* returns argument 0 as another pointer */
  CN_CALLEE_JUMP
};

struct cn_callee {
  const char *name;
  enum cn_callee_kind kind;
  int size, count, array; /* indices of arguments, or -1 */
};

/* Finds the program's own allocators, and marks the functions that the program defines. */
void cn_allocators_find(struct cn_program *program);
/* How a call of the function is treated. */
const struct cn_callee *cn_allocators_callee(struct cn_program *program, CXCursor function);

/* ---- values.c, calls.c, sizes.c, statements.c ---- */

/* An expression. */
struct cn_value {
  struct cn_type *type;
  uint32_t place;    /* of an object in memory: the pointer to the object; 0 for a variable */
  CXCursor variable; /* the variable, or the null cursor */
  bool interior;     /* a pointer that may point behind the start of an object */
  bool null;         /* a null pointer constant */
};

/* ---- flows.c ---- */

struct cn_walk;
/* Notes that the expression `at` assigns or passes `from` to `to`. */
void cn_flow_note(struct cn_walk *walk, const struct cn_type *to, const struct cn_value *from, enum cn_flow_kind kind,
                  CXCursor at);
/* Notes that two declarations are those of one function or variable. */
void cn_flow_link(struct cn_program *program, const struct cn_type *one, const struct cn_type *other);
/* Notes that a variable of the type points behind the start of an object after the expression. */
void cn_flow_note_interior(struct cn_walk *walk, const struct cn_type *type, CXCursor at);
/* True if a variable may point behind the start of an object anywhere. */
bool cn_flow_is_inside(const struct cn_program *program, uint32_t pointer);
/* Holds the pointers inside objects that reach memory. */
void cn_flows_resolve(struct cn_program *program);

struct cn_walk {
  struct cn_program *program;
  struct cn_type *function;    /* that contains the code; null outside */
  bool unmanaged;              /* in a function marked cairn_unmanaged */
  bool constant;               /* in the initialiser of a static variable */
  CXCursor statement;          /* the call that is a whole statement */
  enum cn_free_form form;      /* its form */
  uint32_t begin, end;         /* its extent */
  struct cn_cursors enclosing; /* the expressions and the statement around the current expression */
};

struct cn_value cn_value_of(struct cn_walk *walk, CXCursor expression);
void cn_value_initialise(struct cn_walk *walk, struct cn_type *type, CXCursor initialiser, bool memory);
CXCursor cn_value_strip(CXCursor expression);
struct cn_value cn_call_value(struct cn_walk *walk, CXCursor call);
/* Decides which calls through pointers to functions free, after all units are read. */
void cn_calls_resolve(struct cn_program *program);
/* True if the expression is a call of an allocator. */
bool cn_call_allocates(struct cn_walk *walk, CXCursor expression);
/* The value of such a call within `outer`, which converts it to the type `target`. */
struct cn_value cn_call_allocation(struct cn_walk *walk, CXCursor outer, CXCursor call, struct cn_type *type,
                                   CXType target);
/* True if the evaluation of the expression only reads. */
bool cn_value_only_reads(CXCursor expression);
void cn_statement_walk(struct cn_walk *walk, CXCursor statement, CXCursor parent);
void cn_statements_walk_unit(struct cn_program *program, CXTranslationUnit unit);

/* text_calls.c: calls of functions for text. */
struct cn_value cn_text_call(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee);
/* Adds an edit that replaces [position, end) if one of the pointers becomes managed; takes `text`. */
void cn_edit_if_managed(struct cn_program *program, const uint32_t *pointers, size_t count, struct cn_position position,
                        uint32_t end, char *text);
/* The call in parentheses or implicit conversions, or a null cursor. */
CXCursor cn_call_within(CXCursor expression);

/* extents.c: the start of the cursor's text. */
struct cn_position cn_walk_position(struct cn_walk *walk, CXCursor cursor);
/* extents.c: the extent of `outer`, which contains the call `inner`. False if a macro makes more than `outer`. */
bool cn_walk_extent(struct cn_walk *walk, CXCursor outer, CXCursor inner, struct cn_position *begin, uint32_t *end);
/* True if the cursor has its own text within the call's. */
bool cn_walk_is_within(struct cn_walk *walk, CXCursor cursor, struct cn_position call, uint32_t call_end);

/* variables.c: notes a declaration, and a use, of a variable on the stack. */
void cn_variable_declare(struct cn_walk *walk, CXCursor declaration, struct cn_type *type);
void cn_variable_note_use(struct cn_walk *walk, CXCursor expression, CXCursor declaration);
/* The pointer to a variable whose address the expression `at` takes; 0 if the variable cannot become an object. */
uint32_t cn_variable_storage(struct cn_walk *walk, CXCursor declaration, CXCursor at);
/* Holds the variables with declarations or uses that cannot be edited. */
void cn_variables_hold_fixed(struct cn_program *program);
/* True if the variable whose name is at the position becomes an object. */
bool cn_variable_moves(struct cn_program *program, struct cn_position position, bool *initialised);
void cn_variables_rewrite(struct cn_program *program, struct cn_counts *counts);
/* True if the name at the token is that of a variable that becomes a static object. */
bool cn_variable_is_static_object(struct cn_program *program, uint32_t file, uint32_t token);

/* sizes.c: fills in form, element, count and member of an allocation. Returns a reason if the size is not understood.
 */
enum cn_reason cn_size_read(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee, CXType pointee,
                            struct cn_allocation *allocation);

/* ---- solve.c, rewrite.c, report.c ---- */

/* Holds the references that would lie in ordinary memory of the heap. */
void cn_solve(struct cn_program *program);
bool cn_solve_is_managed(struct cn_program *program, uint32_t pointer);
/* The type as C writes it after the migration, which the caller frees; null if C has no such text. */
char *cn_type_text(struct cn_program *program, const struct cn_type *type);

/* Makes the edits of all files. */
void cn_rewrite(struct cn_program *program, struct cn_counts *counts);
/* rewrite_typedefs.c: chooses the typedefs that get the qualifier, and edits them. */
void cn_rewrite_typedefs(struct cn_program *program);
/* True if the type before the star at the token is a typedef with the qualifier. */
bool cn_rewrite_typedef_covers(struct cn_program *program, const struct cn_source *source, uint32_t star);
/* rewrite_unions.c */
void cn_rewrite_unions(struct cn_program *program);
/* rewrite_calls.c */
void cn_rewrite_calls(struct cn_program *program, struct cn_counts *counts);
/* includes.c: adds the headers that edited files need. */
void cn_rewrite_includes(struct cn_program *program);

/* Prints the places for a person. Returns their number. */
size_t cn_report_places(struct cn_program *program, FILE *out);

/* ---- units.c ---- */

/* Parses a file with clang's arguments. False after a message. */
bool cn_unit_parse(struct cn_program *program, CXIndex index, const char *path, const char *const *arguments,
                   int count);
/* Parses the files of a compilation database, or those of `paths` alone. False after a message. */
bool cn_unit_parse_database(struct cn_program *program, CXIndex index, const char *folder, char *const *paths,
                            int count);

#endif
