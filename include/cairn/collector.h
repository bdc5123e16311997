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
  uint32_t base_refs;   /* number of offsets[] of the fixed part */
  uint64_t base_size;   /* bytes of the fixed part, tail padding included; 0 for a plain array */
  uint64_t elem_size;   /* bytes from element to element; 0: the object is not indexed */
  uint32_t elem_offset; /* bytes from the payload to element 0 */
  uint32_t flags;       /* CAIRN_ABI_LAYOUT_* (<cairn/abi.h>) */
  uint32_t elem_refs;   /* number of offsets[] of each element */
  int32_t names;        /* bytes from this structure to its names, in the same image; 0: the layout lacks names */
  uint32_t offsets[];   /* base_refs from the payload, then elem_refs from an element's start; those of weak fields have
                         * the bit CAIRN_ABI_LAYOUT_WEAK_OFFSET */
};
#pragma GCC diagnostic pop

/* A module global that holds references; section `cairn_roots`. For a thread-local variable the address is that of a
 * function, plus CAIRN_ABI_ROOT_THREAD_LOCAL. */
struct cairn_global_root {
  void *address;                     /* null: a weak global that every unit leaves undefined */
  const struct cairn_layout *layout; /* never indexed */
};

/* The registration of one executable or shared object. A hidden constructor registers it; the compile side emits the
 * constructor into every object file (linkonce_odr, so an image has one). Both bounds of a missing section are null.
 * The runtime refuses another version or size. */
struct cairn_image {
  uint32_t version; /* CAIRN_ABI_IMAGE_VERSION */
  uint32_t size;    /* of this structure: CAIRN_ABI_IMAGE_SIZE */
  const unsigned char *frames_start, *frames_stop;
  const struct cairn_global_root *roots_start, *roots_stop;
  const unsigned char *layouts_start, *layouts_stop;
  const unsigned char *details_start, *details_stop;
  uint64_t flags; /* CAIRN_ABI_IMAGE_* */
};

/* An entry of section `cairn_spans` (<cairn/stack.h>, docs/spans.md). The first entry is only a mark (abi.def,
 * SPAN_MARK). The value of a span is `integer` if `distance` is 0; otherwise it is the address of `distance` plus
 * `distance`. */
struct cairn_span {
  uint64_t key, integer;
  int32_t distance;
  uint32_t reserved; /* 0 */
};

/* How the program tells references from immediates (docs/words.md): a word is a reference if its bits of `mask` are
 * equal to `reference`, and its object's address is the word minus `reference`; otherwise the word is an immediate.
 * Both 0: each word is a reference. */
struct cairn_words {
  uintptr_t mask, reference;
};

/* Called with every root that the runtime finds, in phase STOP, on the visiting thread. `slot` holds a reference to an
 * object, null, an address outside the heap, or an immediate (struct cairn_words). The last two must stay as they are.
 * The reference may point into the object or just past it: a pointer that a C program derived and passed on as an
 * argument or a result is a base to the callee, and the callee's frame map lists only the base. References in objects
 * always point to the object's start. The runtime handles a function's own derived pointers itself: it reads all their
 * distances from their bases before the first call for a stack, and writes them back after the last call of all
 * (statepoints-later, "Base & Derived Pointers"). A slot may come twice. Update the slot before you return. */
typedef void cairn_root_visitor(void *env, struct cairn_slot slot);

/* Called with each range of the heap. `blocks`: [start, end) has blocks, one after another, except for the free parts
 * of mutators' buffers. Otherwise no reference may point into the range. */
typedef void cairn_range_visitor(void *env, uintptr_t start, uintptr_t end, bool blocks);

/* A thread that runs managed code. */
struct cairn_mutator;

/* The cause of a collection. */
enum cairn_cause {
  CAIRN_CAUSE_ALLOCATION, /* a block is larger than the free space */
  CAIRN_CAUSE_ASKED,      /* cairn_collect() */
  CAIRN_CAUSE_HANDLER,    /* a signal handler that interrupted managed code wanted one */
  CAIRN_CAUSE_EMERGENCY,  /* the collection just before freed too little for the block: the last attempt */
  CAIRN_CAUSE_STRESS,     /* CAIRN_STRESS */
  CAIRN_CAUSE_EXTERNAL    /* objects keep much memory outside of the heap: cairn_external_bytes() */
};

