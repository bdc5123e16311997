/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that a collector provides and those that it may call, with the phase in which each
 * call is legal.
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

/* A slot: the address of a reference, which is the address of an object's payload, or null. Where
 * words are told apart (struct cairn_words) it may be an immediate instead, and a reference carries
 * its tag: cairn_slot_object() and cairn_slot_set() of <cairn/heap_object.h> know. Wrapped so that
 * the compiler rejects mixing slots, objects and integers. */
struct cairn_slot {
  uintptr_t *address;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* C++ has no flexible array members */
/* The places of references in an object. The compile side emits it into section `cairn_layouts`,
 * from the LLVM value type of a zero-initialised static; it holds no address, so needs no
 * relocation. It also describes globals. */
struct cairn_layout {
  uint32_t magic;       /* CAIRN_ABI_LAYOUT_MAGIC */
  uint32_t base_refs;   /* how many of offsets[] belong to the fixed part */
  uint64_t base_size;   /* bytes of the fixed part, tail padding included; 0 for a plain array */
  uint64_t elem_size;   /* bytes from element to element; 0 if the object is not indexed */
  uint32_t elem_offset; /* bytes from the payload to element 0 */
  uint32_t flags;       /* CAIRN_ABI_LAYOUT_* (<cairn/abi.h>) */
  uint32_t elem_refs;   /* how many of offsets[] belong to each element */
  int32_t names;        /* bytes from this structure to its names, in the same image; 0: it has none */
  uint32_t offsets[];   /* base_refs from the payload, then elem_refs from an element's start; of
                         * weak ones CAIRN_ABI_LAYOUT_WEAK_OFFSET is set */
};
#pragma GCC diagnostic pop

/* A module global that holds references; section `cairn_roots`. For a thread-local the address is
 * that of a function, plus CAIRN_ABI_ROOT_THREAD_LOCAL. */
struct cairn_global_root {
  void *address;                     /* null: a weak global that no unit defines */
  const struct cairn_layout *layout; /* never indexed */
};

/* The registration of one executable or shared object, by a hidden constructor that the compile
 * side emits into every object (linkonce_odr, so once per image). The bounds of a section are null
 * if there is none. The runtime refuses another version or size. */
struct cairn_image {
  uint32_t version; /* CAIRN_ABI_IMAGE_VERSION */
  uint32_t size;    /* of this structure: CAIRN_ABI_IMAGE_SIZE */
  const unsigned char *frames_start, *frames_stop;
  const struct cairn_global_root *roots_start, *roots_stop;
  const unsigned char *layouts_start, *layouts_stop;
  const unsigned char *details_start, *details_stop;
  uint64_t flags; /* CAIRN_ABI_IMAGE_* */
};

/* An entry of section `cairn_spans` (<cairn/stack.h>, docs/spans.md; the first is none: abi.def,
 * SPAN_MARK). The value is `integer`, or, if `distance` is not 0, the address of `distance` plus
 * `distance`. */
struct cairn_span {
  uint64_t key, integer;
  int32_t distance;
  uint32_t reserved; /* 0 */
};

/* How the program tells words apart (docs/words.md): a word is a reference if its bits of `mask`
 * are `reference`, and leads to the address that much lower; else it is an immediate. Both 0: each
 * word is a reference. */
struct cairn_words {
  uintptr_t mask, reference;
};

/* Called with every root that the runtime finds, in phase STOP, on the thread that visits.
 * `slot` holds a reference to an object, or null, or an address outside the heap, which must stay,
 * or an immediate (struct cairn_words), which must stay.
 * The reference may point into the object or just past it: a pointer that a C program derived and
 * passed on as an argument or a result is a base to the callee, whose frame map cannot say more.
 * References in objects always point to the start. A function's own derived pointers never come
 * here: the runtime reads all their distances from their bases before the first call of a stack,
 * and writes them back after the last of all (statepoints-later, "Base & Derived Pointers"). The
 * same slot may come twice. Update it before you return. */
typedef void cairn_root_visitor(void *env, struct cairn_slot slot);

/* Called with each stretch of the heap. `blocks`: [start, end) has blocks, one after another, but
 * for what is free in mutators' buffers; else no reference may lead there. */
typedef void cairn_range_visitor(void *env, uintptr_t start, uintptr_t end, bool blocks);

/* A thread that runs managed code. */
struct cairn_mutator;

/* The cause of a collection. */
enum cairn_cause {
  CAIRN_CAUSE_ALLOCATION, /* a block did not fit */
  CAIRN_CAUSE_ASKED,      /* cairn_collect() */
  CAIRN_CAUSE_HANDLER,    /* a signal handler that interrupted managed code wanted one */
  CAIRN_CAUSE_EMERGENCY,  /* the collection just before made no room for the block: the last try */
  CAIRN_CAUSE_STRESS,     /* CAIRN_STRESS */
  CAIRN_CAUSE_EXTERNAL    /* objects keep much memory outside of the heap: cairn_external_bytes() */
};

/* The least work of a collection. */
enum cairn_extent {
  CAIRN_EXTENT_YOUNG,   /* make room; a collector without generations does so by a full one */
  CAIRN_EXTENT_FULL,    /* free all that is unreachable */
  CAIRN_EXTENT_MOVE_ALL /* that, and every object ends at another address, and the space that it
                         * left is unmapped; only if the collector moves objects */
};

struct cairn_collection {
  enum cairn_cause cause;
  enum cairn_extent extent;
  size_t bytes_needed; /* of the allocation that waits, 0 if none does: the heap may grow for it */
};

/* The properties of a collector: bits of struct cairn_collector's `traits`. */
enum {
  CAIRN_COLLECTOR_MOVES = 1,        /* it can move every object; CAIRN_STRESS is refused if not */
  CAIRN_COLLECTOR_GENERATIONS = 2,  /* a young collection may leave garbage that a full one frees */
  CAIRN_COLLECTOR_WORDS = 4,        /* it reads and writes slots by cairn_slot_object() and
                                     * cairn_slot_set(); programs with immediates are refused if not */
  CAIRN_COLLECTOR_WEAK = 8,         /* it has weak references, finalisable objects, objects that */
  CAIRN_COLLECTOR_FINALISES = 16,   /* never move among those that do (CAIRN_ABI_LAYOUT_*): programs */
  CAIRN_COLLECTOR_FIXED = 32,       /* with such types are refused if not */
  CAIRN_COLLECTOR_PARALLEL = 64,    /* it divides its work among threads: cairn_workers_run() is
                                     * refused if not */
  CAIRN_COLLECTOR_PINS = 128,       /* what is pinned stays: cairn_pins_visit() is called in each
                                     * collection; if it moves objects, pins are refused if not */
  CAIRN_COLLECTOR_REUSES = 256,     /* up to the next collection, another object without references
                                     * may have the block of one of allocate_large() that died */
  CAIRN_COLLECTOR_HASHES = 512,     /* objects keep their identity hash when it moves them:
                                     * cairn_identity_hash() is refused if not */
  CAIRN_COLLECTOR_LENGTHENS = 1024, /* allocate_large() is also asked to make a block longer */
  CAIRN_COLLECTOR_TRAITS = 2047     /* all that there are: others are refused */
};

/* You provide: */
struct cairn_collector {
  uint32_t version; /* CAIRN_ABI_COLLECTOR_VERSION (<cairn/abi.h>) */
  uint32_t size;    /* sizeof(struct cairn_collector) */
  const char *name;
  uint64_t traits; /* CAIRN_COLLECTOR_* */

