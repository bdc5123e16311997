/* SPDX-License-Identifier: Apache-2.0
 *
 * The services of the operating system for the runtime, with one set of .c files for each port. The functions do not
 * call malloc() unless a comment says so, because a collection may start while a thread is in malloc(). Sizes and
 * addresses of memory are multiples of cn_os_page_bytes().
 */
#ifndef CN_RUNTIME_OS_OS_H
#define CN_RUNTIME_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_os_thread {
  uintptr_t handle;
  int process; /* the thread's process; the thread is missing in a child of fork() */
};

size_t cn_os_page_bytes(void);
size_t cn_os_memory_bytes(void);        /* memory of the machine, or the process's lower limit */
size_t cn_os_address_space_limit(void); /* limit of addresses or of data; SIZE_MAX: unlimited */
size_t cn_os_processor_count(void);     /* processors that the process may use; at least 1 */
uint64_t cn_os_clock_nanoseconds(void); /* monotonic; async-signal-safe */

/* Reserve addresses, whose accesses fault until they are committed. 0: the system has no such range. */
uintptr_t cn_os_reserve_addresses(size_t bytes);
/* Tell a leak checker that objects in this range may refer to memory of malloc(). */
void cn_os_register_leak_roots(uintptr_t at, size_t bytes);
/* Give zeroed memory to reserved addresses; existing contents stay. */
bool cn_os_commit_memory(uintptr_t at, size_t bytes);
/* Make reserved addresses that were never committed read as zero; a write faults. The system charges no memory for
 * these addresses. */
bool cn_os_make_readable(uintptr_t at, size_t bytes);
/* The bytes of the range whose pages are in memory; unmapped pages count as absent. */
size_t cn_os_resident_bytes(uintptr_t at, size_t bytes);
/* The bytes of the process's resident set, and of these the pages of files; 0 if the system does not tell. The value
 * may lack the last few hundred pages of each processor. */
size_t cn_os_resident_set_bytes(size_t *files);
/* Puts the whole range into memory now; its contents stay. */
void cn_os_populate_pages(uintptr_t at, size_t bytes);
/* Copy the bytes at `at`, at most PIPE_BUF, if all of them are readable. Async-signal-safe. */
bool cn_os_read_memory(uintptr_t at, void *into, size_t bytes);
/* Advice: use large pages in this range, which will be in use for long. */
void cn_os_prefer_large_pages(uintptr_t at, size_t bytes);
/* Advice: use small pages in this range, so that the first access to a page is fast. */
void cn_os_prefer_small_pages(uintptr_t at, size_t bytes);
/* Release the memory: the addresses stay reserved, and accesses fault. Memory committed there later is zero. */
void cn_os_release_memory(uintptr_t at, size_t bytes);

/* Advice: the contents are useless, and the system may take the memory. The range stays committed; at the next access a
 * page is zero or unchanged. */
void cn_os_discard_contents(uintptr_t at, size_t bytes);

/* Move memory to other reserved addresses; the old addresses stay reserved, and their accesses fault. False: the system
 * cannot move the range, which is unchanged. */
bool cn_os_move_memory(uintptr_t from, size_t bytes, uintptr_t to);

/* Map zeroed memory for a table, or resize the table `old`, which may be null. Null: memory is exhausted. */
void *cn_os_resize_mapping(void *old, size_t old_bytes, size_t bytes);

void cn_os_free_mapping(void *memory, size_t bytes);

bool cn_os_is_main_thread(void);
uintptr_t cn_os_main_stack_end(void); /* all frames of the main thread lie below this address */
/* Called at the program's start, because the program may change its environment later. */
void cn_os_main_stack_init(char *const *environment);
/* The lowest address that the main thread's stack may grow to under the current limits; 0 if only memory limits the
 * stack. */
uintptr_t cn_os_main_stack_bottom(void);

/* The bounds of the calling thread's stack, for threads other than the main thread. False: the bounds are unknown. May
 * call malloc(). */
bool cn_os_find_stack_bounds(uintptr_t *bottom, uintptr_t *end);
/* The bounds of the adjacent writable pages around `address`; a stack there may be smaller. False: the address is
 * unmapped or read-only. Async-signal-safe. */
bool cn_os_find_memory_around(uintptr_t address, uintptr_t *bottom, uintptr_t *end);
/* The absolute name of the file mapped at `address`. False: there is no file, or its name is too long.
 * Async-signal-safe. */
