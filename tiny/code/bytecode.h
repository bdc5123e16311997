/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of tiny as byte code, and the tables that a program's functions share. All of it is native memory that
 * never moves and is never freed, so that threads of compilers may read it at any time (racily: counters, feedback and
 * opcodes change meanwhile; all else is constant once the function runs).
 *
 * The tables of a program belong to one thread, which alone changes them.
 */
#ifndef TINY_BYTECODE_H
#define TINY_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tiny_op {
#define OP(name, a, b, c, first, second, base) TINY_OP_##name,
#include "tiny/code/bytecode.def"
#undef OP
  TINY_OPS
};

enum tiny_operand {
  TINY_OPERAND_NONE,
  TINY_OPERAND_READ,
  TINY_OPERAND_WRITE,
  TINY_OPERAND_NUMBER,
  TINY_OPERAND_SMALL,
  TINY_OPERAND_SENSE,
  TINY_OPERAND_UPVALUE,
  TINY_OPERAND_PAIR,
  TINY_OPERAND_WINDOW,
  TINY_OPERAND_FIRST_OF,
  TINY_OPERAND_EACH,
  TINY_OPERAND_SUPER,
  TINY_OPERAND_CONSTANT,
  TINY_OPERAND_GLOBAL,
  TINY_OPERAND_INTEGER,
  TINY_OPERAND_JUMP24,
  TINY_OPERAND_WIDE,
  TINY_OPERAND_SYMBOL,
  TINY_OPERAND_JUMP,
  TINY_OPERAND_SHAPE,
  TINY_OPERAND_COUNT,
  TINY_OPERAND_SITE,
  TINY_OPERAND_TARGET,
};

/* A row of bytecode.def. */
struct tiny_op_row {
  const char *name;
  uint8_t operand[3], extension[2]; /* enum tiny_operand */
  uint8_t base;                     /* the op as compilers emit it */
};
extern const struct tiny_op_row tiny_op_rows[TINY_OPS];

#define TINY_A(word) ((word) >> 8 & 255)
#define TINY_B(word) ((word) >> 16 & 255)
#define TINY_C(word) ((word) >> 24)
#define TINY_WIDE_OF(word) ((word) >> 16) /* an unsigned operand of 16 bits */
#define TINY_SIGNED_WIDE_OF(word) ((int32_t)(word) >> 16)
#define TINY_JUMP24_OF(word) ((int32_t)(word) >> 8)
#define TINY_SMALL_OF(word) ((int32_t)(word) >> 24) /* operand c of kind SMALL */

enum {
  TINY_MAX_REGISTERS = 250,
  TINY_MAX_PARAMETERS = 100, /* `this` included */
  TINY_MAX_COMPILED_PARAMETERS = 8,
  TINY_NO_SUPER = 255,
  TINY_MAX_INLINE = 200, /* slots in line */
  /* Words of a property site: the number of entries in use, then entries of three words. */
  TINY_SITE_ENTRIES = 4,
  TINY_SITE_WORDS = 1 + 3 * TINY_SITE_ENTRIES,
  TINY_SITE_MEGAMORPHIC = TINY_SITE_ENTRIES + 1,
};

/* The kind of a place, in its upper two bits; the number is below. */
enum tiny_place {
  TINY_PLACE_SLOT,   /* a slot in the object */
  TINY_PLACE_MORE,   /* an element of the object's array `more` */
  TINY_PLACE_METHOD, /* a number of the table of methods */
  TINY_PLACE_LENGTH, /* the length of a string, array, map, ... */
};

static inline uint32_t tiny_place_make(enum tiny_place kind, uint32_t number)
{
  return (uint32_t)kind << 30 | number;
}

static inline enum tiny_place tiny_place_kind(uint32_t place)
{
  return (enum tiny_place)(place >> 30);
}

static inline uint32_t tiny_place_number(uint32_t place)
{
  return place & 0x3fffffff;
}

/* The feedback word of a call: a function, class or native by number + 1, with the kind in the upper two bits. */
enum tiny_target { TINY_TARGET_FUNCTION, TINY_TARGET_CLASS, TINY_TARGET_NATIVE };
#define TINY_TARGET_MANY 0xffffffffu

static inline uint32_t tiny_target_make(enum tiny_target kind, uint32_t number)
{
  return (uint32_t)kind << 30 | (number + 1);
}

/* A constant as native code sees it. */
enum tiny_constant_kind { TINY_CONSTANT_INTEGER, TINY_CONSTANT_FLOAT, TINY_CONSTANT_STRING, TINY_CONSTANT_FUNCTION };