/* The least work of a collection. */
enum cairn_extent {
  CAIRN_EXTENT_YOUNG,   /* free enough memory; a collector without generations runs a full collection */
  CAIRN_EXTENT_FULL,    /* free all unreachable objects */
  CAIRN_EXTENT_MOVE_ALL /* as FULL; every object also ends at another address, and its old space is unmapped; only if
                         * the collector moves objects */
};

struct cairn_collection {
  enum cairn_cause cause;
  enum cairn_extent extent;
  size_t bytes_needed; /* of the waiting allocation, or 0: the heap may grow for it */
};

/* The properties of a collector: bits of struct cairn_collector's `traits`. */
enum {
  CAIRN_COLLECTOR_MOVES = 1,       /* the collector can move every object; required by CAIRN_STRESS */
  CAIRN_COLLECTOR_GENERATIONS = 2, /* a young collection may leave garbage that a full one frees */
  CAIRN_COLLECTOR_WORDS = 4,       /* it reads and writes slots by cairn_slot_object() and cairn_slot_set(); required by
                                    * programs with immediates */
  CAIRN_COLLECTOR_WEAK = 8, /* it handles weak references; required by programs with such types (CAIRN_ABI_LAYOUT_*) */
  CAIRN_COLLECTOR_FINALISES = 16, /* it handles finalisable objects; likewise required */
  CAIRN_COLLECTOR_FIXED = 32, /* it can leave some objects in their places; required by programs with such types, if the
                               * collector moves objects */
  CAIRN_COLLECTOR_PARALLEL = 64, /* it divides its work among threads; required by cairn_workers_run() */
  CAIRN_COLLECTOR_PINS = 128, /* pinned objects stay: it calls cairn_pins_visit() in each collection; a moving collector
                               * needs the trait for pins */
  CAIRN_COLLECTOR_REUSES = 256, /* up to the next collection, another object without references may take the block of a
                                 * dead object of allocate_large() */
  CAIRN_COLLECTOR_HASHES = 512, /* moved objects keep their identity hashes; a moving collector needs
                                 * the trait for cairn_identity_hash() */
  CAIRN_COLLECTOR_LENGTHENS = 1024, /* allocate_large() is also called to lengthen a block */
  CAIRN_COLLECTOR_TRAITS = 2047     /* all traits; a collector with others is refused */
};

/* You provide: */
struct cairn_collector {
  uint32_t version; /* CAIRN_ABI_COLLECTOR_VERSION (<cairn/abi.h>) */
  uint32_t size;    /* sizeof(struct cairn_collector) */
  const char *name;
  uint64_t traits; /* CAIRN_COLLECTOR_* */

  /* CAIRN_ABI_BARRIERS_*: the barriers that compiled code must have at accesses to references in the heap. Code with
   * another kind of barriers is refused, except code with CARDS under a collector with NONE. cairn_set_collector()
   * initialises a collector with barriers at once, and must be called before a second thread runs managed code. */
  uint64_t barriers;

  /* The size in bytes of the largest block that compiled code may allocate in line; 0: any size. Code that allocates
   * larger blocks in line is refused (-fcairn-inline-max). The collector sees each larger block, as it is a large
   * object: allocate_large allocates it, unless that member is null. A value below 8: the collector sees every block.
   */
  uint64_t largest_in_line;

  /* INIT. Reserve the heap; `max_bytes` bounds the memory of the program's objects. MEMORY: the reservation failed; the
   * program ends. */
  enum cairn_status (*init)(size_t initial_bytes, size_t max_bytes);

  /* MUTATE or STOP, on the mutator's own thread; several threads may call at once. Set the mutator's allocation buffer
   * so that `bytes` fit, without collecting. FULL: a collection is needed first, or (after one) memory is exhausted. */
  enum cairn_status (*refill)(struct cairn_mutator *mutator, size_t bytes);

  /* Like refill, except that *block becomes a block of `bytes` for a large object, outside the allocation buffer; the
   * whole block is zero if `cleared`. Signal handlers that interrupted managed code do not call it. The member may be
   * null: large objects are then allocated in the buffer like others.
   *
   * With CAIRN_COLLECTOR_LENGTHENS, *block may be the block of an array, anywhere in the heap: lengthen it to `bytes`.
   * The array keeps its place and contents; the added bytes may have any contents. FULL: the block did not come from
   * allocate_large(), or the space after it is too small; the runtime then copies the array. In all other calls *block
   * is null. */
  enum cairn_status (*allocate_large)(struct cairn_mutator *mutator, size_t bytes, bool cleared, void **block);