bool cn_os_find_mapped_file(uintptr_t address, char *buffer, size_t size);

/* Register a function that the child calls after each fork(). */
void cn_os_register_child_handler(void (*child)(void));
/* Register functions that the forking thread calls: before the fork(), and after it in the parent and in the child.
 * Each may be null. */
void cn_os_register_fork_handlers(void (*before)(void), void (*parent)(void), void (*child)(void));

/* Detect children made by _Fork(), clone() or the system call, for which the functions above are not called. Such a
 * process is new until one of its threads has claimed and then finished it; with `call`, cn_os_finish_new_process()
 * calls the child's handlers of fork(). A child that shares its parent's memory is not new. cn_os_watch_new_processes()
 * is called once, before the other functions. */
void cn_os_watch_new_processes(void);
bool cn_os_is_new_process(void);
bool cn_os_claim_new_process(void); /* false: another thread has claimed the process */
void cn_os_finish_new_process(bool call);

/* Wait while `*word` is `value`, until a wake: cn_os_wake_all() wakes all threads that wait on the word,
 * cn_os_wake_one() wakes one thread. May return early at any time. False: `deadline` (cn_os_clock_nanoseconds();
 * UINT64_MAX: wait for ever) has passed. */
bool cn_os_wait_on_word(_Atomic uint32_t *word, uint32_t value, uint64_t deadline);
void cn_os_wake_all(_Atomic uint32_t *word); /* async-signal-safe */
void cn_os_wake_one(_Atomic uint32_t *word); /* async-signal-safe */

/* Take and release a lock word of priority inheritance: while a thread waits for the lock, the holder runs with at
 * least the waiting thread's real-time priority. A free word is 0, a taken word has the holder's number; only a
 * compare-and- swap that finds another value needs the calls. False: the kernel refuses the call, or the holder is
 * ending. */
bool cn_os_take_inheriting_word(_Atomic uint32_t *word);
bool cn_os_release_inheriting_word(_Atomic uint32_t *word);

/* Execute a memory fence on every running thread of the process before this call returns (membarrier(2)). After the
 * fence each thread sees the caller's earlier stores. */
void cn_os_fence_all_threads(void);
/* Called before the first cn_os_fence_all_threads(), and again in a child of fork(). `protection_interrupts` is true if
 * the kernel interrupts all processors of a process when it takes rights from a page (cn_arch_protection_interrupts);
 * otherwise only membarrier(2) makes the fence. */
void cn_os_prepare_thread_fence(bool protection_interrupts);

/* Make every running thread of the process synchronise its processor's instructions with memory before this call
 * returns: each thread then runs code as it is now. cn_os_prepare_thread_fence() is called first. */
void cn_os_synchronise_code(void);

/* Give the code pages [start, start + bytes) a second mapping: copy them to memory of a new file, map it over the code,
 * and return its writable mapping. Threads may run the code meanwhile. Null: the code is unchanged; `*error` is the
 * errno, or 0 if the pages are not plain code. */
char *cn_os_alias_code(uintptr_t start, size_t bytes, int *error);
/* Copy code pages to a new file. -1: `*error` is the errno. */
int cn_os_copy_code(uintptr_t start, size_t bytes, int *error);
/* Map the file over code pages and over their writable mapping. False: the system refuses; the code still has the same
 * contents. */
bool cn_os_map_code_copy(int file, uintptr_t start, size_t bytes, void *writable);

/* Let an emulator translate code pages anew: give them the right to write, and take it back. Real processors need no
 * such call. False: the system refuses. */
bool cn_os_renew_code(uintptr_t start, size_t bytes);

/* Map a page of the file executable, for good, as a mark of the file for tools that record mappings. False: errno has
 * the reason. */
bool cn_os_map_code_marker(const char *path);

int cn_os_thread(void);                                /* number of the calling thread */
int cn_os_main_thread(void);                           /* number of the process's main thread */
uint64_t cn_os_thread_processor_time(int thread);      /* nanoseconds of processor time */
uint64_t cn_os_involuntary_switches(void);             /* involuntary context switches of the calling thread */
void cn_os_thread_send_signal(int thread, int signal); /* of this process */
/* The signals that the thread blocks: bit N - 1 for signal N; all bits if the thread has ended. */
uint64_t cn_os_thread_blocked_signals(int thread);
/* Write the numbers of at most `size` threads of the process, and return their count; 0: the system does not tell. */
size_t cn_os_list_threads(int *threads, size_t size);
/* True if a debugger, or another tracer, is attached to the calling thread. */
bool cn_os_has_tracer(void);
/* Write at most `size` - 1 bytes of the thread's name; an empty string if the thread has ended. */
void cn_os_thread_read_name(int thread, char *buffer, size_t size);

