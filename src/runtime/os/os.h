/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runtime needs of the operating system. One set of .c per port. Nothing here calls
 * malloc, but where it says so: a collection may have been started from anywhere. Sizes and
 * addresses of memory are multiples of cn_os_page().
 */
#ifndef CN_RUNTIME_OS_OS_H
#define CN_RUNTIME_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_os_thread {
  uintptr_t handle;
  int process; /* that it belongs to: the child of a fork() has no such thread */
};

size_t cn_os_page(void);
size_t cn_os_memory(void);        /* of the machine, or what the process may use of it */
size_t cn_os_limit(void);         /* of addresses, or of data; SIZE_MAX if there is none */
size_t cn_os_processors(void);    /* that the process may use: at least 1 */
uint64_t cn_os_nanoseconds(void); /* monotonic; async-signal-safe */

/* Addresses without memory: any access faults. 0 if there is no such range. */
uintptr_t cn_os_reserve(size_t bytes);
/* Objects will lie there, if it has memory, which may refer to memory of malloc(). */
void cn_os_keeps_memory(uintptr_t at, size_t bytes);
/* Give reserved addresses memory, zeroed; what is there already stays. */
bool cn_os_commit(uintptr_t at, size_t bytes);
/* Reserved addresses that were never committed read as zero; a write faults. The system counts no
 * memory for them. */
bool cn_os_let_read(uintptr_t at, size_t bytes);
/* Have what is there in memory, by pages that fit; advice. */
void cn_os_populate(uintptr_t at, size_t bytes);
/* Copy what is there, if all of it may be read. Async-signal-safe. */
bool cn_os_read(uintptr_t at, void *into, size_t bytes);
/* Advice: large pages are welcome in this range, which is in use for long. */
void cn_os_prefer_large_pages(uintptr_t at, size_t bytes);
/* The same: no first access is to wait for one there. */
void cn_os_prefer_small_pages(uintptr_t at, size_t bytes);
/* Take the memory away again; the addresses stay reserved, and fault. Memory that is committed
 * there later is zero. */
void cn_os_release(uintptr_t at, size_t bytes);

/* Advice: what is there is not needed, and the system may have it back. It stays committed, and is
 * zero when it is touched again, or what it was. */
void cn_os_discard(uintptr_t at, size_t bytes);

/* Move memory to other reserved addresses; the old ones stay reserved, and fault. False: the system
 * cannot do that for this range, and nothing has changed. */
bool cn_os_move(uintptr_t from, size_t bytes, uintptr_t to);

/* Memory for tables, zeroed; `old` may be null. Null: none left. */
void *cn_os_resize(void *old, size_t old_bytes, size_t bytes);

void cn_os_free(void *memory, size_t bytes);

bool cn_os_is_main_thread(void);
uintptr_t cn_os_main_stack_end(void); /* no frame of the main thread lies at or above it */
/* At the start: a program may change its environment later. */
void cn_os_main_stack_init(char *const *environment);
/* The system lets the main thread's stack grow down to here, as the limits are now; 0 if nothing
 * but memory limits it. */
uintptr_t cn_os_main_stack_bottom(void);

/* The bounds of the calling thread's stack, which is not the main one's. False: not to be found.
 * May allocate. */
bool cn_os_stack(uintptr_t *bottom, uintptr_t *end);
/* The bounds of the memory around `address`, in which a stack lies that may be smaller: pages next
 * to each other that may be written. False: there is none. Async-signal-safe. */
bool cn_os_memory_around(uintptr_t address, uintptr_t *bottom, uintptr_t *end);
/* The absolute name of the file that is mapped at `address`. False: none, or too long.
 * Async-signal-safe. */
bool cn_os_mapped_file(uintptr_t address, char *buffer, size_t size);

/* Have the child call this after each fork(). */
void cn_os_forked(void (*child)(void));
/* And have the thread that forks call these, before the fork() and after it in the parent; each may
 * be null. */
void cn_os_forks(void (*before)(void), void (*parent)(void), void (*child)(void));

/* Children that none of these sees, of _Fork(), clone() or the system call: the process is new
 * until its first thread that looks has taken it, and then settled it; `call`: with the calls that
 * come after a fork(). A child that shares its parent's memory is none. Once, first: watch. */
void cn_os_forks_watch(void);
bool cn_os_is_new_process(void);
bool cn_os_new_process_take(void); /* false: another thread has */
void cn_os_new_process_settle(bool call);

/* Wait while *word is `value`, until a wake: cn_os_wake() wakes all that wait for the word,
 * cn_os_wake_one() one. May return early for no reason. False: `deadline` by cn_os_nanoseconds()
 * has passed; UINT64_MAX: there is none. */
bool cn_os_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline);
void cn_os_wake(_Atomic uint32_t *word);     /* async-signal-safe */
void cn_os_wake_one(_Atomic uint32_t *word); /* async-signal-safe */

/* Have every running thread of the process order its memory accesses before this call returns, as a
 * fence would, and see this thread's earlier stores after that (membarrier(2)). */
