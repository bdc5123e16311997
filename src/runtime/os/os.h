/* SPDX-License-Identifier: Apache-2.0
 *
 * The services of the operating system for the runtime, in one set of .c files per port. All functions run without
 * malloc(), except where a comment says so: a collection may start anywhere. Sizes and addresses of memory are
 * multiples of cn_os_page_bytes().
 */
#ifndef CN_RUNTIME_OS_OS_H
#define CN_RUNTIME_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_os_thread {
  uintptr_t handle;
  int process; /* the process of the thread, which a fork() leaves in the parent */
};

size_t cn_os_page_bytes(void);
size_t cn_os_memory_bytes(void);        /* of the machine, or less if the process may use less */
size_t cn_os_address_space_limit(void); /* of addresses, or of data; SIZE_MAX: unlimited */
size_t cn_os_processor_count(void);     /* that the process may use: at least 1 */
uint64_t cn_os_clock_nanoseconds(void); /* monotonic; async-signal-safe */

/* Reserve addresses; any access faults until they have memory. 0: the system lacks such a range. */
uintptr_t cn_os_reserve_addresses(size_t bytes);
/* Objects will lie in this range, once it has memory, and they may refer to memory of malloc(). */
void cn_os_register_leak_roots(uintptr_t at, size_t bytes);
/* Give reserved addresses memory, zeroed; existing contents stay. */
bool cn_os_commit_memory(uintptr_t at, size_t bytes);
/* Let reserved addresses that were never committed read as zero; a write faults. The system counts no memory for
 * them. */
bool cn_os_make_readable(uintptr_t at, size_t bytes);
/* Advice: have the range in memory, in pages that fit. */
void cn_os_populate_pages(uintptr_t at, size_t bytes);
/* Copy the bytes at `at`, if all of them are readable. Async-signal-safe. */
bool cn_os_read_memory(uintptr_t at, void *into, size_t bytes);
/* Advice: large pages are welcome in this range, which will be in use for long. */
void cn_os_prefer_large_pages(uintptr_t at, size_t bytes);
/* Advice: small pages are better in this range, because a first access is to be fast. */
void cn_os_prefer_small_pages(uintptr_t at, size_t bytes);
/* Take the memory away: the addresses stay reserved, and fault. Memory committed there later is zero. */
void cn_os_release_memory(uintptr_t at, size_t bytes);

/* Advice: the contents are useless, and the system may take the memory. The range stays committed; at the next touch it
 * is zero, or unchanged. */
void cn_os_discard_contents(uintptr_t at, size_t bytes);

/* Move memory to other reserved addresses; the old addresses stay reserved, and fault. False: the system cannot move
 * this range, and everything is unchanged. */
bool cn_os_move_memory(uintptr_t from, size_t bytes, uintptr_t to);

/* Memory for tables, zeroed; `old` may be null. Null: memory is exhausted. */
void *cn_os_resize_mapping(void *old, size_t old_bytes, size_t bytes);

void cn_os_free_mapping(void *memory, size_t bytes);

bool cn_os_is_main_thread(void);
uintptr_t cn_os_main_stack_end(void); /* all frames of the main thread lie below */
/* Called when the program starts, since it may change its environment later. */
void cn_os_main_stack_init(char *const *environment);
/* The address down to which the system lets the main thread's stack grow, under the present limits; 0 if only memory
 * limits it. */
uintptr_t cn_os_main_stack_bottom(void);

/* The bounds of the calling thread's stack, for threads other than the main one. False: they are unknown. May
 * allocate. */
bool cn_os_find_stack_bounds(uintptr_t *bottom, uintptr_t *end);
/* The bounds of the memory around `address`: adjacent writable pages. A stack in it may be smaller. False: the address
 * is missing or read-only. Async-signal-safe. */
bool cn_os_find_memory_around(uintptr_t address, uintptr_t *bottom, uintptr_t *end);
/* The absolute name of the file that is mapped at `address`. False: there is no file, or its name is too long.
 * Async-signal-safe. */
bool cn_os_find_mapped_file(uintptr_t address, char *buffer, size_t size);

/* Register a function that the child calls after each fork(). */
void cn_os_register_child_handler(void (*child)(void));
/* Register functions that the forking thread calls: before the fork(), and after it in the parent and in the child.
 * Each may be null. */
void cn_os_register_fork_handlers(void (*before)(void), void (*parent)(void), void (*child)(void));

/* Detect children that the functions above miss, made by _Fork(), clone() or the system call. Such a process is new
 * until one of its threads has taken it, and then settled it; with `call`, settling makes the calls that follow a
 * fork(). A child that shares its parent's memory is not new. cn_os_watch_new_processes() is called once, first. */
void cn_os_watch_new_processes(void);
bool cn_os_is_new_process(void);
bool cn_os_claim_new_process(void); /* false: another thread has taken it */
void cn_os_finish_new_process(bool call);

/* Wait while *word is `value`, until a wake: cn_os_wake_all() wakes all threads that wait for the word,
 * cn_os_wake_one() one of them. May return early at any time. False: `deadline` by cn_os_clock_nanoseconds() has
 * passed; UINT64_MAX: wait forever. */
bool cn_os_wait_on_word(_Atomic uint32_t *word, uint32_t value, uint64_t deadline);
void cn_os_wake_all(_Atomic uint32_t *word); /* async-signal-safe */
void cn_os_wake_one(_Atomic uint32_t *word); /* async-signal-safe */