struct tiny_constant {
  enum tiny_constant_kind kind;
  union {
    int64_t integer;
    double number;
    uint32_t symbol;   /* STRING: symbols hold the bytes of literals, too */
    uint32_t function; /* FUNCTION: a number of the table of functions */
  };
};

/* The source position of the instruction that begins at word `at`, and of those after it. */
struct tiny_line {
  uint32_t at, line, column;
};

/* A region whose exceptions go to `handler`, with the exception in `target`. Inner regions stand before outer. */
struct tiny_try {
  uint32_t start, end, handler; /* words; end is exclusive */
  uint32_t target;              /* register */
};

struct tiny_source {
  struct tiny_source *next; /* of the program */
  char *name;               /* of the file */
  char *text;
  size_t length;
};

struct tiny_function {
  uint32_t number;                         /* in the table of functions */
  uint32_t name;                           /* symbol */
  const char *name_text;                   /* its bytes, for threads without this program */
  uint8_t parameters, registers, captures; /* parameters with `this` */
  bool is_method;
  uint32_t words, constant_count, feedback_words, line_count, try_count;
  uint32_t *code;
  struct tiny_constant *constants;
  uint32_t *feedback;
  struct tiny_line *lines;
  struct tiny_try *tries;
  const struct tiny_source *source;
  uint32_t line, column; /* of the definition */
  /* The interpreter counts down, and asks a hook of tiny/core/object.h when a counter reaches 0. */
  uint32_t calls_left, loops_left;
  /* Compiled code (docs/tiny.md, "Entries"), or null. */
  void *entry;
  void *jit; /* the compiler's own data */
};

/* Memory for `count` elements: zeroed, or `old` with another length. Exhausted memory ends the program. */
void *tiny_allocate(void *old, size_t count, size_t size);

/* A table of native elements by number: chunks that stay where they are, each twice as large as the one before. */
enum { TINY_FIRST_CHUNK = 64, TINY_CHUNKS = 18 };

struct tiny_table {
  uint32_t count, size; /* elements, bytes of an element */
  char *chunk[TINY_CHUNKS];
};

static inline void *tiny_table_at(const struct tiny_table *table, uint32_t number)
{
  uint32_t shifted = number + TINY_FIRST_CHUNK;
  unsigned chunk = (unsigned)(__builtin_clz(TINY_FIRST_CHUNK) - __builtin_clz(shifted));

  return table->chunk[chunk] + (size_t)(shifted - ((uint32_t)TINY_FIRST_CHUNK << chunk)) * table->size;
}

/* A new element, zeroed, with the number table->count - 1. Ends the program if memory or numbers run out. */
void *tiny_table_add(struct tiny_table *table);

/* Names and the bytes of literals, each once. */
struct tiny_symbol {
  const char *bytes; /* NUL follows */
  uint32_t length, hash;
  uint32_t next; /* the next symbol with this hash, or 0 */
};

/* A shape: the properties of an object, by a chain of parents, and its class. */
struct tiny_shape {
  uint32_t parent;       /* or 0 */
  uint32_t symbol;       /* the property that this shape adds to its parent, in slot `slots` - 1 */
  uint32_t slots;        /* number of properties */
  uint32_t inline_slots; /* slots in the object itself; further ones are in its array `more` */
  uint32_t class_number;
};

struct tiny_method {
  uint32_t symbol, number; /* number in the table of methods: tiny_methods[number] is its closure */
};

/* A row of the table of methods, whose values are in tiny_methods . */
struct tiny_method_row {
  uint32_t target; /* tiny_target_make() of a function or a native */
};

struct tiny_class_row {
  uint32_t super; /* class number, smaller than its own; or 0 */
  uint32_t name;  /* symbol */
  uint32_t shape; /* of new instances */
  uint32_t init;  /* number of the method `init`, also an inherited one; or 0 */
  uint32_t method_count, method_room;
  struct tiny_method *methods;
};

enum {
  TINY_GLOBAL_ASSUMED = 1,  /* compiled code depends on the value: a store calls the hook first */
  TINY_GLOBAL_CONSTANT = 2, /* a class, or a name of the library: only its definition stores */
};

struct tiny_global {
  uint32_t name, flags;
};

/* From keys to numbers. */
struct tiny_hash {
  uint32_t used, room; /* room: a power of two, or 0 */
  struct tiny_hash_entry {
    uint64_t key;
    uint32_t number; /* 0: unused */
  } *entries;
};

uint32_t tiny_hash_find(const struct tiny_hash *hash, uint64_t key); /* or 0 */
void tiny_hash_set(struct tiny_hash *hash, uint64_t key, uint32_t number);

