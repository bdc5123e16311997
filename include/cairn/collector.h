/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between a collector and the runtime: the functions that a collector provides, the functions that it may
 * call, and the phase of each call.
 *
 * Phases:  INIT   once, before the first allocation
 *          MUTATE the program runs; only allocation entry points are called
 *          STOP   every mutator is at a safepoint; the stacks are parseable
 */
#ifndef CAIRN_COLLECTOR_H
#define CAIRN_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A slot: the address of a reference. A reference is null or the address of an object's payload. In programs with
 * immediates (struct cairn_words) the slot may have an immediate instead, and a reference carries its tag:
 * cairn_slot_object() and cairn_slot_set() of <cairn/heap_object.h> handle both. The structure makes the compiler
 * reject mixtures of slots, objects and integers. */
struct cairn_slot {
  uintptr_t *address;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* C++ lacks flexible array members */
/* The places of references in an object. The compile side emits the layout into section `cairn_layouts`, from the LLVM
 * value type of a zero-initialised static; a layout contains only numbers, so it needs no relocation. Layouts also
 * describe globals. */
struct cairn_layout {
  uint32_t magic;       /* CAIRN_ABI_LAYOUT_MAGIC */
  uint32_t base_refs;   /* number of offsets for the fixed part */
  uint64_t base_size;   /* bytes of the fixed part, tail padding included; a plain array has 0 */
  uint64_t elem_size;   /* bytes from element to element, or 0 for an object without elements */
  uint32_t elem_offset; /* bytes from the payload to element 0 */
  uint32_t flags;       /* CAIRN_ABI_LAYOUT_* (<cairn/abi.h>) */
  uint32_t elem_refs;   /* number of offsets for each element */
  int32_t names;        /* bytes from this structure to its names, in the same image, or 0 for a layout without names */
  uint32_t offsets[]; /* base_refs offsets from the payload, then elem_refs offsets from an element's start; offsets of
                       * weak fields have the bit CAIRN_ABI_LAYOUT_WEAK_OFFSET */
};
#pragma GCC diagnostic pop

/* An entry of section `cairn_roots`: a global of a module that holds references. A thread-local variable has the
 * address of a function that returns the variable's address, plus CAIRN_ABI_ROOT_THREAD_LOCAL. A struct
 * cairn_shared_layout has its address plus CAIRN_ABI_ROOT_SHARED_LAYOUT; `layout` is then the module's own version of
 * the layout, which may be indexed, or null if the module knows only the name. */
struct cairn_global_root {
  void *address;                     /* null for a weak global that every unit leaves undefined */
  const struct cairn_layout *layout; /* not indexed for a global */
};

/* A layout that a module shares with other modules by name (docs/frontends.md, "Shared layouts"). The registration of
 * the module's image sets `layout`, from which compiled code then takes the layout of new objects. */
struct cairn_shared_layout {
  const struct cairn_layout *layout; /* the program's layout of the name; null until it is defined */
  const char *name, *module;         /* the module's name is for messages */
};

/* The registration of one executable or shared object. A hidden constructor registers the structure. The compile side
 * emits the constructor into every object file, as linkonce_odr, so that an image has one. Both bounds of a missing
 * section are null. The runtime refuses an image with another version or size. */
struct cairn_image {
  uint32_t version; /* CAIRN_ABI_IMAGE_VERSION */
  uint32_t size;    /* of this structure: CAIRN_ABI_IMAGE_SIZE */
  const unsigned char *frames_start, *frames_stop;
  const struct cairn_global_root *roots_start, *roots_stop;
  const unsigned char *layouts_start, *layouts_stop;
  const unsigned char *details_start, *details_stop;
  const unsigned char *points_start, *points_stop;
  uint64_t flags; /* CAIRN_ABI_IMAGE_* */
};

/* An entry of section `cairn_spans` (<cairn/stack.h>, docs/spans.md). The first entry only marks the start of the table
 * (abi.def, SPAN_MARK). The value of a span is `integer` if `distance` is 0; otherwise it is the address of the member
 * `distance` plus `distance`. */
struct cairn_span {
  uint64_t key, integer;
  int32_t distance;
  uint32_t reserved; /* 0 */
};

/* The rule that distinguishes references from immediates (docs/words.md): a word whose bits of `mask` equal `reference`
 * is a reference, whose object's address is the word minus `reference`; other words are immediates. If both members are
 * 0, each word is a reference. */
struct cairn_words {
  uintptr_t mask, reference;
};

/* Called with every root that the runtime finds, in phase STOP, on the visiting thread. `slot` holds a reference to an
 * object, null, an address outside the heap, or an immediate (struct cairn_words). An address outside the heap and an
 * immediate must stay unchanged. The reference may point into the object or just past it: a C program may pass a
 * derived pointer to a callee, whose frame map then lists this pointer as a base. References in objects always point to
 * the object's start. The runtime handles a function's own derived pointers itself: it reads their distances from their
 * bases before the first call for a stack, and updates them after the last call of the enumeration (statepoints-later,
 * "Base & Derived Pointers"). A slot may come twice. The visitor must update the slot before it returns. */
typedef void cairn_root_visitor(void *env, struct cairn_slot slot);

/* Called with each range of the heap. If `blocks`, [start, end) consists of blocks, one after another, and of the free
 * parts of mutators' buffers. If not `blocks`, no reference may point into the range. */
typedef void cairn_range_visitor(void *env, uintptr_t start, uintptr_t end, bool blocks);

/* A thread that runs managed code. */
struct cairn_mutator;

/* The cause of a collection. */
enum cairn_cause {
  CAIRN_CAUSE_ALLOCATION, /* a block is larger than the free space */
  CAIRN_CAUSE_ASKED,      /* cairn_collect() */
  CAIRN_CAUSE_HANDLER,    /* a request of a signal handler that interrupted managed code */
  CAIRN_CAUSE_EMERGENCY,  /* the last attempt: the collection just before freed too little for the block */
  CAIRN_CAUSE_STRESS,     /* CAIRN_STRESS */
  CAIRN_CAUSE_EXTERNAL    /* objects keep much memory outside of the heap: cairn_external_bytes() */
};

/* The minimum that a collection must do. */
enum cairn_extent {
  CAIRN_EXTENT_YOUNG,   /* free enough memory for the program to go on; a collector without generations runs a full
                         * collection */
  CAIRN_EXTENT_FULL,    /* free all unreachable objects */
  CAIRN_EXTENT_MOVE_ALL /* free all unreachable objects, give every other object another address, and unmap its old
                         * memory; only for collectors that move objects */
};

struct cairn_collection {
  enum cairn_cause cause;
  enum cairn_extent extent;
  size_t bytes_needed; /* bytes of the waiting allocation, for which the heap may grow, or 0 */
};

/* The properties of a collector: bits of struct cairn_collector's `traits`. */
enum {
  CAIRN_COLLECTOR_MOVES = 1,       /* the collector can move every object; required by CAIRN_STRESS */
  CAIRN_COLLECTOR_GENERATIONS = 2, /* a young collection may leave garbage that a full collection frees */
  CAIRN_COLLECTOR_WORDS = 4,       /* the collector reads and writes slots by cairn_slot_object() and cairn_slot_set();
                                    * required by programs with immediates */
  CAIRN_COLLECTOR_WEAK = 8,        /* the collector handles weak references; required by programs with weak types */
  CAIRN_COLLECTOR_FINALISES = 16,  /* the collector handles finalisable objects; required by programs with such types */
  CAIRN_COLLECTOR_FIXED = 32,      /* the collector can leave some objects in their places; a moving collector needs the
                                    * trait for types whose objects never move */
  CAIRN_COLLECTOR_PARALLEL = 64,   /* the collector divides its work among threads; required by cairn_workers_run() */
  CAIRN_COLLECTOR_PINS = 128,      /* pinned objects stay: the collector calls cairn_pins_visit() in each collection; a
                                    * moving collector needs the trait for pins */
  CAIRN_COLLECTOR_REUSES = 256,    /* a new object without references may take the block of a dead object of
                                    * allocate_large() before the next collection */
  CAIRN_COLLECTOR_HASHES = 512,    /* moved objects keep their identity hashes; a moving collector needs
                                    * the trait for cairn_identity_hash() */
  CAIRN_COLLECTOR_LENGTHENS = 1024, /* allocate_large() is also called to lengthen a block */
  CAIRN_COLLECTOR_TRAITS = 2047     /* all traits; the runtime refuses a collector with other bits */
};

/* A collector: its properties and its functions. */
struct cairn_collector {
  uint32_t version; /* CAIRN_ABI_COLLECTOR_VERSION (<cairn/abi.h>) */
  uint32_t size;    /* sizeof(struct cairn_collector) */
  const char *name;
  uint64_t traits; /* CAIRN_COLLECTOR_* */

