/* SPDX-License-Identifier: Apache-2.0
 *
 * A loader of one relocatable object: it places sections, resolves relocations, and fills struct cairn_code.
 */
#ifndef LOADER_H
#define LOADER_H

#include <elf.h>
#include <stddef.h>
#include <cairn/code.h>

enum { MAX_SECTIONS = 200, MAX_FUNCTIONS = 100, SLOTS = 100 };

struct loaded {
  char *file;             /* the object's bytes */
  char *memory;           /* of all sections, code first */
  size_t bytes, code_bytes;
  char *place[MAX_SECTIONS];
  struct slot { char jump[8]; void *target; } *slots; /* jumps and addresses of names from outside */
  size_t slot_count;
  struct cairn_code code;
  struct cairn_code_function functions[MAX_FUNCTIONS];
};

/* Loads the object; names from outside come from `find`. Ends the program if that is impossible. */
void load(struct loaded *loaded, const char *path, void *(*find)(const char *name));
/* The address of a function or variable of the object. */
void *address_of(const struct loaded *loaded, const char *name);
/* Finds a section by name. */
unsigned char *section_of(const struct loaded *loaded, const char *name, size_t *bytes);
void unload(struct loaded *loaded);

#endif