/* The native tables of a thread's program. Numbers of symbols, shapes, classes and methods begin with 1; shapes and
 * classes below TINY_FIRST_SHAPE belong to the kinds of objects of the same number. */
enum { TINY_FIRST_SHAPE = 32, TINY_NATIVE_ROW_BYTES = 24 };

/* An array that has become too small, which compilers may still read: it lives as long as the tables. */
struct tiny_outgrown {
  struct tiny_outgrown *next;
  void *array;
};

struct tiny_tables {
  struct tiny_table symbols, shapes, classes, functions, globals;
  struct tiny_table methods; /* struct tiny_method_row */
  struct tiny_table natives; /* struct tiny_native_row */
  uint32_t module_count;
  struct tiny_hash symbols_by_hash; /* hash of the bytes -> the last symbol that has it */
  struct tiny_hash transitions;     /* shape << 32 | symbol -> shape */
  struct tiny_hash names;           /* module << 32 | symbol -> global + 1; module 0 is the library */
  struct tiny_hash aliases;         /* module << 32 | symbol -> imported module */
  struct tiny_hash modules;         /* symbol of a path -> module */
  struct tiny_source *sources;
  struct tiny_outgrown *outgrown;
};
extern _Thread_local struct tiny_tables *tiny_tables;

static inline struct tiny_symbol *tiny_symbol_at(uint32_t number)
{
  return tiny_table_at(&tiny_tables->symbols, number);
}

static inline struct tiny_shape *tiny_shape_at(const struct tiny_tables *tables, uint32_t number)
{
  return tiny_table_at(&tables->shapes, number);
}

static inline struct tiny_class_row *tiny_class_at(const struct tiny_tables *tables, uint32_t number)
{
  return tiny_table_at(&tables->classes, number);
}

static inline struct tiny_function *tiny_function_at(const struct tiny_tables *tables, uint32_t number)
{
  return *(struct tiny_function **)tiny_table_at(&tables->functions, number);
}

static inline struct tiny_global *tiny_global_at(const struct tiny_tables *tables, uint32_t number)
{
  return tiny_table_at(&tables->globals, number);
}

/* The number of the symbol with these bytes; adds it at need. */
uint32_t tiny_intern(const char *bytes, size_t length);

/* The shape of objects of `shape` with one more property; adds it at need. */
uint32_t tiny_shape_with(uint32_t shape, uint32_t symbol);

/* The first shape of a class or of object literals (class 0), with `inline_slots` slots in the object. */
uint32_t tiny_shape_new(uint32_t class_number, uint32_t inline_slots);

/* The place of a property of objects of the shape, or of a method of its class; false if both are missing. */
bool tiny_shape_find(const struct tiny_tables *tables, uint32_t shape, uint32_t symbol, uint32_t *place);

/* The place of slot `slot` of objects of the shape. */
uint32_t tiny_shape_place(const struct tiny_shape *shape, uint32_t slot);

/* The number of the method of a class or a superclass; false if both are missing. */
bool tiny_class_find(const struct tiny_tables *tables, uint32_t class_number, uint32_t symbol, uint32_t *method);

/* A new class; `inline_slots` for the properties of its instances, without those of its superclass (or 0). */
uint32_t tiny_class_add(uint32_t name, uint32_t super, uint32_t inline_slots);

/* Gives a class a method, whose number is the result. Only before the class has instances or subclasses. */
uint32_t tiny_class_add_method(uint32_t class_number, uint32_t symbol);

/* The number of a global: a new one, if the module lacks the name or the flags say CONSTANT. */
uint32_t tiny_global_add(uint32_t module, uint32_t symbol, uint32_t flags);

/* Makes and frees the tables of this thread. */
void tiny_tables_begin(void);
void tiny_tables_end(void);

uint32_t tiny_hash_bytes(const char *bytes, size_t length); /* never 0 */

/* The position of the instruction at a word of the code. */
const struct tiny_line *tiny_line_of(const struct tiny_function *function, uint32_t at);

/* The words of the instruction at `at`. */
uint32_t tiny_instruction_words(const struct tiny_function *function, uint32_t at);

/* Checks a function before it runs: operands in range, jumps to instructions, the end unreachable by falling through.
 * Returns null, or an error's text; *at is the word of the error. */
const char *tiny_check(const struct tiny_function *function, const struct tiny_tables *tables, uint32_t *at);

/* Prints a function and the functions in its constants. */
void tiny_print_function(const struct tiny_function *function);

#endif
