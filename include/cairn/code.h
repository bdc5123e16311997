/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that the program loads by itself, without the system's linker and without <cairn/jit.h>. A loader places the
 * sections of an object, resolves its relocations, and registers the result with its frame maps and its call-frame
 * information; and it names functions of such code for backtraces, debuggers and profilers. The Stack Map document says
 * how a compiler in the process comes by the sections ("Stack Map Section": the memory manager gets each section's name
 * and address).
 *
 * Objects come from cairn-cc -c, or from cairn_object_rewrite_in_memory() (<cairn/object.h>). No function of this
 * header needs LLVM. Any thread may call in phase MUTATE; signal handlers, listeners and callbacks in phase STOP must
 * not call. Exhausted memory is CAIRN_E_MEMORY, or ends the program once most of the work is done.
 */
#ifndef CAIRN_CODE_H
#define CAIRN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- names ---- */

/* A function of loaded code. */
struct cairn_code_function {
  uintptr_t start;
  size_t size;
  const char *name;
};

/* Names of loaded code. The functions lie anywhere, in any order. */
struct cairn_code_names {
  const char *origin; /* the code's origin, such as a file's name */
  const struct cairn_code_function *functions;
  size_t count;
  const void *debug_file; /* an ELF file whose sections have the addresses of the code, for debuggers; or null */
  size_t debug_file_size;
};
struct cairn_named_code;

/* Gives the functions their names in backtraces and messages, and for the tools that CAIRN_CODE and an attached
 * debugger ask for (docs/jit.md, "Debuggers and profilers"). The runtime copies all that `names` points to. *named is
 * the handle of the names. MEMORY: *named is null. */
enum cairn_status cairn_code_name(const struct cairn_code_names *names, struct cairn_named_code **named);

/* Withdraws the names, before the code's memory has another use. `named` may be null. */
void cairn_code_unname(struct cairn_named_code *named);

/* True if a debugger is attached, or CAIRN_CODE asks for entries for debuggers: only then does the runtime use
 * `debug_file`. */
bool cairn_code_is_debugged(void);

/* ---- registration ---- */

/* Loaded code with frame maps. The memory of code and sections stays the loader's. */
struct cairn_code {
  const char *name;     /* in messages */
  uintptr_t start, end; /* the code that the loader placed: all functions of the sections lie in it */
  /* A copy of the object's own record, the symbol `cairn.image...image`, for the version and the flags. The
   * relocations of the record give the bounds of the sections, as the symbols __start_cairn_frames and
   * __stop_cairn_frames do for the linker; a loader that leaves such symbols null sets the bounds here. */
  struct cairn_image image;
  /* The object's .eh_frame at its place, with relocations resolved, followed by four zero bytes, which eh_frame_size
   * includes. Null: the platform's unwinder cannot step over this code, so that exceptions end the program there. */
  const void *eh_frame;
  size_t eh_frame_size;
  struct cairn_code_names names; /* `count` may be 0 */
};
struct cairn_registered_code;

/* Checks the code's sections, byte by byte, and registers them: from now on the code may run. *registered is the
 * handle. The runtime copies the structure.
 *
 * BOUNDS: the code is empty.
 * OVERLAP: a part of the code is compiled code of another image, a code region (<cairn/stack.h>) or the runtime's.
 * REFUSED: `fault`, of `size` bytes, gets a sentence, cut like by snprintf(): a section is malformed, with the offset
 *    of the first malformed part; a function lies outside of the code; or cairn_image_check() refuses the image.
 * After a failure nothing is registered, and *registered is null. The checks make sure that the runtime can read the
 * sections; they cannot find out if a well-formed map is true of the code. */
enum cairn_status cairn_code_register(const struct cairn_code *code, struct cairn_registered_code **registered,
                                      char *fault, size_t size);

/* Takes all back: afterwards the loader may unmap code and sections. The caller makes sure that no call of the code
 * begins from now on.
 *
 * BUSY: a stack has frames of the code, or an object has one of its layouts; or cairn_image_count_uses() is BUSY.
 * UNSEEN: the image has layouts, and the collector does not report its objects.
 * After a failure the code stays registered. */
enum cairn_status cairn_code_withdraw(struct cairn_registered_code *registered);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