  /* CAIRN_ABI_BARRIERS_*: what compiled code must do at accesses to references in the heap. Code of
   * another kind is refused, but for CARDS where it is NONE. One that needs barriers is initialised
   * by cairn_set_collector(), before a second thread runs managed code. */
  uint64_t barriers;

  /* The largest block that compiled code may allocate in line, in bytes; 0: whatever it has. Code
   * that allocates larger ones so is refused (-fcairn-inline-max). The collector sees each larger
   * block, for it is a large object: allocate_large makes it, if there is that. Less than 8: it
   * sees every block. */
  uint64_t largest_in_line;

  /* INIT. Reserve the heap; `max_bytes` bounds what the program may hold. MEMORY: there is
   * none; the program ends. */
  enum cairn_status (*init)(size_t initial_bytes, size_t max_bytes);

  /* MUTATE or STOP, on the mutator's own thread: several threads may call at once. Set the
   * mutator's allocation buffer so that `bytes` fit, without collecting. FULL: a collection is
   * needed first, or (after one) memory is exhausted. */
  enum cairn_status (*refill)(struct cairn_mutator *mutator, size_t bytes);

  /* As refill, but: *block becomes a block of `bytes` for a large object, outside the allocation
   * buffer; all of it is zero if it is to be `cleared`. Not for signal handlers that interrupted
   * managed code. The member itself may be null: then large objects are allocated in the buffer
   * like others.
   * With CAIRN_COLLECTOR_LENGTHENS, *block may be that of an array, wherever it is, which is to
   * have `bytes`, and keeps its place and contents; what is new need not be zero. FULL: that is
   * not a block of allocate_large(), or there is no room after it, and the array is copied. It is
   * null otherwise. */
  enum cairn_status (*allocate_large)(struct cairn_mutator *mutator, size_t bytes, bool cleared, void **block);