  /* CAIRN_ABI_BARRIERS_*: the barriers that compiled code must have at accesses to references in the heap. The runtime
   * refuses code with another kind of barriers, except code with CARDS under a collector with NONE.
   * cairn_set_collector() initialises a collector with barriers at once; such a call must come before a second thread
   * runs managed code. */
  uint64_t barriers;

  /* The size in bytes of the largest block that compiled code may allocate in line; 0 means any size. The runtime
   * refuses code that allocates larger blocks in line (-fcairn-inline-max). A larger block is a large object, which the
   * member allocate_large allocates unless it is null. If the value is 1 to 7, the collector allocates every block.
   */
  uint64_t largest_in_line;

  /* INIT. Reserve the heap; `max_bytes` bounds the memory of the program's objects. If the reservation fails, the
   * function returns MEMORY, and the program ends. */
  enum cairn_status (*init)(size_t initial_bytes, size_t max_bytes);

  /* MUTATE or STOP, on the mutator's own thread; several threads may call at once. Give the mutator an allocation
   * buffer that `bytes` fit into, without collecting. FULL means that a collection is needed first, or, after a
   * collection, that memory is exhausted. */
  enum cairn_status (*refill)(struct cairn_mutator *mutator, size_t bytes);

  /* Like refill, except that *block becomes a block of `bytes` for a large object, outside the allocation buffer; the
   * whole block is zero if `cleared`. Signal handlers that interrupted managed code do not call the function. If the
   * member is null, the buffer holds large objects, too.
   *
   * With CAIRN_COLLECTOR_LENGTHENS, *block may be the block of an array, anywhere in the heap: lengthen the block to
   * `bytes`. The array keeps its place and contents; the added bytes may have any contents. Return FULL if the block
   * did not come from allocate_large(), or if the space after the block is too small; the runtime then copies the
   * array. In all other calls *block is null. */
  enum cairn_status (*allocate_large)(struct cairn_mutator *mutator, size_t bytes, bool cleared, void **block);

  /* Like refill, but raises the heap's capacity so that `bytes` fit. Returns MEMORY if the maximum is too small. The
   * runtime calls `grow` for programs and collectors that never collect (CAIRN_ABI_IMAGE_NO_SAFEPOINTS), and for signal
   * handlers. */
  enum cairn_status (*grow)(struct cairn_mutator *mutator, size_t bytes);