  /* Like refill, except that it raises the heap's capacity so that `bytes` fit. MEMORY: the maximum is too small. For
   * programs and collectors that never collect (CAIRN_ABI_IMAGE_NO_SAFEPOINTS), and for signal handlers. */
  enum cairn_status (*grow)(struct cairn_mutator *mutator, size_t bytes);

  /* STOP, on the thread that stopped the others. Find all reachable objects, move objects as you like, and update every
   * slot. May call the functions below. The thread is not cancelled meanwhile. May be null: the collector never
   * collects, cairn_collect() has no effect, and an allocation that does not fit calls `grow`. */
  void (*collect)(const struct cairn_collection *collection);

  /* Any phase, async-signal-safe. True if `address` lies in space that objects were moved away from; *collection
   * becomes the number of that collection, counted from 1, or 0 if it is forgotten. The explanation of a fault uses the
   * answer. May be null. */
  bool (*was_unmapped)(uintptr_t address, uint64_t *collection);

  /* MUTATE, on the mutator's own thread. True if `word` is the address of an object, as far as its header can tell.
   * Called for the checks of words that a program copies to memory that collections do not scan (a reference there
   * would be lost), and for the checks of pinned objects and of objects with identity hashes. May be null: such copies
   * are then left unchecked. */
  bool (*is_object)(uintptr_t word);

  /* STOP, on the unloading thread, with or without a mutator. The layouts in [start, stop) are about to go, with their
   * image. Objects with these layouts are garbage, or the program is wrong. A collector that walks over garbage must
   * note the sizes of these objects now, and must not later take one for an object of a new layout at the same address.
   * May be null if the collector never reads garbage. */
  void (*forget)(const unsigned char *start, const unsigned char *stop);

  /* STOP, on the thread that stopped the others, outside collect(). Call `visit` for each range of the heap, in any
   * order; ranges do not overlap. The call changes nothing. May be null: CAIRN_VERIFY=heap, CAIRN_HISTOGRAM and
   * CAIRN_DUMP are then refused. A walk over the ranges reads garbage, and so needs `forget`. */
  union {
    void (*ranges)(cairn_range_visitor *visit, void *env);
    void (*stretches)(cairn_range_visitor *visit, void *env); /* the name in 0.1 */
  };

  /* STOP, outside collect(). Returns the bytes of the ranges of blocks, exactly or about; at least the free bytes of
   * all allocation buffers. The call must be fast: the runtime makes it before and after each collection if a listener
   * is set, and after collections that free too little. May be null: `ranges` is called instead. */
  uint64_t (*used)(void);

  /* The slow paths of barriers. MUTATE, on the mutator's own thread, just before the access. They reach no safepoint,
   * so all objects stay in place meanwhile; they must not allocate managed objects, and must not wait for a thread that
   * may be at a safepoint. They are async-signal-safe: a handler may come between any two instructions, run managed
   * code that comes here as well, and jump out; the access then does not happen. cairn_log() keeps these rules. A slot
   * is any address: of a local, of a global, or of an object's field. The collector finds the object if it needs the
   * object. */

  /* SNAPSHOT: a store over the non-null word `old`, while the barrier word differs from 0. `old` may be an immediate
   * (struct cairn_words). */
  void (*log_old)(struct cairn_mutator *mutator, uintptr_t old);

  /* LOADS: `value`, which was loaded from the slot, has a bit of the barrier word; `value` may also be an address
   * outside the heap, or an immediate. Returns the word that the program shall use. The function may store that word in
   * the slot, by a compare-and-swap: other threads store there, too. */
  uintptr_t (*heal)(struct cairn_mutator *mutator, struct cairn_slot slot, uintptr_t value);

  /* SNAPSHOT: a copy is about to write to [start, end). LOADS: a copy is about to read that range. The range may have
   * any words, and parts of words at its ends: the layout of the object there tells references from others. Barriers
   * CARDS do not call this function. */
  void (*barrier_range)(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end);