  /* As refill, but: raise the heap's capacity so that `bytes` fit. MEMORY: that is beyond the
   * maximum. For programs and collectors that never collect (CAIRN_ABI_IMAGE_NO_SAFEPOINTS), and
   * for signal handlers. */
  enum cairn_status (*grow)(struct cairn_mutator *mutator, size_t bytes);

  /* STOP, on the thread that stopped the others. Find everything that is reachable, move what
   * moves, update every slot. May call the functions below. The thread is not cancelled meanwhile.
   * May be null: the collector never collects, cairn_collect() does nothing, and an allocation that
   * does not fit calls `grow`. */
  void (*collect)(const struct cairn_collection *collection);

  /* Any phase, async-signal-safe. True if `address` lies in space from which objects were moved
   * away; `*collection` then says by which collection (counted from 1), or is 0 if that is no
   * longer known. Used to explain a fault. May be null. */
  bool (*was_unmapped)(uintptr_t address, uint64_t *collection);

  /* MUTATE, on the mutator's own thread. True if `word` is the address of an object, as far as its
   * header can tell. Called for what the words lead to that a program copies to memory that is not
   * scanned, where a reference would be lost. May be null: such copies are not checked then. */
  bool (*is_object)(uintptr_t word);

  /* STOP, on the thread that unloads, which need not be a mutator's. The layouts in [start, stop)
   * are about to go, with their image. Objects of theirs are garbage, or the program is wrong. A
   * collector that walks over garbage must note its size now, and must not take any of it later for
   * an object of a layout that comes to lie at the same address. May be null if the collector never
   * looks at garbage. */
  void (*forget)(const unsigned char *start, const unsigned char *stop);

  /* STOP, on the thread that stopped the others; not within collect(). Call `visit` for each
   * stretch of the heap, in any order; they do not overlap. Changes nothing. May be null:
   * CAIRN_VERIFY=heap is refused then. It needs `forget`, too: garbage is looked at. */
  union {
    void (*ranges)(cairn_range_visitor *visit, void *env);
    void (*stretches)(cairn_range_visitor *visit, void *env); /* the name in 0.1 */
  };

  /* As that, but quick, for it is called before and after each collection where somebody listens:
   * the bytes of ranges of blocks, or about as many. May be null: `ranges` is asked. */
  uint64_t (*used)(void);

  /* The slow paths of barriers, MUTATE, on the mutator's own thread, just before the access. They
   * reach no safepoint, so nothing moves meanwhile; they must not allocate managed objects, nor
   * wait for a thread that may be at a safepoint. Async-signal-safe, and a handler may come between
   * any two instructions, run managed code that comes here as well, and jump out: then the access
   * does not happen. cairn_log() keeps these rules. A slot is any address: of a local, of a global,
   * or of a field of an object, which the collector finds if it wants to. */

  /* FIELDS: a store to a slot whose byte is 0; *slot.address is the old value still. True: the
   * runtime sets the byte to 1 then. False for a slot outside the memory that the bytes stand for:
   * the byte is another's. OBJECTS: a store to a slot of which compiled code does not know the
   * object; each one comes here, and the result is nobody's. */
  bool (*log_slot)(struct cairn_mutator *mutator, struct cairn_slot slot);

  /* OBJECTS: a store into an object whose header had CAIRN_ABI_HEADER_UNLOGGED. The runtime has
   * cleared it. */
  void (*log_object)(struct cairn_mutator *mutator, uintptr_t object);

  /* SNAPSHOT: a store over `old`, which is not null, while the barrier word is not 0. It may be an
   * immediate (struct cairn_words). */
  void (*log_old)(struct cairn_mutator *mutator, uintptr_t old);

  /* LOADS: `value`, which was loaded from the slot, has a bit of the barrier word; it may be an
   * address outside the heap, too, or an immediate. Returns what the program is to use.
   * It may store that in the slot, by a compare-and-swap: other threads store there, too. */
  uintptr_t (*heal)(struct cairn_mutator *mutator, struct cairn_slot slot, uintptr_t value);