  /* STOP, on the thread that stopped the other threads. Finds all reachable objects, moves any of them, and updates
   * every slot. The function may call this header's functions for phase STOP, for collect() and for any phase. The
   * thread is not cancelled during the call. If the member is null, the collector never collects, cairn_collect() has
   * no effect, and an allocation that does not fit calls `grow`. */
  void (*collect)(const struct cairn_collection *collection);

  /* Any phase, async-signal-safe. True if a collection moved all objects away from the space at `address`; *collection
   * becomes the number of that collection, counted from 1, or 0 if the number is lost. The explanation of a fault uses
   * the answer. The member may be null. */
  bool (*was_unmapped)(uintptr_t address, uint64_t *collection);

  /* MUTATE, on the mutator's own thread. True if `word` is the address of an object, judged by its header. The runtime
   * uses the answer to check words that a program copies to memory outside the heap, where a reference would be lost.
   * The runtime also checks pinned objects and objects with identity hashes. If the member is null, such copies stay
   * unchecked. */
  bool (*is_object)(uintptr_t word);

  /* STOP, on the unloading thread, with or without a mutator. The layouts in [start, stop) will be unmapped with their
   * image. In a correct program, objects with these layouts are garbage. A collector that walks over garbage must note
   * the sizes of these objects now: a new layout may later have the address of an unloaded layout. The member may be
   * null if the collector never reads garbage. */
  void (*forget)(const unsigned char *start, const unsigned char *stop);

  /* STOP, on the thread that stopped the other threads, outside collect(). Call `visit` for each range of the heap, in
   * any order, without changes to the heap; ranges do not overlap. If the member is null, the runtime refuses
   * CAIRN_VERIFY=heap, CAIRN_HISTOGRAM and CAIRN_DUMP. A walk over the ranges reads garbage, and so needs `forget`. */
  union {
    void (*ranges)(cairn_range_visitor *visit, void *env);
    void (*stretches)(cairn_range_visitor *visit, void *env); /* the name in 0.1 */
  };

  /* STOP, outside collect(). Returns, exactly or approximately, the bytes of the ranges of blocks; the result is at
   * least the free bytes of all allocation buffers. The function must be fast: the runtime calls it before and after
   * each collection if a listener is set, and after collections that free too little. If the member is null, the
   * runtime calls `ranges` instead. */
  uint64_t (*used)(void);

  /* The slow paths of barriers. MUTATE, on the mutator's own thread, just before the access. Slow paths reach no
   * safepoint, so all objects stay in place during the call; they must not allocate managed objects, and must not wait
   * for a thread that may be at a safepoint. Slow paths are async-signal-safe: between any two instructions a signal
   * handler may run managed code with barriers, and may jump out, so that the access never happens. cairn_log() keeps
   * these rules. A slot may be a local, a global or an object's field; the collector itself finds the field's
   * object. */

  /* SNAPSHOT: a store replaces the non-null word `old`, while the barrier word differs from 0. `old` may be an
   * immediate (struct cairn_words). */
  void (*log_old)(struct cairn_mutator *mutator, uintptr_t old);

  /* LOADS: `value`, which was loaded from the slot, has a bit of the barrier word; `value` may also be an address
   * outside the heap, or an immediate. Returns the word that the program shall use. The function may store that word in
   * the slot, but only by a compare-and-swap, because other threads may store to the slot. */
  uintptr_t (*heal)(struct cairn_mutator *mutator, struct cairn_slot slot, uintptr_t value);

  /* SNAPSHOT: a copy is about to write to [start, end). LOADS: a copy is about to read [start, end). The range may
   * contain any words, and parts of words at its ends: the object's layout tells which words are references. Barriers
   * CARDS do not call this function. */
  void (*barrier_range)(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end);