/* Name the calling thread, and make its sleeps as precise as possible. */
void cn_os_thread_make_precise(const char *name);

/* The thread's class of scheduling: 0 for SCHED_IDLE, 1 for other policies without priorities, 1 + N for the real-time
 * priority N. A runnable thread of a higher class leaves next to no time to threads of lower classes. 1 if the system
 * refuses the question. */
int cn_os_thread_urgency(int thread);
/* Give the calling thread the main thread's policy of scheduling or, if that is a real-time policy, SCHED_OTHER. */
void cn_os_thread_leave_real_time(void);

/* Start a thread of the runtime, with all signals blocked. False: the system has too few resources. Calls malloc(). */
bool cn_os_thread_start(struct cn_os_thread *thread, void *(*function)(void *), void *argument);
/* Wait until the thread has ended, if it is a thread of this process. */
void cn_os_thread_join(struct cn_os_thread *thread);

/* True if the process has more privileges than its caller; its environment is then ignored. */
bool cn_os_has_raised_privileges(void);
/* True if the process's memory may be written to files (PR_SET_DUMPABLE). */
bool cn_os_is_dumpable(void);

/* Open files for output. Both functions return -1 and set errno on failure, refuse a symbolic link at the end of the
 * path, and are async-signal-safe. */
/* Open an existing device, pipe or the like. ENOENT: the path does not exist, or is a regular file. */
int cn_os_open_device(const char *path);
/* Make a new file that only the owner may read. An existing file of this name is unlinked, and otherwise unchanged. */
int cn_os_make_new_file(const char *path);
/* The text for the errno of a failed open. */
const char *cn_os_describe_open_error(int error);

/* Like open(), close(), read() and write() of the C library, without cancellation points. */
int cn_os_file_open(const char *path, int flags, unsigned mode);
int cn_os_file_close(int file);
ptrdiff_t cn_os_file_read(int file, void *bytes, size_t size);
ptrdiff_t cn_os_file_write(int file, const void *bytes, size_t size);

/* Write a text to the standard error stream, unbuffered; async-signal-safe. */
void cn_os_write_message(const char *text, size_t bytes);

/* True if the program was started as an argument of the dynamic linker; /proc/self/exe is then the dynamic linker. */
bool cn_os_is_linkers_argument(void);
/* Load a shared library, or find a loaded one. Null: the library is missing, or the program is static. Calls
 * malloc(). */
void *cn_os_load_library(const char *file);
/* A symbol of the library, or of the program and all its libraries if `library` is null. Null: the symbol is
 * missing. */
void *cn_os_find_library_symbol(void *library, const char *name);
/* A shared library's definition of a name that the program also defines. Null: there is no such definition, or the
 * program is static. */
void *cn_os_find_next_symbol(const char *name);
/* The symbol of the library with the code at `pc`; the symbol may be hidden from the program. Null: the library has no
 * such symbol. */
void *cn_os_find_own_symbol(uintptr_t pc, const char *name);

/* copies.c: an address in another executable or shared object of the process that contains this runtime, too; 0 if
 * there is none. `*own` is an address in this runtime's file. The dynamic linker's other namespaces are not searched.
 */
uintptr_t cn_os_find_other_runtime(uintptr_t *own);

/* An activation that the platform's unwinder found. */
struct cn_os_frame {
  uintptr_t pc;
  uintptr_t sp;     /* CFA of the activation's callee */
  bool interrupted; /* true: `pc` is the next instruction; false: `pc` is a return address */
  void *context;    /* the unwinder's */
};

/* False if the calling thread is outside of signal handlers; true if it may be in a handler. Async-signal-safe; linear
 * in the stack's size. */
bool cn_os_may_be_in_handler(void);

/* True if the program has an unwinder. With `load`, the call may load the unwinder by malloc(); without `load`, the
 * call is async-signal-safe. */
bool cn_os_has_unwinder(bool load);
/* Call back for each activation of the calling thread, beginning with cn_os_unwind_stack(), until the callback returns
 * false, an activation has no call-frame information, or the stack ends. cn_os_has_unwinder() must have returned true.
 * Async-signal-safe. */
