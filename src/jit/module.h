/* SPDX-License-Identifier: Apache-2.0
 *
 * A module of a session, and its object's symbols. Private to src/jit.
 */
#ifndef CN_JIT_MODULE_H
#define CN_JIT_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "base/vector.h"
#include "jit/debug.h"
#include "jit/entry/entries.h"
#include "jit/linking_layer.h"
#include "jit/sites.h"

/* A symbol of a module's object. An import that is weak may stay undefined. */
struct cn_jit_symbol {
  char *name;
  uint32_t index; /* in the object's symbol table */
  uint32_t twin;  /* of a thunk: its local symbol, which calls of the object use; or 0 */
  uint32_t body;  /* of a managed function: the symbol of its body, CAIRN_ABI_ENTRY_SIZE bytes behind; or 0 */
  bool weak;
  char *signature;                /* of an export that is a managed function (cn_jit_signature_of()); else null */
  struct cn_jit_name *definition; /* of an export: the session's definition, if it is this one; or null */
};

struct cn_jit_module {
  uint64_t number;
  struct cn_jit_lazy *lazy; /* the module is a part of this one, or null */
  bool is_stubs;            /* of `lazy` */
  char *title;              /* for messages: the identifier of the IR */
  void *object;             /* the bytes until the module is linked, from malloc() */
  size_t object_size;
  CN_VECTOR(struct cn_jit_symbol) exports, imports;
  CN_VECTOR(struct cn_jit_symbol) thunks; /* of calls of imported functions, by their names (thunk.c of transitions) */
  CN_VECTOR(uint32_t) unneeded;           /* symbols of the object that a link can do without */
  bool joined;                            /* to the link that is made now, with this object: */
  void *bound;
  size_t bound_size;
  struct cn_jit_parts parts; /* placed by this link */
  /* Once the module is linked: */
  struct cn_linked *linked; /* null before */
  struct cairn_named_code *named;
  bool has_debug_file; /* a debugger may have breakpoints in the code */
  CN_VECTOR(const struct cairn_image *) images;
  size_t users;                                 /* present modules whose code refers to this module */
  CN_VECTOR(struct cn_jit_module *) links;      /* modules that the code refers to */
  CN_VECTOR(struct cn_jit_entry *) entry_links; /* entries that the code refers to */
  CN_VECTOR(struct cn_jit_site *) sites;        /* branches of the code past entries */
  CN_VECTOR(struct cn_jit_entry *) entries;     /* entries of the module's functions */
  /* Once the module is removed: */
  struct cairn_image *layouts; /* not null: the code is gone, and these copies of the images have layouts alone */
  uint64_t frames, objects;    /* at the last count */
  bool reached;                /* a module whose code may run refers to the module */
};

/* The prefix of the names of images, before the module's number (cn_compile_expose_images()). */
#define CN_JIT_IMAGE_PREFIX "cairn.jit.image."
#define CN_JIT_IMAGE_NUMBER "%016llx"
bool cn_jit_is_image(const char *name);

/* Fill exports, imports, thunks and unneeded from the object's symbols. False after an error. */
bool cn_jit_module_read_symbols(struct cn_jit_module *module, char **error);

/* The export of this name, or null, in logarithmic time. */
struct cn_jit_symbol *cn_jit_module_find_export(const struct cn_jit_module *module, const char *name);

/* Give the images of an object the names that they have in the module of this number. False if the object is broken, or
 * another name shares their bytes. */
bool cn_jit_module_renumber(void *object, size_t size, uint64_t number);

/* A change of an undefined symbol, or of a weak thunk, before a link. */
struct cn_jit_rebinding {
  uint32_t index;
  const char *name; /* the symbol becomes undefined, of this name; null: it becomes the module's own `definition` */
  uint32_t definition;
};

/* A copy of the module's object with its symbols rebound, and without the unneeded ones, from malloc() (rebind.c). */
void *cn_jit_module_rebind(const struct cn_jit_module *module, const struct cn_jit_rebinding *rebindings, size_t count,
                           size_t *size);

void cn_jit_module_free(struct cn_jit_module *module);

#endif
