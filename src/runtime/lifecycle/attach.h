/* SPDX-License-Identifier: Apache-2.0
 *
 * Attaches and detaches the calling thread, whose mutator core/mutator.h describes.
 */
#ifndef CN_RUNTIME_LIFECYCLE_ATTACH_H
#define CN_RUNTIME_LIFECYCLE_ATTACH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/code.h>

/* The main thread calls this once, at the start. */
void cn_attach_main_thread(void);

/* Attach the calling thread, which is unattached, after the runtime's start and with signals held. Messages name
 * `pc`. */
void cn_attach_thread(uintptr_t pc);

/* Called in each round of destructors (thread_end.c). If the calling thread is attached, leave all its managed frames,
 * and in the `last` round detach it. Messages name `pc`. */
void cn_detach_at_thread_end(bool last, uintptr_t pc);

/* Detach the calling thread at the end of the signal handler that attached it. During a fork() the thread stays
 * attached. Messages name `pc`. */
void cn_detach_at_handler_end(uintptr_t pc);

/* register_images.c, in a shared object: if the calling thread calls exit(), images stay registered from then on. */
void cn_images_watch_exit_of_thread(void);

/* ---- check_code.c ---- */

/* Checks the sections of loaded code, whose bytes may be hostile. Each function leaves the code unchanged, and says in
 * a sentence what is wrong, with the offset in the section. Any thread, in phase MUTATE. */

/* A check: the code, and the buffer for the first fault. */
struct cn_code_check {
  const struct cairn_code *code;
  char *fault;
  size_t size;
};

/* Write the fault of the section at this offset. The result is false. */
bool cn_code_check_fails(const struct cn_code_check *check, const char *section, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True if [start, start + bytes) lies in the code. */
bool cn_code_check_contains(const struct cn_code_check *check, uintptr_t start, uintptr_t bytes);

/* False if a section of the image is malformed, or is about other code. cairn_image_check() has accepted the image. */
bool cn_code_check_sections(const struct cn_code_check *check);

/* check_unwind.c: false if the call-frame information is malformed or is about other code, or if the platform's
 * unwinder could fail on it. */
bool cn_code_check_unwind(const struct cn_code_check *check);

#endif