void cn_os_unwind_stack(bool (*frame)(void *env, const struct cn_os_frame *frame), void *env);
/* True if the call that returns to `pc` has call-frame information. */
bool cn_os_has_unwind_info(uintptr_t pc);
/* The value of a callee-saved register (DWARF number) in the activation. `reg` must not be the stack pointer, which
 * would crash libgcc. */
uintptr_t cn_os_frame_register(const struct cn_os_frame *frame, int reg);

/* An exception that the unwinder carries (struct _Unwind_Exception). The caller owns the memory, and may have more
 * behind it. */
struct cn_os_exception {
  _Alignas(16) uint64_t kind;                                    /* 0 */
  void (*forget)(int reason, struct cn_os_exception *exception); /* called if native code catches the exception */
  uintptr_t words[2];                                            /* the unwinder's */
  void (*visit)(const struct cn_os_frame *frame, void *env);     /* of cn_os_unwind_with_cleanups() */
};

/* True if the program has an unwinder that runs cleanups. The call may load it by malloc(). */
bool cn_os_can_run_cleanups(void);
/* Run the cleanups of the calling thread's activations from the youngest on. Calls back before the cleanups of each
 * activation, and with a null `frame` at the end of the stack or at code without call-frame information; the callback
 * jumps out at its goal. Cleanups overwrite the caller's frame. cn_os_can_run_cleanups() must have returned true. */
void cn_os_unwind_with_cleanups(struct cn_os_exception *exception,
                                void (*visit)(const struct cn_os_frame *frame, void *env), void *env);

/* Register call-frame information, which ends with four zero bytes, with the unwinder, or withdraw it. False: the
 * program has no unwinder, or one without this service. The first call may load the unwinder by malloc(). */
bool cn_os_register_frames(const void *eh_frame);
bool cn_os_withdraw_frames(const void *eh_frame);

/* Write the nearest symbol at or below `pc`, an address of code or data, as "name+0x12". Reads the symbols from the
 * loaded file; does not call malloc(). False: the symbol is unknown. */
bool cn_os_describe_symbol(uintptr_t pc, char *buffer, size_t size);

/* True if the address, of code or data, was loaded from a file. Does not call malloc(). */
bool cn_os_is_loaded_from_file(uintptr_t address);

/* The name of the file with the code at `pc`. False: there is no file, or its name is too long. Does not call
 * malloc(). */
bool cn_os_find_module_file(uintptr_t pc, char *buffer, size_t size);

/* ---- groups.c ---- */

/* Finds the limits of the process's control group and of all its visible ancestors, for both versions of control groups
 * (Linux: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst). The contents of files are checked. These
 * functions do not call malloc(). */

/* The limit in bytes; SIZE_MAX: unlimited. `root` is a prefix of each file's name: "", or a test's tree. */
size_t cn_groups_memory_limit(const char *root);

/* The limit in processors, rounded up; SIZE_MAX: unlimited. */
size_t cn_groups_processor_limit(const char *root);

/* Write the group's path into `path`: the path in the hierarchy of `controller` (version 1), or in the hierarchy of
 * version 2 if `controller` is null. `text` has the `length` bytes of /proc/self/cgroup. False: the path is missing,
 * too long, or goes up by "..". */
bool cn_groups_find_path(const char *text, size_t length, const char *controller, char *path, size_t size);

/* The number at the beginning of the text; SIZE_MAX if the number is missing ("max", "-1") or larger. `*end` is the
 * index of the byte after the number. */
size_t cn_groups_parse_number(const char *text, size_t length, size_t *end);

/* ---- locking.c: tracks reserved ranges for mlockall() ---- */

/* Record a reserved range. From now on the kernel locks its pages at the first touch. */
void cn_os_locking_add_range(uintptr_t at, size_t bytes);
/* Forget the reserved range that begins at `at`, if any. */
void cn_os_locking_remove_range(uintptr_t at);
/* If a new mapping is locked, lock its pages at the first touch instead. */
void cn_os_lock_on_fault(uintptr_t at, size_t bytes);

/* ---- maps.c: the mappings of the process ---- */

struct cn_mapping {
  uintptr_t start, end;
  bool may_read, may_write, may_execute;
  const char *file; /* null: no file, or too long a name; valid until the callback returns */
};

/* Call back for each mapping, in the order of addresses, until the callback returns true. False: no callback returned
 * true. Async-signal-safe. */
bool cn_os_visit_mappings(bool (*found)(void *env, const struct cn_mapping *mapping), void *env);

#endif