  /* FIELDS, OBJECTS, SNAPSHOT: a copy is about to write to [start, end). LOADS: it is about to read
   * that. What lies there may be any words, and parts of words at the ends: the layout of the
   * object there tells which of them are references. CARDS has no need of it. */
  void (*barrier_range)(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end);

  /* STOP, not within collect(). The field `slot` of `object` holds a reference. Would a young
   * collection find it, or need it not? False: an object that it leaves alone has a reference to
   * one that it may move or free, and no card or log says so. Changes nothing. May be null:
   * CAIRN_VERIFY=heap and stores do not look for missing barriers then. */
  bool (*covered)(uintptr_t object, struct cairn_slot slot);
};

#pragma GCC visibility push(default)

/* You may call these in phase MUTATE for the mutator of the thread that called you, and in phase
 * STOP for any. They fail only by cairn_fatal(), and memory that you hand to them stays yours: */

/* Take the mutator's allocation buffer back. Returns its first free byte, and stores its end
 * through `end`; both are 0 if there is none. */
uintptr_t cairn_buffer_take(struct cairn_mutator *mutator, uintptr_t *end);

/* Give the mutator, which has no buffer, the bytes [start, end), both multiples of 8; they need not
 * be cleared. A mutator that ends fills the rest of its buffer (cairn_fill()). */
void cairn_buffer_give(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end);

/* The same, of memory that is zero from `zero` on, which the collector knows: larger blocks need
 * not be cleared there. */
void cairn_buffer_give_zeroed(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end, uintptr_t zero);

/* What barriers in compiled code read (abi.def), the same in all mutators and in those to come, in
 * a fork()'s child as well. Until they are called there is one card for all addresses, whose byte
 * is not 0, and the barrier word is 0.
 *
 * The table of barriers CARDS and FIELDS has mask + 1 bytes, a power of two; each byte stands for
 * 2^CAIRN_ABI_CARD_SHIFT (CAIRN_ABI_FIELD_SHIFT) bytes of memory, and for all addresses that are so
 * many apart as the table stands for in all. Null and 0: the one card again. Phase INIT, once:
 * compiled code keeps table and mask in registers. */
void cairn_barrier_cards(unsigned char *cards, uint64_t mask);

/* The word that barriers SNAPSHOT and LOADS test. Phases INIT and STOP. */
void cairn_barrier_word(uint64_t word);

/* The same in phase MUTATE, by a handshake (<cairn/thread.h>, whose rules and statuses it has):
 * each thread has the word from its next safepoint on, and all have it when this returns. If it
 * fails, some have it, and those to come. */
enum cairn_status cairn_barrier_word_handshake(uint64_t word, uint64_t timeout);

/* Note a word, which is not 0, in the log of the calling thread's mutator. MUTATE;
 * async-signal-safe. */
void cairn_log(struct cairn_mutator *mutator, uintptr_t word);

/* Visit the words of all logs, those of threads that have ended included, and empty the logs. Of
 * one thread the newest come first. Phase STOP. */
typedef void cairn_log_visitor(void *env, uintptr_t word);
void cairn_logs_take(cairn_log_visitor *visit, void *env);

/* The same in phase MUTATE, by a handshake: several threads may visit at a time. Of what is logged
 * after a thread has answered, nothing comes. If it fails, some logs are as they were. */
enum cairn_status cairn_logs_handshake(cairn_log_visitor *visit, void *env, uint64_t timeout);

/* A word of each mutator for the collector's use; 0 at first. */
uintptr_t *cairn_mutator_word(struct cairn_mutator *mutator);

/* The number of mutators. Any phase; in phase MUTATE threads come and go meanwhile. */
size_t cairn_mutator_count(void);

/* Put one object without references in [from, to), both multiples of 8, so that a walk from block
 * to block gets over it (cairn_block_object() of <cairn/heap_object.h>). Any length will do, 0 and
 * a single word among them. At most the first two words are written. Its layout is known
 * (cairn_layout_is_known()). Anything but multiples of 8 ends the program. MUTATE and STOP. */
void cairn_fill(uintptr_t from, uintptr_t to);

/* You may call, in phase STOP, within collect() and forget(): */

/* The mutators, one after another: null gives the first one, and null follows the last. */
struct cairn_mutator *cairn_mutator_next(const struct cairn_mutator *mutator);

/* Within collect(): */

/* Enumerate the roots of all stacks and images. Once per collection: derived pointers are written
 * back before it returns. */
void cairn_visit_roots(cairn_root_visitor *visit, void *env);

/* The same, many roots at a time, which saves a call for each: `slots` are the addresses of `count`
 * references, valid during the call. Use it in place of cairn_visit_roots(). */
typedef void cairn_roots_visitor(void *env, uintptr_t *const *slots, size_t count);
void cairn_visit_root_arrays(cairn_roots_visitor *visit, void *env);

/* The same for a collection of a young generation: only the roots of images and handles, and those
 * of activations that may have run since the last call of this function or one of those above; of
 * older activations only locals whose address was taken. A stack of a million activations costs no
 * more than the few that have run, except for such locals. Returns the number of activations
 * visited.
 *
 * `settle` is called for the roots of stacks that the next call may leave out, because their
 * activations lie below a mark by then; then `visit` for all others. A collector that ever calls
 * this promises:
 *   - what a root that it was given by `settle` leads to is where no young collection moves or
 * frees it, when the collection is over. So an object that survives and that such a root leads to
 * is promoted at once, or stays where it is for good. As these roots come first, no object of
 *     theirs has been copied elsewhere yet. What that object leads to in turn may stay young.
 *   - after a collection that enumerates all roots by a function above, the same holds of all roots
 *     of stacks, the only ones that are left out.
 * What a root given by `visit` leads to may stay young: the root comes again, or has gone. A
 * collector that promotes all survivors gives one function for both.
 *
 * It visits all roots if it does not know which activations have run: the first time; after a code
 * region was added; if hardware checks return addresses; and each time down to the oldest
 * activation of another code info manager, or with roots of the language's own tags, if the
 * youngest ones are at or above it; of stacks with `suspended` (<cairn/stack.h>), and of all
 * coroutines' if there are code regions, too; and of a stack for which there is no barrier left.
 * From the first call on, stubs' addresses replace some return addresses on the stack; see
 * docs/stack.md. Once per collection. */
uint64_t cairn_visit_young_roots(cairn_root_visitor *settle, cairn_root_visitor *visit, void *env);

/* Roots of stacks that young enumerations leave out, in parts over several stops, for a collector
 * that marks from roots while the program runs. They are wanted from cairn_deferred_roots(true) on,
 * which comes before the young enumeration of its stop. When that of a stop has ended, each call of
 * cairn_deferred_roots_visit() visits those of some hundred activations, for a look that changes no
 * slot. False: none is left, nor will be in later stops: each root of a stack was visited after it
 * had changed last, by a call or by a young enumeration since then. Meanwhile what old objects
 * there are must not move. The collecting thread alone. */
void cairn_deferred_roots(bool wanted);
bool cairn_deferred_roots_visit(cairn_root_visitor *visit, void *env);

/* The same for several threads at a time. The collecting thread begins an enumeration. Then any
 * number of threads, the workers (below) among them, call fetch and visit until fetch returns null;
 * it then returns null to all. When all roots have been visited the collecting thread ends the
 * enumeration: that writes derived pointers back, and returns the number of activations visited.
 *
 *   cairn_roots_begin(CAIRN_ROOTS_ALL);
 *   ... on each thread: while ((roots = cairn_roots_fetch())) cairn_roots_visit(roots, visit, env);
 *   cairn_roots_end();
 *
 * An enumeration of CAIRN_ROOTS_YOUNG has two rounds, and the promises of the function above. When
 * the roots that it would give to `settle` have been fetched and visited, by all threads, the
 * collecting one calls cairn_roots_rest(); then fetch gives the others.
 *
 * What a fetch finds are roots of one stack (of several, if code info managers lead from one to the
 * next), or some of images or handles; about a thousand at most, so that threads share what is
 * large. It may walk a stack, and wait for other threads' fetches, never for visits. A thread may
 * fetch several before it visits. A visit may go on while others fetch or visit; each set is
 * visited once, on any thread, one thread at a time. So visitors, handlers of user roots, and
 * callbacks of managers and stacks (<cairn/stack.h>) are then called on several threads at a time.
 *
 * A thread of the collector's own that does so must not run managed code, and blocks signals whose
 * handlers do: they would wait for the end of this stop. Misuse ends the program: an enumeration
 * within another, a fetch outside of one, an end before all has been visited. */
enum cairn_roots {
  CAIRN_ROOTS_ALL,
  CAIRN_ROOTS_YOUNG,
  CAIRN_ROOTS_LOOK /* all, for a look that changes no slot, as a check does; beside the one
                    * enumeration of a collection that finds what is reachable, and without any
                    * promise: what the next young one leaves out stays as that one has said */
};
struct cairn_root_set;
void cairn_roots_begin(enum cairn_roots which);
void cairn_roots_rest(void);
struct cairn_root_set *cairn_roots_fetch(void);
void cairn_roots_visit(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env);
void cairn_roots_visit_array(struct cairn_root_set *roots, cairn_roots_visitor *visit, void *env);
uint64_t cairn_roots_end(void);

/* ---- pins (<cairn/pin.h>), for collectors with the trait CAIRN_COLLECTOR_PINS ---- */

/* Visit each address that is pinned, once, before anything moves. The visitor returns the object
 * there: the address may point into it, or just past it, as a root may; 0: there is none, and the
 * program ends. The object stays where it is in this collection, if it is reached. Any thread may
 * unpin it meanwhile, none pins. Within collect(), on the collecting thread. */
typedef uintptr_t cairn_pin_visitor(void *env, uintptr_t address);
void cairn_pins_visit(cairn_pin_visitor *visit, void *env);

/* Drops the pins of this address, whose object the collection did not reach. */
void cairn_pins_forget(uintptr_t address);

/* True if any object is pinned. Phase STOP. */
bool cairn_pins_any(void);

/* INIT. Objects lie from `start` to `end`, and where further calls, four at most, say; an address
 * that is neither there nor the start of an object is not pinned. */
void cairn_heap_range(uintptr_t start, uintptr_t end);

/* INIT. Addresses are limited, and there are some for so many bytes of objects alone, which is less
 * than the maximum: the heap may end before it. A line says so if the maximum was asked for. */
void cairn_note_addresses(size_t bytes);

/* ---- workers: threads of the runtime's that divide the work of a collection, for collectors with
 * the trait CAIRN_COLLECTOR_PARALLEL ---- */

/* The part `worker`, counted from 0, of `count` parts of a job. The parts run at the same time, on
 * threads of their own: number 0 is the thread that collects. They may call what is allowed within
 * collect() on any thread; a part that waits for another one waits in vain for `count` and greater
 * numbers. Of stack a part has half a megabyte for sure. */
typedef void cairn_job(void *env, unsigned worker, unsigned count);

/* STOP, the collecting thread. Run a job: call each of its parts, and return when all have
 * returned, their number. There are as many parts as there are workers, but at most `most`, which
 * is at least 1: a short job wants few, for to wake a thread takes microseconds. What the thread
 * did before the call its parts see, and what they did the thread sees after it.
 *
 * The runtime starts workers before the first collection (CAIRN_WORKERS, docs/environment.md), and
 * has them wait between jobs. There is one, the collecting thread, if the system has no more
 * threads, or as long as only signal handlers have collected, or after exit handlers have run. In a
 * fork()'s child they are started anew. They are no mutators and run no managed code: an attempt
 * ends the program, as does a job within a job. They get no signals. */
unsigned cairn_workers_run(unsigned most, cairn_job *job, void *env);

/* The largest number of parts of a job. It is constant. Any phase. */
unsigned cairn_workers_most(void);

/* ---- identity hashes (docs/weak.md), for collectors with the traits CAIRN_COLLECTOR_MOVES and
 * CAIRN_COLLECTOR_HASHES, which copy objects as cairn_object_copy_hash() of <cairn/heap_object.h>
 * says, and walk over them by cairn_object_payload(). STOP ---- */

/* At most so many objects were asked for their hash and have not been moved since: a copy of each
 * is 8 bytes larger than it was. And say so, of those that a collection left: it reached all that
 * there are. */
uint64_t cairn_identity_asked(void);
void cairn_identity_left(uint64_t count);

/* ---- beside the program: a thread of the runtime's that does a job while the program runs ---- */

/* A step of a job; true: there is more to do. Steps of one job come one after another, on that
 * thread, in phase MUTATE and never in phase STOP: a stop waits for the one that is under way, so a
 * step takes some ten microseconds, and waits for nobody. What happened in stops before the step
 * sees, and what it did the stops after see. It may call what is allowed in any phase,
 * cairn_phase_begins() and cairn_phase_ends(). */
typedef bool cairn_step(void *env);

/* Within collect(). From the end of the stop on, call `step` until it is false. It replaces the job
 * that there was; null: there is none.
 *
 * The thread is started by the first collection after that, and by none as long as only signal
 * handlers collect, or after exit handlers have run, or if the system has no more threads: then no
 * step is ever called, and the collector must see to that. In a fork()'s child there is no job. It
 * is no mutator and runs no managed code: an attempt ends the program. It gets no signals. */
void cairn_background_run(cairn_step *step, void *env);

/* INIT. Where no stop has come for as long as CAIRN_IDLE says, that thread calls `step`, with a
 * null `env`, until it is false or a stop comes; and not again before the next stop. It gives
 * memory back that nobody uses: the step is one as above, so it takes a part of it at a time. */
void cairn_background_idle(cairn_step *step);

/* Within collect(). Have that thread call this once, between two steps. No stop waits for it, so it
 * may take long, and only does what neither the program nor a collection can tell from its not
 * being done: give memory to addresses that nobody uses yet. It calls nothing of the runtime's. The
 * one before has ended, as it says itself. Null: on return none is under way, nor will be. */
typedef void cairn_aside(void);
void cairn_background_aside(cairn_aside *call);

/* ---- weak references, ephemerons, finalisers (docs/weak.md): what the runtime does for collectors
 * with the traits CAIRN_COLLECTOR_WEAK and CAIRN_COLLECTOR_FINALISES, within collect() ---- */

/* An object has been reached that has weak fields (CAIRN_ABI_LAYOUT_WEAK_FIELDS), and is at
 * `object` from now on. What it has in [from, to) is to be looked at by cairn_weak_process(): all
 * of it in most cases (0, UINTPTR_MAX), or what lies on a card. The collector visits the strong
 * fields itself, but those of an ephemeron (CAIRN_ABI_LAYOUT_EPHEMERON), which it leaves alone.
 * Any thread. */
void cairn_weak_note(uintptr_t object, uintptr_t from, uintptr_t to);

/* Reports that an object whose header has CAIRN_ABI_HEADER_AWAITED is reached for the first time. The object was at
 * `was`; its header is at `now` or is about to be copied from there. The call clears the bit and visits no slot.
 * Once for each such object. Any thread. */
void cairn_weak_reached(uintptr_t was, uintptr_t now);

/* The collector's part of cairn_weak_process(), valid once it has visited everything reachable from the roots. */
struct cairn_closure {
  /* Is the slot null or an immediate, does it lead out of the heap, or to an object that has been
   * reached, or that this collection need not reach? Then let it lead to where that is now. May be
   * asked again. */
  bool (*is_reached)(void *env, struct cairn_slot slot);
  /* Reach what the slot leads to, as a field, and update it. What that leads to in turn may wait,
   */
  void (*reach)(void *env, struct cairn_slot slot);
  /* until this is called. */
  void (*close)(void *env);
  void *env;
  /* What an earlier collection left is where it was: objects that were registered for a finaliser
   * before it need not be looked at. */
  bool young;
};

/* Reaches the objects that ephemerons keep alive, clears weak references to unreachable objects, and queues the
 * objects to finalise. A queued object is reached then, with everything reachable from it. Once per collection, on
 * the collecting thread. */
void cairn_weak_process(const struct cairn_closure *closure);

/* ---- */

/* The goal for the longest pause of a collection, in nanoseconds (CAIRN_PAUSE); 0: there is no goal. The runtime
 * leaves the goal to the collector. It is constant. Any phase. */
uint64_t cairn_pause_goal(void);

/* The soft limit of the program's objects, in bytes (CAIRN_HEAP_SOFT); 0: there is no limit. The limit is a goal:
 * above it full collections are to come sooner. It is constant. Any phase. */
size_t cairn_soft_limit(void);

/* The begin and the end of a part of the collection, such as "mark" or "copy", for CAIRN_TRACE, listeners
 * (<cairn/events.h>) and probes. The parts of one thread nest. `name` is a string that stays. Any thread of the
 * collector may call. A collection should report only a few parts: each call takes about as long as reading a clock,
 * and longer if a listener is set. */
void cairn_phase_begins(const char *name);
void cairn_phase_ends(const char *name);

/* How to treat roots with tags of the language's own (<cairn/stack.h>, CAIRN_ROOT_USER and
 * greater): `handler` calls visit(visit_env, slot) for each reference that it knows to be in *root,
 * or where *root points, and writes *root back. Without a handler such a root ends the program.
 * Phase INIT or MUTATE. */
typedef void cairn_user_root(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                             void *visit_env);
void cairn_set_user_roots(cairn_user_root *handler);

/* Counts one moved object of `bytes` bytes, header included; or `objects` moved objects of `bytes` bytes in all. One
 * thread at a time. */
void cairn_note_moved(size_t bytes);
void cairn_note_all_moved(uint64_t objects, uint64_t bytes);

/* For collectors with the trait CAIRN_COLLECTOR_GENERATIONS: reports that this collection has found all unreachable
 * objects, whatever extent was asked for; with `beside`, that a concurrent marking has found them and this
 * collection has ended the marking. Without the trait every collection counts as full. Within collect(), once. The
 * program ends if several full collections in a row free next to no memory (docs/environment.md, "When memory runs
 * out"). */
void cairn_note_full(bool beside);

/* You may call, in any phase: */

/* The rule that tells references from immediates. Registering the first image writes it, before managed code runs;
 * later it is constant. All images of the program have the same rule. */
extern struct cairn_words cairn_words;

/* True if `layout`, which may be any value, lies in the layout section of a registered image, as each header word
 * must. Any thread; lock-free. Within a collection the call is cheapest on the collecting thread: other threads
 * count themselves in and out at each call. */
bool cairn_layout_is_known(const struct cairn_layout *layout);

/* What the program calls a layout that is known, in the manner of snprintf(): the type of its
 * objects, as "struct node" or "long[]"; and the field `offset` bytes from the payload, as "struct
 * node.next", "struct table.slot[7]" or "long[3]". Without names (docs/frontends.md, "Names") it is
 * "layout 0x..." and "at offset 8". Any thread; they lock nothing and allocate nothing. */
int cairn_layout_type(const struct cairn_layout *layout, char *text, size_t size);
int cairn_layout_place(const struct cairn_layout *layout, uint64_t offset, char *text, size_t size);

/* True if the program has made an uncleared array; for the second function, if it has made one since the collection
 * before this one, or the last. Any word in an array without references may then look like a header: it may be the
 * header of an earlier object at this address. Any thread; the answer is as of the last collection that began. The
 * first function stays true from then on. */
bool cairn_arrays_uncleared(void);
bool cairn_arrays_uncleared_lately(void);

/* Reports a broken heap or stack and aborts. It never returns and never allocates. */
void cairn_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Memory is exhausted: one line that begins "cairn: out of memory: ", exit status 1. `intact`: the
 * heap and its allocation buffer are as they were before the collection, so the program's exit
 * handlers may run; else they do not. Never returns, never allocates. Any phase. */
void cairn_out_of_memory(bool intact, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Collectors that Cairn brings. A program gets the first one, which is set up before its first
 * managed code runs, or by -fcairn-collector=NAME that whose name is cairn_collector_NAME, which
 * may be one of its own. Or one is set with cairn_set_collector() before the first allocation
 * (later: cairn_fatal(), as if its version or size is another), e.g. by a constructor, on the main
 * thread. What `collector` points at must stay as long as the program runs. */
extern const struct cairn_collector cairn_collector_generational, cairn_collector_semispace;
void cairn_set_collector(const struct cairn_collector *collector);

/* Called by emitted constructors and destructors, on the thread that loads or unloads the image;
 * idempotent. `*image` is copied, the sections it names must stay mapped until it is unregistered.
 * Any thread, in phase MUTATE, also while others collect. The second waits for a collection that is
 * under way, and stops the program for a moment; not within collect(): cairn_fatal(). */
void cairn_image_register(const struct cairn_image *image);
void cairn_image_unregister(const struct cairn_image *image);

/* For code that is made while the program runs (<cairn/object.h>): how far the calling thread's
 * mutator is from its thread pointer, which is the same for all threads. Any thread, at any
 * time. */
ptrdiff_t cairn_mutator_offset(void);

#pragma GCC visibility pop

/* True if an object of this layout has references. */
static inline bool cairn_layout_has_references(const struct cairn_layout *layout)
{
  return (layout->flags & CAIRN_ABI_LAYOUT_NO_REFERENCES) == 0;
}

/* Bytes of an indexed object's payload: max(base_size, elem_offset + count * elem_size), rounded up
 * to CAIRN_ABI_OBJECT_ALIGN, into *bytes. OVERFLOW: *bytes is as it was. Compiled code computes the
 * same. Any thread, any phase. */
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