/* Make every running thread of the process order its memory accesses before this call returns, like a fence, and see
 * this thread's earlier stores after that (membarrier(2)). */
void cn_os_fence_all_threads(void);
/* Called once, before the first cn_os_fence_all_threads(). */
void cn_os_prepare_thread_fence(void);

int cn_os_thread(void);                                /* number of the calling thread */
uint64_t cn_os_thread_processor_time(int thread);      /* nanoseconds of processor time */
uint64_t cn_os_involuntary_switches(void);             /* involuntary context switches of the calling thread */
void cn_os_thread_send_signal(int thread, int signal); /* of this process */
/* The signals that the thread blocks, a bit for each number less one; all bits if the thread is gone. */
uint64_t cn_os_thread_blocked_signals(int thread);
/* Write at most size - 1 bytes; empty if the thread is gone. */
void cn_os_thread_read_name(int thread, char *buffer, size_t size);

/* Name the calling thread, and make its sleeps as exact as possible. */
void cn_os_thread_make_precise(const char *name);

/* Start a thread of the runtime, which gets no signals. False: the system has too few resources. Calls malloc(). */
bool cn_os_thread_start(struct cn_os_thread *thread, void *(*function)(void *), void *argument);
/* Wait until the thread has ended, if it is a thread of this process. */
void cn_os_thread_join(struct cn_os_thread *thread);

/* True if the process has privileges that its caller lacks; then its environment is ignored. */
bool cn_os_has_raised_privileges(void);
/* True if the process's memory may be written to files (PR_SET_DUMPABLE). */
bool cn_os_is_dumpable(void);

/* Files for output. Both functions return -1 with errno if they fail, refuse a symbolic link at the end of the path,
 * and are async-signal-safe. */
/* Open an existing device, pipe or the like. ENOENT: nothing is there, or a regular file. */
int cn_os_open_device(const char *path);
/* Make a new file. An existing file of that name loses the name, and is unchanged. Only the owner may read the new
 * file. */
int cn_os_make_new_file(const char *path);
/* The reason of the failure, by errno. */
const char *cn_os_describe_open_error(int error);

/* Like open(), close(), read() and write() of the C library, without cancellation points. */
int cn_os_file_open(const char *path, int flags, unsigned mode);
int cn_os_file_close(int file);
ptrdiff_t cn_os_file_read(int file, void *bytes, size_t size);
ptrdiff_t cn_os_file_write(int file, const void *bytes, size_t size);

/* Write to the standard error stream, unbuffered; async-signal-safe. */
void cn_os_write_message(const char *text, size_t bytes);

/* True if the process has a dynamic linker. */
bool cn_os_has_dynamic_linker(void);
/* True if the program was started as an argument of the dynamic linker; then /proc/self/exe is the latter. */
bool cn_os_is_linkers_argument(void);
/* Load a shared library, or find it if it is loaded. Null: it is missing, or the program is static. Allocates. */
void *cn_os_load_library(const char *file);
/* A symbol of the library; for a null library, of the program and all its libraries. Null: the symbol is missing. */
void *cn_os_find_library_symbol(void *library, const char *name);
/* A shared library's definition of a name that the program defines as well. Null: it is missing, or the program is
 * static. */
void *cn_os_find_next_symbol(const char *name);
/* The symbol of the library that has the code at `pc`; it may be invisible to the program. Null: the library lacks
 * it. */
void *cn_os_find_own_symbol(uintptr_t pc, const char *name);

/* An activation, as the platform's unwinder sees it. */
struct cn_os_frame {
  uintptr_t pc;
  uintptr_t sp;     /* CFA of its callee */
  bool interrupted; /* `pc` is the next instruction; else it is after a call */
  void *context;    /* the unwinder's */
};

/* False: the calling thread is outside of signal handlers. True: it may be in one. Async-signal-safe; may take time in
 * proportion to the stack. */
bool cn_os_may_be_in_handler(void);

/* True if there is an unwinder. With `load` it may be loaded, which allocates; else this is async-signal-safe. */
bool cn_os_has_unwinder(bool load);
/* Call back for each activation of the calling thread, cn_os_unwind_stack() itself first, until the callback returns
 * false, an activation lacks call-frame information, or the stack ends. The caller knows that there is an unwinder.
 * Async-signal-safe. */
void cn_os_unwind_stack(bool (*frame)(void *env, const struct cn_os_frame *frame), void *env);
/* True if the call that returns to `pc` has call-frame information. */
bool cn_os_has_unwind_info(uintptr_t pc);
/* The value of a callee-saved register (DWARF number) in the activation; except the stack pointer, which would crash
 * libgcc. */
uintptr_t cn_os_frame_register(const struct cn_os_frame *frame, int reg);

/* Write the nearest symbol at or below `pc`, which may be an address of data, as "name+0x12", from the file that it was
 * loaded from. False: it is unknown. Reads files; allocates no memory. */
bool cn_os_describe_symbol(uintptr_t pc, char *buffer, size_t size);

/* True if the address, of code or data, was loaded from a file. Allocates no memory. */
bool cn_os_is_loaded_from_file(uintptr_t address);

/* The file that the code at `pc` was loaded from. False: there is no file, or its name is too long. Allocates no
 * memory. */
bool cn_os_find_module_file(uintptr_t pc, char *buffer, size_t size);

#endif