  /* STOP, outside collect(). The field `slot` of `object` holds a reference. True if a young collection would find the
   * reference or may ignore it. False: an object that a young collection leaves alone refers to an object that it may
   * move or free, and cards and logs lack that reference. The call changes nothing. May be null: CAIRN_VERIFY=heap and
   * CAIRN_VERIFY=stores then skip the search for missing barriers. */
  bool (*covered)(uintptr_t object, struct cairn_slot slot);
};

#pragma GCC visibility push(default)

/* You may call these functions in phase MUTATE for the mutator of the thread that called you, and in phase STOP for any
 * mutator. They fail only by cairn_fatal(), and memory that you pass to them stays yours: */

/* Take the mutator's allocation buffer back. Returns its first free byte, and stores its end through `end`; both are 0
 * if the mutator has no buffer. */
uintptr_t cairn_buffer_take(struct cairn_mutator *mutator, uintptr_t *end);

/* Give the bytes [start, end) to a mutator without a buffer. Both are multiples of 8; the bytes may have any contents.
 * A mutator that ends fills the rest of its buffer (cairn_fill()). */
void cairn_buffer_give(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end);

/* Like cairn_buffer_give(), for memory that the collector knows to be zero from `zero` on: larger blocks there need no
 * clearing. */
void cairn_buffer_give_zeroed(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end, uintptr_t zero);

/* Sets the table that barriers in compiled code read (abi.def): the same for all present and later mutators, and in a
 * fork()'s child. Before the first call the table is one card for all addresses, whose byte is 1, and the barrier word
 * is 0.
 *
 * The table of barriers CARDS has mask + 1 bytes, a power of two. Each byte stands for 2^CAIRN_ABI_CARD_SHIFT bytes of
 * memory. Addresses wrap round: two addresses share a byte if their distance is a multiple of the memory that the whole
 * table covers. Null and 0: the one card again. Phase INIT, once: compiled code keeps table and mask in registers. */
void cairn_barrier_cards(unsigned char *cards, uint64_t mask);

/* Sets the word that barriers SNAPSHOT and LOADS test. Phases INIT and STOP. */
void cairn_barrier_word(uint64_t word);

/* Sets the barrier word in phase MUTATE, by a handshake with the rules and statuses of <cairn/thread.h>: each thread
 * has the word from its next safepoint on, and all threads have it at the return. After a failure some threads have it,
 * and all later threads. */
enum cairn_status cairn_barrier_word_handshake(uint64_t word, uint64_t timeout);

/* Adds a word other than 0 to the log of the calling thread's mutator. MUTATE; async-signal-safe. */
void cairn_log(struct cairn_mutator *mutator, uintptr_t word);

/* Visits the words of all logs, also of threads that have ended, and empties the logs. The newest words of a thread
 * come first. Phase STOP. */
typedef void cairn_log_visitor(void *env, uintptr_t word);
void cairn_logs_take(cairn_log_visitor *visit, void *env);

/* Like cairn_logs_take(), in phase MUTATE, by a handshake: several threads may visit at a time. Words that a thread
 * logs after its answer stay in its log. After a failure some logs are unchanged. */
enum cairn_status cairn_logs_handshake(cairn_log_visitor *visit, void *env, uint64_t timeout);

/* A word of each mutator for the collector's use; 0 at first. */
uintptr_t *cairn_mutator_word(struct cairn_mutator *mutator);

/* The number of mutators. Any phase; in phase MUTATE threads come and go meanwhile. */
size_t cairn_mutator_count(void);

/* Put one object without references into [from, to), both multiples of 8, so that a walk from block to block passes the
 * range (cairn_block_object() of <cairn/heap_object.h>). The length may be any, including 0 and a single word. At most
 * the first two words are written. The object's layout is known (cairn_layout_is_known()). The program ends at other
 * bounds than multiples of 8. MUTATE and STOP. */
void cairn_fill(uintptr_t from, uintptr_t to);

/* You may call, in phase STOP, within collect() and forget(): */

/* The mutators in turn: null gives the first one, and null follows the last. */
struct cairn_mutator *cairn_mutator_next(const struct cairn_mutator *mutator);

/* Within collect(): */

/* Enumerate the roots of all stacks and images. Once per collection: derived pointers are written back before the
 * return. */
void cairn_visit_roots(cairn_root_visitor *visit, void *env);

