/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a frame table as OCaml's runtime does, and prints each descriptor: "FUNCTION+OFFSET frame SIZE live OFFSETS".
 * The layout is that of OCaml's header, or of its documentation if OCaml is not installed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#if __has_include("/usr/lib/ocaml/caml/stack.h")
#define CAML_INTERNALS
#define TARGET_amd64
#include "/usr/lib/ocaml/caml/mlvalues.h"
#include "/usr/lib/ocaml/caml/stack.h"
#else
typedef struct {
  uintptr_t retaddr;
  unsigned short frame_size;
  unsigned short num_live;
  unsigned short live_ofs[1];
} frame_descr;
#endif

extern intptr_t cairn_frametable[];
extern char keep[];
extern char *table; /* the address of a local function */

/* init_frame_descriptors() of OCaml's runtime: the next descriptor, after neither sizes nor debug information. */
static const frame_descr *next_descriptor(const frame_descr *d)
{
  uintptr_t end = (uintptr_t)&d->live_ofs[d->num_live];

  return (const frame_descr *)((end + 7) & ~(uintptr_t)7);
}

int main(void)
{
  const frame_descr *d = (const frame_descr *)(cairn_frametable + 1);

  for (intptr_t i = 0; i < cairn_frametable[0]; i++, d = next_descriptor(d)) {
    int is_local = (uintptr_t)d->retaddr - (uintptr_t)table < (uintptr_t)d->retaddr - (uintptr_t)keep;
    printf("%s+0x%lx frame %u live", is_local ? "local" : "keep",
           (unsigned long)(d->retaddr - (uintptr_t)(is_local ? table : keep)), (unsigned)d->frame_size);
    for (unsigned k = 0; k < d->num_live; k++)
      printf(" %u", (unsigned)d->live_ofs[k]);
    putchar('\n');
  }
  return 0;
}