  /* STOP, outside collect(). The field `slot` of `object` holds a reference. True if a young collection would find the
   * reference or may ignore it. False reveals a missing barrier: a young collection may move or free the object that
   * the reference points to, but would not visit the slot. The call changes nothing. If the member is null,
   * CAIRN_VERIFY=heap and CAIRN_VERIFY=stores skip the search for missing barriers. */
  bool (*covered)(uintptr_t object, struct cairn_slot slot);
};

#pragma GCC visibility push(default)

/* Functions that a collector may call in phase MUTATE for the calling thread's mutator, and in phase STOP for any
 * mutator. The functions fail only by cairn_fatal(), and the caller still owns the memory that it passes to them. */

/* Takes the mutator's allocation buffer back. Returns the buffer's first free byte, and stores its end in *end unless
 * `end` is null; both are 0 if the mutator has no buffer. */
uintptr_t cairn_buffer_take(struct cairn_mutator *mutator, uintptr_t *end);

/* Gives [start, end) as the allocation buffer to a mutator without a buffer. Both bounds are multiples of 8; the bytes
 * may have any contents. A mutator that ends fills the rest of its buffer (cairn_fill()). */
void cairn_buffer_give(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end);

/* Like cairn_buffer_give(), for memory that is zero from `zero` on: blocks there need no clearing when they are
 * allocated. */
void cairn_buffer_give_zeroed(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end, uintptr_t zero);

/* Sets the table that barriers in compiled code read (abi.def). All present and later mutators use the table, also in a
 * fork()'s child. Before the first call the table is one card for all addresses, whose byte is 1, and the barrier word
 * is 0.
 *
 * The table of barriers CARDS has mask + 1 bytes, a power of two. Each byte of the table covers 2^CAIRN_ABI_CARD_SHIFT
 * bytes of memory. Addresses wrap round: two addresses share a byte if their distance is a multiple of the memory that
 * the whole table covers. Null and 0 restore the table of one card. The call comes once, in phase INIT, because
 * compiled code keeps table and mask in registers. */
void cairn_barrier_cards(unsigned char *cards, uint64_t mask);

/* Sets the word that barriers SNAPSHOT and LOADS test. Phases INIT and STOP. */
void cairn_barrier_word(uint64_t word);

/* Sets the barrier word in phase MUTATE, by a handshake with the rules and statuses of <cairn/thread.h>: each thread
 * has the word from its next safepoint on, and all threads have the word when the function returns. After a failure,
 * only some of the present threads have the word, but all new threads. */
enum cairn_status cairn_barrier_word_handshake(uint64_t word, uint64_t timeout);

/* Adds `word`, which is not 0, to the log of the calling thread's mutator. MUTATE; async-signal-safe. */
void cairn_log(struct cairn_mutator *mutator, uintptr_t word);

/* Visits the words of all logs, including the logs of ended threads, and empties the logs. The newest words of a thread
 * come first. Phase STOP. */
typedef void cairn_log_visitor(void *env, uintptr_t word);
void cairn_logs_take(cairn_log_visitor *visit, void *env);

/* Like cairn_logs_take(), in phase MUTATE, by a handshake: several threads may call the visitor at a time. Words that a
 * thread logs after its answer stay in its log. After a failure some logs are unchanged. */
enum cairn_status cairn_logs_handshake(cairn_log_visitor *visit, void *env, uint64_t timeout);

/* A word of each mutator for the collector's use; 0 at first. */
uintptr_t *cairn_mutator_word(struct cairn_mutator *mutator);

/* The number of mutators. Any phase; in phase MUTATE threads may begin and end during the call. */
size_t cairn_mutator_count(void);

/* Puts one object without references into [from, to), so that a walk from block to block can step over the range
 * (cairn_block_object() of <cairn/heap_object.h>). The range may be empty or a single word. The function writes at most
 * the first two words. cairn_layout_is_known() is true for the object's layout. Bounds that are not multiples of 8 end
 * the program. MUTATE and STOP. */
void cairn_fill(uintptr_t from, uintptr_t to);

/* Functions that a collector may call in phase STOP, within collect() and forget(). */

/* Returns the mutator after `mutator`, or the first mutator for null; returns null after the last mutator. */
struct cairn_mutator *cairn_mutator_next(const struct cairn_mutator *mutator);

/* Functions that a collector may call within collect(). */

/* Enumerates the roots of all stacks and images, once per collection: the function writes derived pointers back before
 * it returns. */
void cairn_visit_roots(cairn_root_visitor *visit, void *env);

/* Like cairn_visit_roots(), with many roots per call of the visitor: `slots` has the addresses of `count` references,
 * and is valid during the call. A collection calls either cairn_visit_roots() or cairn_visit_root_arrays(). */
typedef void cairn_roots_visitor(void *env, uintptr_t *const *slots, size_t count);
void cairn_visit_root_arrays(cairn_roots_visitor *visit, void *env);

/* Enumerates the roots for a collection of a young generation: the roots of images and handles, and the roots of
 * activations that may have run since the last enumeration of roots. Of other activations the function visits only
 * locals whose address was taken. So the cost of a deep stack depends on the few activations that have run and on such
 * locals. Returns the number of activations visited.
 *
 * First the runtime calls `settle` for those stack roots whose activations will be older than the return barrier: the
 * next enumeration may leave these roots out. Then the runtime calls `visit` for all other roots. A collector that
 * calls this function promises:
 *   - The object of a root given to `settle` becomes old: the collector promotes it at once, or keeps it in place for
 *     good, so that later young collections neither move nor free it. The roots for `settle` come first, so that their
 *     objects have not been copied elsewhere yet. Objects that these objects refer to may stay young.
 *   - After a collection that enumerates all roots, the objects of all roots of stacks are old. Young enumerations
 *     leave out only roots of stacks.
 *
 * The object of a root given to `visit` may stay young, because the next enumeration visits the root again if it still
 * exists. A collector that promotes all survivors passes one function for both.
 *
 * If the runtime cannot tell which activations have run, it visits all roots: at the first call, after a code region
 * was added, and if hardware checks return addresses. The runtime visits all roots of all stacks if the program has
 * both coroutine stacks and code regions; otherwise of stacks with `suspended` (<cairn/stack.h>), and of stacks for
 * which the pool of return barriers is empty. Each call also visits the roots of all activations down to the oldest
 * activation that belongs to another code info manager or has roots with the language's own tags. From the first call
 * on, addresses of stubs replace some return addresses on the stack (docs/stack.md). At most one call per
 * collection. */
uint64_t cairn_visit_young_roots(cairn_root_visitor *settle, cairn_root_visitor *visit, void *env);

/* Enumerate roots of stacks that young enumerations leave out, in parts over several stops, for a collector that marks
 * from roots while the program runs. cairn_deferred_roots(true) requests these roots, before the young enumeration of
 * the stop. After the young enumeration of a stop, each call of cairn_deferred_roots_visit() visits the roots of some
 * hundred activations, with a visitor that leaves slots unchanged. The result is false when all deferred roots have
 * been visited, also for later stops: each root of a stack was visited after its last change, by such a call or by a
 * young enumeration. Existing old objects must stay in place from the request until the result is false. Only the
 * collecting thread calls these functions. */
void cairn_deferred_roots(bool wanted);
bool cairn_deferred_roots_visit(cairn_root_visitor *visit, void *env);

/* An enumeration by several threads at a time. The collecting thread begins the enumeration. Then any number of
 * threads, such as workers (below), call fetch and visit until fetch returns null; from then on it returns null to all
 * threads. When all roots have been visited, the collecting thread calls cairn_roots_end(), which writes derived
 * pointers back and returns the number of activations visited.
 *
 *   cairn_roots_begin(CAIRN_ROOTS_ALL);
 *   ... on each thread: while ((roots = cairn_roots_fetch())) cairn_roots_visit(roots, visit, env);
 *   cairn_roots_end();
 *
 * CAIRN_ROOTS_YOUNG needs the promises of cairn_visit_young_roots(), and has two rounds. In the first round fetch
 * returns the roots that cairn_visit_young_roots() would give to `settle`. When all threads have visited these roots,
 * the collecting thread calls cairn_roots_rest(); then fetch returns the other roots.
 *
 * A set has roots of one stack (or of stacks that code info managers link), of images or of handles. A set has about a
 * thousand roots at most, so that threads share the roots of a large stack or table. A fetch may walk a stack, and may
 * wait for other threads' fetches, but never for visits. A thread may fetch several sets before it visits. Visits may
 * go on while other threads fetch or visit; each set is visited once, on any thread, one thread at a time. So visitors,
 * handlers of roots with the language's own tags, and callbacks of code info managers and stacks (<cairn/stack.h>) run
 * on several threads at a time.
 *
 * If the collector's own threads take part, they must not run managed code, and must block signals whose handlers run
 * managed code: such a handler would wait for the end of this stop. These errors end the program: an enumeration within
 * another, a fetch outside an enumeration, and an end before all roots have been visited. */
enum cairn_roots {
  CAIRN_ROOTS_ALL,
  CAIRN_ROOTS_YOUNG,
  CAIRN_ROOTS_LOOK /* all roots, for a visitor that leaves slots unchanged, such as a check. Such an enumeration may
                    * come besides the collection's own enumeration, needs no promise, and leaves the state of young
                    * enumerations unchanged. */
};
struct cairn_root_set;
void cairn_roots_begin(enum cairn_roots which);
void cairn_roots_rest(void);
struct cairn_root_set *cairn_roots_fetch(void);
void cairn_roots_visit(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env);
void cairn_roots_visit_array(struct cairn_root_set *roots, cairn_roots_visitor *visit, void *env);
uint64_t cairn_roots_end(void);

/* ---- pins (<cairn/pin.h>), for collectors with the trait CAIRN_COLLECTOR_PINS ---- */

/* Visits each pinned address once, before objects move. The visitor returns the object at the address; like a root, the
 * address may point into the object or just past it. If the visitor returns 0, for no object, the program ends. A
 * pinned object that is reached stays in its place in this collection. During the collection any thread may unpin
 * objects, but new pins wait for its end. Within collect(), on the collecting thread. */
typedef uintptr_t cairn_pin_visitor(void *env, uintptr_t address);
void cairn_pins_visit(cairn_pin_visitor *visit, void *env);

/* Drops the pins of `address`, whose object the collection left unreached. */
void cairn_pins_forget(uintptr_t address);

/* True if any object is pinned. Phase STOP. */
bool cairn_pins_any(void);

/* Reports a range of the heap's objects, in phase INIT; there may be up to four calls. Only an address in a reported
 * range or at the start of an object can be pinned. A collector that reports a range reports the ranges of all objects:
 * compiled code takes other words for numbers. */
void cairn_heap_range(uintptr_t start, uintptr_t end);

/* Reports, in phase INIT, that a limit of addresses (ulimit -v) bounds the heap: the addresses suffice for objects of
 * `bytes` bytes, fewer than the maximum. The runtime prints a line about the limit if the program's user set the
 * maximum. */
void cairn_note_addresses(size_t bytes);

/* ---- workers: the runtime's threads that divide the work of a collection, for collectors with the trait
 * CAIRN_COLLECTOR_PARALLEL ---- */

/* The part `worker`, counted from 0, of `count` parts of a job. The parts run at the same time, each on its own thread;
 * number 0 runs on the collecting thread. A part may call the functions that are allowed within collect() on any
 * thread. A part may wait only for parts with numbers below `count`. A part has at least half a megabyte of stack. */
typedef void cairn_job(void *env, unsigned worker, unsigned count);

/* STOP, the collecting thread. Runs a job: calls each of its parts, waits for their returns, and returns their number.
 * A job has as many parts as there are workers, up to `most`, which is at least 1. A short job should have few parts,
 * because it takes microseconds to wake a thread. The call orders memory: the parts see earlier writes of the calling
 * thread, and the calling thread then sees the writes of the parts.
 *
 * The runtime starts workers before the first collection (CAIRN_WORKERS, docs/environment.md); between jobs the workers
 * wait. The collecting thread is the only worker if the system cannot start more threads, as long as only signal
 * handlers have collected, and after exit handlers have run. A fork()'s child starts new workers. Workers are no
 * mutators: an attempt to run managed code on a worker ends the program, and a job within a job does, too. Workers get
 * no signals. */
unsigned cairn_workers_run(unsigned most, cairn_job *job, void *env);

/* The largest number of parts of a job, a constant. Any phase. */
unsigned cairn_workers_most(void);

/* ---- identity hashes (docs/weak.md), for collectors with the traits CAIRN_COLLECTOR_MOVES and CAIRN_COLLECTOR_HASHES,
 * in phase STOP. Such collectors copy objects as cairn_object_copy_hash() of <cairn/heap_object.h> requires, and walk
 * over objects by cairn_object_payload(). ---- */

/* An upper bound of the number of objects that have stayed in place since their hashes were computed; a copy of such an
 * object is 8 bytes larger than the object. After a collection that reached all objects, cairn_identity_left() sets the
 * bound to `count`, the number of such objects that remain. */
uint64_t cairn_identity_asked(void);
void cairn_identity_left(uint64_t count);

/* ---- concurrent work: the runtime's thread that does a job while the program runs ---- */

/* A step of a job; returns true if the job has further steps. The steps of a job run in turn on the background thread,
 * only in phase MUTATE. A stop waits for the running step, so a step should take some ten microseconds, and must not
 * wait for other threads. A step sees the effects of earlier stops, and later stops see the effects of the step. A step
 * may call cairn_phase_begins(), cairn_phase_ends() and the functions that are allowed in any phase. */
typedef bool cairn_step(void *env);

/* Within collect(). The new job replaces the present one; null only ends the present job. After the stop the background
 * thread calls `step` until it returns false.
 *
 * The next collection starts the background thread, unless only signal handlers collect, exit handlers have run, or the
 * system cannot start more threads. The steps are then never called, and the collector must allow for a job without
 * steps. A fork()'s child begins without a job. The background thread is no mutator: an attempt to run managed code on
 * it ends the program. It gets no signals. */
void cairn_background_run(cairn_step *step, void *env);

/* INIT. If the time CAIRN_IDLE passes without a stop, the background thread calls `step` with a null `env` until `step`
 * returns false or a stop comes; the next stop starts the wait again. Such steps release unused memory. The rules of
 * cairn_step apply, so each step releases only a part of the memory. */
void cairn_background_idle(cairn_step *step);

/* Within collect(). The background thread calls the function once, between two steps. Stops do not wait for the call,
 * so it may take long. The call must have no effects that the program or a collection can see, but may commit memory of
 * unused addresses. The function must not call the runtime. The collector must make sure that the previous call has
 * ended. A null `call` cancels a waiting call, or waits for the end of a running one. */
typedef void cairn_aside(void);
void cairn_background_aside(cairn_aside *call);

/* ---- weak references, ephemerons, finalisers (docs/weak.md): services of the runtime for collectors with the traits
 * CAIRN_COLLECTOR_WEAK and CAIRN_COLLECTOR_FINALISES, within collect() ---- */

/* Reports that an object with weak fields (CAIRN_ABI_LAYOUT_WEAK_FIELDS) has been reached, and stays at `object` from
 * now on. cairn_weak_process() processes the object's fields in [from, to), for instance all fields (0, UINTPTR_MAX) or
 * the fields on a card. The collector itself visits the strong fields, except the fields of an ephemeron
 * (CAIRN_ABI_LAYOUT_EPHEMERON). Any thread. */
void cairn_weak_note(uintptr_t object, uintptr_t from, uintptr_t to);

/* Reports that an object whose header has CAIRN_ABI_HEADER_AWAITED is reached for the first time. The object was at
 * `was`; its header is at `now` or is about to be copied from there. The call clears the bit and visits no slot. The
 * collector calls the function once for each such object, on any thread. */
void cairn_weak_reached(uintptr_t was, uintptr_t now);

/* The collector's part of cairn_weak_process(), usable once the collector has visited everything reachable from the
 * roots. */
struct cairn_closure {
  /* True if the slot is null or an immediate, points out of the heap or to a reached object, or points to an object
   * that this collection keeps without reaching it. The function then updates the slot to the object's new address.
   * There may be several calls for a slot. */
  bool (*is_reached)(void *env, struct cairn_slot slot);
  /* Reach the slot's object, as for a field, and update the slot. Objects that this object refers to may wait until the
   * call of `close`. */
  void (*reach)(void *env, struct cairn_slot slot);
  /* Reach all waiting objects. */
  void (*close)(void *env);
  void *env;
  /* This collection keeps all objects that survived an earlier collection in their places: cairn_weak_process() skips
   * objects that were registered for a finaliser before that collection. */
  bool young;
};

/* Reaches the objects that ephemerons keep alive, clears weak references to unreachable objects, and queues the objects
 * to finalise. The function also reaches a queued object, with everything reachable from it. Once per collection, on
 * the collecting thread. */
void cairn_weak_process(const struct cairn_closure *closure);

/* Clears the weak fields of `object` whose targets have a layout in [start, stop) or a layout that is gone, and all
 * fields of an ephemeron with such a key. `object` has weak fields. `may_be_object` is true if an object may begin at
 * the address, so that its header can be read. Within forget(), for each object with weak fields. */
void cairn_weak_forget(uintptr_t object, const unsigned char *start, const unsigned char *stop,
                       bool (*may_be_object)(uintptr_t address));

/* ---- */

/* The goal for the longest pause of a collection, in nanoseconds (CAIRN_PAUSE), or 0 without a goal. The runtime leaves
 * the goal to the collector. The value is constant. Any phase. */
uint64_t cairn_pause_goal(void);

/* The goal for the pause of a full collection, in nanoseconds: CAIRN_PAUSE, or CAIRN_PAUSE_FULL (50 ms by default) if
 * CAIRN_PAUSE is not set; 0 without a goal. A collector that can should run a full collection that would take longer
 * concurrently. The value is constant. Any phase. */
uint64_t cairn_full_pause_goal(void);

/* The soft limit of the program's objects, in bytes (CAIRN_HEAP_SOFT), or 0 without a limit. The limit is a goal: above
 * the limit full collections should come sooner. The value is constant. Any phase. */
size_t cairn_soft_limit(void);

/* The growth of the heap until the next full collection, in percent of the bytes that the last full collection left
 * (CAIRN_HEAP_GROWTH); 10 to 10000. A collector balances time and memory by this value alone. The value is constant.
 * Any phase. */
size_t cairn_heap_growth(void);

/* Report the begin and the end of a part of the collection, such as "mark" or "copy", for CAIRN_TRACE, listeners
 * (<cairn/events.h>) and probes. The parts of one thread nest. `name` is a string that stays valid. Any thread of the
 * collector may call the functions. A collection should report only a few parts: each call takes about as long as
 * reading a clock, and longer if a listener is set. */
void cairn_phase_begins(const char *name);
void cairn_phase_ends(const char *name);

/* Sets the handler of roots with the language's own tags (<cairn/stack.h>, CAIRN_ROOT_USER and greater). The handler
 * calls visit(visit_env, slot) for each reference in *root, or at the place that *root points to, and writes *root
 * back. Without a handler such a root ends the program. Phase INIT or MUTATE. */
typedef void cairn_user_root(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                             void *visit_env);
void cairn_set_user_roots(cairn_user_root *handler);

/* Count one moved object of `bytes` bytes, header included, or `objects` moved objects of `bytes` bytes in all. One
 * thread at a time. */
void cairn_note_moved(size_t bytes);
void cairn_note_all_moved(uint64_t objects, uint64_t bytes);

/* Adds to one of the collector's own counts, which CAIRN_STATS prints as a line `name: sum`, in the order of the first
 * calls. `name` is a string that stays valid, such as "cards visited"; more than 24 names are a cairn_fatal(). Within
 * collect(), on the collecting thread. */
void cairn_note_count(const char *name, uint64_t amount);

/* INIT. Sets the function that reports the collector's memory for CAIRN_STATS: `report` calls cairn_memory_part() for
 * each part, at most 20 times. `name` is a string that stays valid. No byte belongs to two parts, and only bytes in
 * memory count: cairn_resident_bytes() returns the bytes of the pages of [start, start + bytes) that are in memory;
 * both bounds are multiples of the system's page size. The runtime calls `report` after some collections, in phase
 * STOP, and at the end of the program, on the thread that ends it, while collections are excluded. Without a report the
 * collector's memory counts as "other". */
typedef void cairn_memory_report(void);
void cairn_report_memory(cairn_memory_report *report);
void cairn_memory_part(const char *name, uint64_t bytes);
size_t cairn_resident_bytes(uintptr_t start, size_t bytes);

/* For collectors with the trait CAIRN_COLLECTOR_GENERATIONS: reports that this collection has found all unreachable
 * objects, even if only a young collection was requested. `concurrent` is true if a concurrent marking has found the
 * objects, and this collection has ended the marking. Without the trait every collection counts as full. At most one
 * call, within collect(). The program ends if several full collections in a row free next to no memory
 * (docs/environment.md, "When memory runs out"). */
void cairn_note_full(bool concurrent);

/* Functions that a collector may call in any phase. */

/* The program's rule for references and immediates. The registration of the first image writes the rule, before managed
 * code runs; later the rule is constant. All images of the program have the same rule. */
extern struct cairn_words cairn_words;

/* True if `layout`, which may be any value, is an address in the layout section of a registered image, or a layout of
 * the program; each header word is such an address. Any thread; lock-free. Within a collection the call is cheapest on
 * the collecting thread: other threads count themselves in and out at each call. */
bool cairn_layout_is_known(const struct cairn_layout *layout);

/* The description of a layout that a program makes. A single object has `base_size` bytes, and `elem_size` is 0. An
 * array has only elements: `base_size` and `elem_offset` are 0. The elements of a flexible object begin `elem_offset`
 * bytes into the object, whose fixed part has `base_size` bytes. `offsets` has the places of references, as in struct
 * cairn_layout: first those of the fixed part, then those of an element, each in ascending order. */
struct cairn_layout_description {
  size_t size;      /* of this structure; later versions may add members at the end */
  const char *name; /* by which modules find the layout; an array's name ends in "[]" */
  uint64_t base_size, elem_size, elem_offset;
  size_t base_refs, elem_refs;
  const uint32_t *offsets; /* may be null if there are none */
  uint32_t flags;          /* CAIRN_ABI_LAYOUT_FINALISABLE, _FIXED, _EPHEMERON, or 0; the others follow from the rest */
};

/* Makes a layout, or finds an equal one of that name, and stores it in *layout. The layout stays valid until the
 * program ends. It is a layout of all modules that name it, of those that are loaded already, too, and a layout operand
 * of cairn_alloc() and its like (docs/frontends.md, "Shared layouts"). The call copies the description. All such
 * layouts together may take 64 MiB.
 *
 * REFUSED: the description is wrong, the program's collector does not provide for the type, or the program has another
 *    layout of the name. MEMORY. BUSY: a signal handler interrupted such a call. After a failure *layout is null, and
 *    `fault`, of `size` bytes, has a sentence, cut like by snprintf(). Any thread, in phase MUTATE. */
enum cairn_status cairn_layout_make(const struct cairn_layout_description *description,
                                    const struct cairn_layout **layout, char *fault, size_t size);

/* The program's shared layout of this name, which a module or cairn_layout_make() has defined, or null. Any thread. */
const struct cairn_layout *cairn_layout_find(const char *name);

/* True for the layouts of cairn_fill(). Any thread. */
bool cairn_layout_is_filler(const struct cairn_layout *layout);

/* Print, like snprintf(), the name of a layout's type, such as "struct node" or "long[]", and of the field `offset`
 * bytes from the payload, such as "struct node.next", "struct table.slot[7]" or "long[3]". cairn_layout_is_known() must
 * be true. For a layout without names (docs/frontends.md, "Names") the functions print "layout 0x..." and "at offset
 * 8". They neither lock nor allocate. Any thread. */
int cairn_layout_type(const struct cairn_layout *layout, char *text, size_t size);
int cairn_layout_place(const struct cairn_layout *layout, uint64_t offset, char *text, size_t size);

/* True if the program has made an uncleared array before the last collection that began; once true, the result stays
 * true. cairn_arrays_uncleared_lately() is true if the program has made an uncleared array between that collection and
 * its predecessor. An uncleared array may contain headers of earlier objects, which look like objects. Any thread. */
bool cairn_arrays_uncleared(void);
bool cairn_arrays_uncleared_lately(void);

/* Reports a broken heap or stack and aborts. Never returns, never allocates. */
void cairn_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Reports that memory is exhausted: prints one line that begins "cairn: out of memory: ", and exits with status 1. If
 * `intact`, the heap and its allocation buffers are unchanged since the start of the collection, and the program's exit
 * handlers run; otherwise the function skips the exit handlers. Never returns, never allocates. Any phase. */
void cairn_out_of_memory(bool intact, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Cairn's collectors. The default is cairn_collector_generational, which the runtime initialises before managed code
 * runs. The option -fcairn-collector=NAME chooses cairn_collector_NAME, which the program may define. The program may
 * also call cairn_set_collector() before the first allocation, on the main thread, for example in a constructor. A
 * later call, or another version or size of the structure, is a cairn_fatal(). *collector must stay valid for the life
 * of the program. */
extern const struct cairn_collector cairn_collector_generational, cairn_collector_semispace;
void cairn_set_collector(const struct cairn_collector *collector);

/* The program's collector. Any thread, any phase. A compiler in the process reads the kind of barriers here. */
const struct cairn_collector *cairn_collector_in_use(void);

/* Emitted constructors and destructors call these functions, on the thread that loads or unloads the image; repeated
 * calls have no effect. The runtime copies *image; the image's sections must stay mapped until the image is
 * unregistered. Two images may have the same section of layouts, which then stays known until both are unregistered.
 * Any thread, in phase MUTATE, also while other threads collect. cairn_image_unregister() waits for a running
 * collection, and stops the program for a moment; within collect() it is a cairn_fatal(). */
void cairn_image_register(const struct cairn_image *image);
void cairn_image_unregister(const struct cairn_image *image);

/* Tells a loader if cairn_image_register() would end the program because of this image, which is mapped and not
 * registered: its version, the bounds of its sections, its words, a damaged layout, a type that needs a service which
 * the collector lacks, its barriers, the size of its in-line allocations. `first` is null, or an image that the loader
 * will register before this one. REFUSED: `fault`, of `size` bytes, gets a sentence, cut like by snprintf(), which
 * calls the image `name`, or by its file if that is null. The answer holds for the collector in use, and until another
 * image is registered. Any thread, in phase MUTATE. */
enum cairn_status cairn_image_check(const struct cairn_image *image, const struct cairn_image *first, const char *name,
                                    char *fault, size_t size);

/* Like cairn_image_unregister() for each of the images, in order, with one stop of the program. */
void cairn_image_unregister_all(const struct cairn_image *const *images, size_t count);

/* The uses of a registered image: the caller sets `image`, the address that was registered. `frames` counts the
 * activations of its code on all stacks, also those of waiting coroutines. `objects` counts the objects with its
 * layouts, and includes objects that the next full collection frees. */
struct cairn_image_use {
  const struct cairn_image *image;
  uint64_t frames, objects;
};

/* Counts the uses of `count` images, for a loader that unmaps code by itself: stops the program once, walks over all
 * stacks and, if an image has layouts, over the heap. Any thread outside phase STOP. BUSY: a signal handler that
 * interrupted managed code, or the thread that collects, calls, or some code has no safepoints. UNSEEN: the collector
 * does not report the places of its objects. After a failure the counts are unchanged. */
enum cairn_status cairn_image_count_uses(struct cairn_image_use *uses, size_t count);

/* The distance in bytes from a thread's thread pointer to its mutator, which is equal for all threads. Code that is
 * generated while the program runs needs the distance (<cairn/object.h>). Any thread, at any time. */
ptrdiff_t cairn_mutator_offset(void);

#pragma GCC visibility pop

/* True if an object of this layout has references. */
static inline bool cairn_layout_has_references(const struct cairn_layout *layout)
{
  return (layout->flags & CAIRN_ABI_LAYOUT_NO_REFERENCES) == 0;
}

/* Computes the bytes of an indexed object's payload into *bytes: max(base_size, elem_offset + count * elem_size),
 * rounded up to CAIRN_ABI_OBJECT_ALIGN. OVERFLOW: *bytes is unchanged. Compiled code computes the same value. Any
 * thread, any phase. */
static inline enum cairn_status cairn_layout_payload(const struct cairn_layout *layout, uint64_t count, uint64_t *bytes)
{
  uint64_t size;

  if (__builtin_mul_overflow(count, layout->elem_size, &size) ||
      __builtin_add_overflow(size, layout->elem_offset, &size) || size > UINT64_MAX / 2)
    return CAIRN_E_OVERFLOW;
  if (size < layout->base_size)
    size = layout->base_size;
  *bytes = (size + 7) & ~UINT64_C(7);
  return CAIRN_OK;
}

/* The names of version 0.1, for one more version. */
#define cairn_stretch_visitor cairn_range_visitor
#define cairn_older_roots cairn_deferred_roots
#define cairn_older_roots_visit cairn_deferred_roots_visit
#define cairn_barrier_word_shake cairn_barrier_word_handshake
#define cairn_logs_shake cairn_logs_handshake

#ifdef __cplusplus
}
#endif

#endif