/* Like cairn_visit_roots(), but with many roots per call, which saves calls: `slots` are the addresses of `count`
 * references, valid during the call. Use either function in a collection. */
typedef void cairn_roots_visitor(void *env, uintptr_t *const *slots, size_t count);
void cairn_visit_root_arrays(cairn_roots_visitor *visit, void *env);

/* Enumerate the roots for a collection of a young generation: the roots of images and handles, and the roots of
 * activations that may have run since the last call of this function or of one of those above. For earlier activations
 * only locals whose address was taken come. So a stack of a million activations costs as much as its few activations
 * that have run, and such locals. Returns the number of activations visited.
 *
 * First the runtime calls `settle` for the roots of stacks that the next call may leave out, because their activations
 * will lie below a mark by then; after these it calls `visit` for all other roots. A collector that ever calls this
 * function promises:
 *   - The object of a root given to `settle` ends the collection in a place where young collections neither move nor
 *     free it. So a surviving object of such a root is promoted at once, or stays for good. These roots come first, so
 *     their objects have not been copied elsewhere yet. Objects that this object refers to may stay young.
 *   - After a collection that enumerates all roots by a function above, all roots of stacks keep that promise. Young
 *     enumerations leave out only roots of stacks.
 *
 * The object of a root given to `visit` may stay young: the root comes again, or is gone by then. A collector that
 * promotes all survivors passes one function for both.
 *
 * The runtime visits all roots when it cannot tell which activations have run: at the first call; after a code region
 * was added; if hardware checks return addresses; on all stacks if the program has both coroutine stacks and code
 * regions; on stacks with `suspended` (<cairn/stack.h>); and on a stack for which the pool of marks is empty. Each call
 * also visits the roots of all activations down to the oldest one that belongs to another code info manager or has
 * roots with the language's own tags. From the first call on, addresses of stubs replace some return addresses on the
 * stack; see docs/stack.md. Once per collection. */
uint64_t cairn_visit_young_roots(cairn_root_visitor *settle, cairn_root_visitor *visit, void *env);

/* Enumerate roots of stacks that young enumerations leave out, in parts over several stops, for a collector that marks
 * from roots while the program runs. cairn_deferred_roots(true) asks for them, before the young enumeration of its
 * stop. After the young enumeration of a stop, each call of cairn_deferred_roots_visit() visits the roots of some
 * hundred activations, for a visitor that leaves slots unchanged. False: all have been visited, also for later stops:
 * each root of a stack was visited after its last change, by such a call or by a young enumeration since then.
 * Meanwhile existing old objects must stay in place. Only the collecting thread calls these functions. */
void cairn_deferred_roots(bool wanted);
bool cairn_deferred_roots_visit(cairn_root_visitor *visit, void *env);

/* An enumeration by several threads at a time. The collecting thread begins it. Then any number of threads, workers
 * (below) among them, call fetch and visit until fetch returns null; it then returns null to all threads. When all
 * roots have been visited, the collecting thread ends the enumeration: the end writes derived pointers back, and
 * returns the number of activations visited.
 *
 *   cairn_roots_begin(CAIRN_ROOTS_ALL);
 *   ... on each thread: while ((roots = cairn_roots_fetch())) cairn_roots_visit(roots, visit, env);
 *   cairn_roots_end();
 *
 * An enumeration of CAIRN_ROOTS_YOUNG has two rounds, and the promises of cairn_visit_young_roots(). When all threads
 * have fetched and visited the roots that it would give to `settle`, the collecting thread calls cairn_roots_rest();
 * then fetch returns the other roots.
 *
 * A fetch finds roots of one stack (of several, if code info managers link stacks), or some roots of images or handles;
 * a set has about a thousand at most, so that threads share the roots of a large stack or table. A fetch may walk a
 * stack, and may wait for other threads' fetches, but never for visits. A thread may fetch several sets before it
 * visits. Visits may go on while other threads fetch or visit; each set is visited once, on any thread, one thread at a
 * time. So visitors, handlers of user roots, and callbacks of managers and stacks (<cairn/stack.h>) run on several
 * threads at a time.
 *
 * A collector's own thread that takes part must not run managed code, and must block signals whose handlers run managed
 * code: such a handler would wait for the end of this stop. Misuse ends the program: an enumeration within another, a
 * fetch outside an enumeration, an end before all roots have been visited. */
