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
#include "jit/linking_layer.h"

/* A symbol of a module's object. An import that is weak may stay undefined. */
struct cn_jit_symbol {
  char *name;
  bool weak;
  uintptr_t address; /* of an export, once the module is linked */
};

struct cn_jit_module {
  uint64_t number;
  char *title;  /* for messages: the identifier of the IR */
  void *object; /* the bytes until the module is linked, from malloc() */
  size_t object_size;
  CN_VECTOR(struct cn_jit_symbol) exports, imports;
  CN_VECTOR(const char *) image_names; /* exports that are images */
  bool joined;                         /* to the link that is made now */
  struct cn_jit_parts parts;           /* placed by this link */
  /* Once the module is linked: */
  struct cn_linked *linked; /* null before */
  struct cairn_named_code *named;
  bool has_debug_file; /* a debugger may have breakpoints in the code */
  CN_VECTOR(const struct cairn_image *) images;
  CN_VECTOR(struct cn_jit_module *) links; /* modules that the code refers to */
  size_t users;                            /* present modules whose code refers to this module */
  /* Once the module is removed: */
  struct cairn_image *layouts; /* not null: the code is gone, and these copies of the images have layouts alone */
  uint64_t frames, objects;    /* at the last count */
  bool reached;                /* a module whose code may run refers to the module */
};

/* The prefix of the names of images, before the module's number (cn_compile_expose_images()). */
#define CN_JIT_IMAGE_PREFIX "cairn.jit.image."

/* Fill exports, imports and image_names from the object's symbols. False after an error. */
bool cn_jit_module_read_symbols(struct cn_jit_module *module, char **error);

void cn_jit_module_free(struct cn_jit_module *module);

#endif