void cn_os_barrier(void);
/* Once, before the first call of it. */
void cn_os_barrier_prepare(void);

int cn_os_thread(void);                           /* number of the calling thread */
uint64_t cn_os_thread_ran(int thread);            /* nanoseconds for which it had a processor */
uint64_t cn_os_switches(void);                    /* involuntary ones of the calling thread */
void cn_os_thread_signal(int thread, int signal); /* of this process */
/* The signals that it blocks, a bit for each number less one; all if there is no such thread. */
uint64_t cn_os_thread_blocks(int thread);
/* At most size - 1 bytes; empty if there is no such thread. */
void cn_os_thread_name(int thread, char *buffer, size_t size);

/* Name the calling thread, and let it sleep as exactly as it can. */
void cn_os_thread_precise(const char *name);

/* Start a thread of the runtime's own, which gets no signals. False: the system has none left.
 * Calls malloc(). */
bool cn_os_thread_start(struct cn_os_thread *thread, void *(*function)(void *), void *argument);
/* Wait until it is over, if it is a thread of this process. */
void cn_os_thread_join(struct cn_os_thread *thread);

/* Does the process have privileges that its caller lacks? Then its environment does not count. */
bool cn_os_has_raised_privileges(void);
/* May its memory be written to files (PR_SET_DUMPABLE)? */
bool cn_os_is_dumpable(void);

/* Files for output. Both return -1 with errno, follow no symbolic link at the end of the path, and
 * are async-signal-safe. */
/* What is there and is no regular file. ENOENT: nothing is there, or a regular file. */
int cn_os_open_device(const char *path);
/* A new file, in the place of one that is there, which stays as it is. Only the owner may read it.
 */
int cn_os_new_file(const char *path);
/* Why it could not be opened, by errno. */
const char *cn_os_open_error(int error);

/* Like open(), close(), read() and write() of the C library, and no cancellation points. */
int cn_os_file_open(const char *path, int flags, unsigned mode);
int cn_os_file_close(int file);
ptrdiff_t cn_os_file_read(int file, void *bytes, size_t size);
ptrdiff_t cn_os_file_write(int file, const void *bytes, size_t size);

/* To the standard error stream, unbuffered; async-signal-safe. */
void cn_os_message(const char *text, size_t bytes);

/* Is there a dynamic linker in the process? */
bool cn_os_has_linker(void);
/* Was the program started as an argument of the dynamic linker? Then /proc/self/exe is the latter.
 */
bool cn_os_is_linkers_argument(void);
/* Load a shared library, or find it if it is loaded. Null: there is none, or the program is static.
 * Allocates. */
void *cn_os_library(const char *file);
/* Its symbol; null as the library: the program's own and those of all its libraries. Null: none. */
void *cn_os_library_symbol(void *library, const char *name);
/* The definition that a shared library has of a name that the program defines as well. Null: there
 * is none, or the program is static. */
void *cn_os_library_next_symbol(const char *name);
/* The symbol of the library that has the code at `pc`, which may be one that the program does not
 * see. Null: that library has none. */
void *cn_os_library_own_symbol(uintptr_t pc, const char *name);

/* An activation, as the platform's unwinder sees it. */
struct cn_os_frame {
  uintptr_t pc;
  uintptr_t sp;     /* CFA of its callee */
  bool interrupted; /* pc is the next instruction; else it is after a call */
  void *context;    /* the unwinder's */
};

/* False: the calling thread is in no signal handler. True: it may be. Async-signal-safe; may take
 * time in proportion to the stack. */
bool cn_os_may_be_handler(void);

/* Is there an unwinder? If `load` is true, it may be loaded, which allocates; else this is
 * async-signal-safe. */
bool cn_os_unwinder(bool load);
/* Call back for each activation of the calling thread, cn_os_unwind() itself first, until the
 * callback returns false, an activation has no call-frame information, or none is left. There is an
 * unwinder. Async-signal-safe. */
void cn_os_unwind(bool (*frame)(void *env, const struct cn_os_frame *frame), void *env);
/* Has the call that returns to `pc` call-frame information? */
bool cn_os_unwindable(uintptr_t pc);
/* The value that a callee-saved register (DWARF number) has in it. Not of the stack pointer, which
 * would crash libgcc. */
uintptr_t cn_os_frame_register(const struct cn_os_frame *frame, int reg);

/* The nearest symbol at or below `pc`, which may be an address of data, from the file that it was
 * loaded from, into buffer as "name+0x12". False: unknown. Reads files, allocates nothing. */
bool cn_os_symbol(uintptr_t pc, char *buffer, size_t size);

/* True if the address, of code or data, was loaded from a file. Allocates nothing. */
bool cn_os_is_in_file(uintptr_t address);

/* The file that the code at `pc` was loaded from. False: none, or too long. Allocates nothing. */
bool cn_os_module(uintptr_t pc, char *buffer, size_t size);

#endif