enum cairn_roots {
  CAIRN_ROOTS_ALL,
  CAIRN_ROOTS_YOUNG,
  CAIRN_ROOTS_LOOK /* all roots, for a visitor that leaves slots unchanged, such as a check. Such an enumeration may
                    * come in addition to the collection's own, needs no promise, and leaves the state of young
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

/* Visits each pinned address once, before objects move. The visitor returns the object there; like a root, the address
 * may point into the object or just past it. 0: there is no object, and the program ends. The object stays in its place
 * in this collection, if it is reached. Meanwhile any thread may unpin it, and pins wait. Within collect(), on the
 * collecting thread. */
typedef uintptr_t cairn_pin_visitor(void *env, uintptr_t address);
void cairn_pins_visit(cairn_pin_visitor *visit, void *env);

/* Drops the pins of this address, whose object the collection left unreached. */
void cairn_pins_forget(uintptr_t address);

/* True if any object is pinned. Phase STOP. */
bool cairn_pins_any(void);

/* INIT. The heap's objects lie in [start, end), and in the ranges of further calls, four in all. Only an address in
 * these ranges or at the start of an object can be pinned. */
void cairn_heap_range(uintptr_t start, uintptr_t end);

/* INIT. Addresses are limited (ulimit -v): they suffice for objects of so many bytes, fewer than the maximum, and the
 * heap may end there. The runtime prints a line about the limit if the program's user set the maximum. */
void cairn_note_addresses(size_t bytes);

/* ---- workers: the runtime's threads that divide the work of a collection, for collectors with the trait
 * CAIRN_COLLECTOR_PARALLEL ---- */

/* The part `worker`, counted from 0, of `count` parts of a job. The parts run at the same time, each on its own thread;
 * number 0 runs on the collecting thread. A part may call the functions that are allowed within collect() on any
 * thread. A part may wait only for parts with numbers below `count`. A part has at least half a megabyte of stack. */
typedef void cairn_job(void *env, unsigned worker, unsigned count);

/* STOP, the collecting thread. Runs a job: calls each of its parts, waits for their returns, and returns their number.
 * There are as many parts as workers, up to `most`, which is at least 1: a short job should have few parts, as waking a
 * thread takes microseconds. The parts see all that the calling thread did before the call, and the calling thread sees
 * all that the parts did.
 *
 * The runtime starts workers before the first collection (CAIRN_WORKERS, docs/environment.md); between jobs they wait.
 * The collecting thread is the only worker if the system cannot start more threads, as long as only signal handlers
 * have collected, and after exit handlers have run. In a fork()'s child workers are started anew. Workers are no
 * mutators: an attempt to run managed code ends the program, as does a job within a job. They get no signals. */
unsigned cairn_workers_run(unsigned most, cairn_job *job, void *env);

/* The largest number of parts of a job. It is constant. Any phase. */
unsigned cairn_workers_most(void);

/* ---- identity hashes (docs/weak.md), for collectors with the traits CAIRN_COLLECTOR_MOVES and CAIRN_COLLECTOR_HASHES:
 * they copy objects as cairn_object_copy_hash() of <cairn/heap_object.h> requires, and walk over objects by
 * cairn_object_payload(). STOP ---- */

/* The maximum number of objects whose hashes were computed and that have stayed in place since; a copy of such an
 * object is 8 bytes larger than the object. The second function sets the number after a collection that reached all
 * objects: `count` such objects remain. */
uint64_t cairn_identity_asked(void);
void cairn_identity_left(uint64_t count);

/* ---- concurrent work: the runtime's thread that does a job while the program runs ---- */

/* A step of a job; true: the job has further steps. The steps of a job run in turn on the background thread, in phase
 * MUTATE and never in phase STOP: a stop waits for the running step, so a step should take some ten microseconds, and
 * must not wait for other threads. A step sees the effects of earlier stops, and later stops see its effects. It may
 * call the functions that are allowed in any phase, cairn_phase_begins() and cairn_phase_ends(). */
typedef bool cairn_step(void *env);

/* Within collect(). From the end of the stop on, the background thread calls `step` until that returns false. The new
 * job replaces the present one; null: only ends the present one.
 *
 * The next collection starts the thread, except while only signal handlers collect, after exit handlers have run, or if
 * the system cannot start more threads: the steps are then never called, and the collector must check for that. A
 * fork()'s child begins without a job. The thread is no mutator: an attempt to run managed code ends the program. It
 * gets no signals. */
void cairn_background_run(cairn_step *step, void *env);

/* INIT. If no stop comes for the time CAIRN_IDLE, the background thread calls `step` with a null `env`, until that
 * returns false or a stop comes; the next stop starts the wait again. Such steps release unused memory. They keep the
 * rules of cairn_step above, so each releases a part of the memory. */
void cairn_background_idle(cairn_step *step);

/* Within collect(). The background thread calls the function once, between two steps. Stops do not wait for the call,
 * so it may take long. Its effects must be invisible to the program and to collections: it may commit memory of unused
 * addresses. It must not call the runtime. The collector must know that the previous such call has ended. Null: cancels
 * a waiting call, and waits for a running one to end. */
typedef void cairn_aside(void);
void cairn_background_aside(cairn_aside *call);

/* ---- weak references, ephemerons, finalisers (docs/weak.md): services of the runtime for collectors with the traits
 * CAIRN_COLLECTOR_WEAK and CAIRN_COLLECTOR_FINALISES, within collect() ---- */

/* Reports that an object with weak fields (CAIRN_ABI_LAYOUT_WEAK_FIELDS) has been reached, and stays at `object` from
 * now on. cairn_weak_process() shall process its fields in [from, to): in most cases all of them (0, UINTPTR_MAX), or
 * those on a card. The collector itself visits the strong fields, except those of an ephemeron
 * (CAIRN_ABI_LAYOUT_EPHEMERON). Any thread. */
void cairn_weak_note(uintptr_t object, uintptr_t from, uintptr_t to);

/* Reports that an object whose header has CAIRN_ABI_HEADER_AWAITED is reached for the first time. The object was at
 * `was`; its header is at `now` or is about to be copied from there. The call clears the bit and visits no slot. Once
 * for each such object. Any thread. */
void cairn_weak_reached(uintptr_t was, uintptr_t now);

/* The collector's part of cairn_weak_process(), valid once it has visited everything reachable from the roots. */
struct cairn_closure {
  /* True if the slot is null or an immediate, or points out of the heap, to a reached object, or to an object that this
   * collection may leave unreached. The function then updates the slot to the object's new address. May be called again
   * for the slot. */
  bool (*is_reached)(void *env, struct cairn_slot slot);
  /* Reach the slot's object, as for a field, and update the slot. Objects that it refers to may wait until `close` is
   * called. */
  void (*reach)(void *env, struct cairn_slot slot);
  /* Reach all waiting objects. */
  void (*close)(void *env);
  void *env;
  /* All objects that an earlier collection left are in their places: objects that were registered for a finaliser
   * before it are skipped. */
  bool young;
};

/* Reaches the objects that ephemerons keep alive, clears weak references to unreachable objects, and queues the objects
 * to finalise. A queued object is reached then, with everything reachable from it. Once per collection, on the
 * collecting thread. */
void cairn_weak_process(const struct cairn_closure *closure);

/* ---- */

/* The goal for the longest pause of a collection, in nanoseconds (CAIRN_PAUSE), or 0 without a goal. The runtime leaves
 * the goal to the collector. The value is constant. Any phase. */
uint64_t cairn_pause_goal(void);

/* The soft limit of the program's objects, in bytes (CAIRN_HEAP_SOFT), or 0 without a limit. The limit is a goal: above
 * it full collections are to come sooner. The value is constant. Any phase. */
size_t cairn_soft_limit(void);

/* The begin and the end of a part of the collection, such as "mark" or "copy", for CAIRN_TRACE, listeners
 * (<cairn/events.h>) and probes. The parts of one thread nest. `name` is a string that stays. Any thread of the
 * collector may call. A collection should report only a few parts: each call takes about as long as reading a clock,
 * and longer if a listener is set. */
void cairn_phase_begins(const char *name);
void cairn_phase_ends(const char *name);

/* Sets the handler of roots with the language's own tags (<cairn/stack.h>, CAIRN_ROOT_USER and greater). The handler
 * calls visit(visit_env, slot) for each reference in *root, or at the place that *root points to, and writes *root
 * back. Without a handler such a root ends the program. Phase INIT or MUTATE. */
typedef void cairn_user_root(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                             void *visit_env);
void cairn_set_user_roots(cairn_user_root *handler);

/* Counts one moved object of `bytes` bytes, header included; or `objects` moved objects of `bytes` bytes in all. One
 * thread at a time. */
void cairn_note_moved(size_t bytes);
void cairn_note_all_moved(uint64_t objects, uint64_t bytes);

/* For collectors with the trait CAIRN_COLLECTOR_GENERATIONS: reports that this collection has found all unreachable
 * objects, whatever extent was asked for. True: a concurrent marking has found them, and this collection has ended the
 * marking. Without the trait every collection counts as full. Within collect(), once. The program ends if several full
 * collections in a row free next to no memory (docs/environment.md, "When memory runs out"). */
void cairn_note_full(bool concurrent);

/* You may call, in any phase: */

/* The rule that tells references from immediates. Registering the first image writes it, before managed code runs;
 * later it is constant. All images of the program have the same rule. */
extern struct cairn_words cairn_words;

/* True if `layout`, which may be any value, lies in the layout section of a registered image, as each header word must.
 * Any thread; lock-free. Within a collection the call is cheapest on the collecting thread: other threads count
 * themselves in and out at each call. */
bool cairn_layout_is_known(const struct cairn_layout *layout);

/* Print the program's name of a known layout, in the manner of snprintf(): the type of its objects, such as "struct
 * node" or "long[]"; and the field `offset` bytes from the payload, such as "struct node.next", "struct table.slot[7]"
 * or "long[3]". For a layout without names (docs/frontends.md, "Names") they print "layout 0x..." and "at offset 8".
 * Any thread; the functions neither lock nor allocate. */
int cairn_layout_type(const struct cairn_layout *layout, char *text, size_t size);
int cairn_layout_place(const struct cairn_layout *layout, uint64_t offset, char *text, size_t size);

/* True if the program has made an uncleared array; for the second function, if it has made one since the collection
 * before this one, or the last. Any word in an array without references may then look like a header: it may be the
 * header of an earlier object at this address. Any thread; the answer is as of the last collection that began. The
 * first function stays true from then on. */
bool cairn_arrays_uncleared(void);
bool cairn_arrays_uncleared_lately(void);

/* Reports a broken heap or stack and aborts. Never returns, never allocates. */
void cairn_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Reports that memory is exhausted: prints one line that begins "cairn: out of memory: ", and exits with status 1. If
 * `intact`, the heap and its allocation buffer are as at the collection's begin, and the program's exit handlers may
 * run; otherwise they are skipped. Never returns, never allocates. Any phase. */
void cairn_out_of_memory(bool intact, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Cairn's collectors. A program gets the first one by default, which is set up before its first managed code runs; or
 * by -fcairn-collector=NAME the collector cairn_collector_NAME, which may be the program's own; or the collector that
 * it sets by cairn_set_collector() before the first allocation, for example in a constructor, on the main thread. A
 * later call, or another version or size of the structure, is a cairn_fatal(). *collector must stay for the life of the
 * program. */
extern const struct cairn_collector cairn_collector_generational, cairn_collector_semispace;
void cairn_set_collector(const struct cairn_collector *collector);

/* Called by emitted constructors and destructors, on the thread that loads or unloads the image; idempotent. *image is
 * copied; its sections must stay mapped until the image is unregistered. Any thread, in phase MUTATE, also while others
 * collect. cairn_image_unregister() waits for a running collection, and stops the program for a moment; within
 * collect() it is a cairn_fatal(). */
void cairn_image_register(const struct cairn_image *image);
void cairn_image_unregister(const struct cairn_image *image);

/* The distance from the calling thread's thread pointer to its mutator, in bytes; the same for all threads. For code
 * that is made while the program runs (<cairn/object.h>). Any thread, at any time. */
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

/* Names of 0.1, kept for one version. */
#define cairn_stretch_visitor cairn_range_visitor
#define cairn_older_roots cairn_deferred_roots
#define cairn_older_roots_visit cairn_deferred_roots_visit
#define cairn_barrier_word_shake cairn_barrier_word_handshake
#define cairn_logs_shake cairn_logs_handshake

#ifdef __cplusplus
}
#endif

#endif
