/* SPDX-License-Identifier: Apache-2.0
 *
 * The native tables of a program: names, shapes, classes, functions, globals. Native code. Only the program's thread
 * changes them; exhausted memory ends the program with a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny/code/bytecode.h"

_Thread_local struct tiny_tables *tiny_tables;

/* ---- hash tables ---- */

static uint64_t mix(uint64_t key)
{
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

static struct tiny_hash_entry *place_of(const struct tiny_hash *hash, uint64_t key)
{
  uint32_t at = (uint32_t)mix(key) & (hash->room - 1);

  while (hash->entries[at].number && hash->entries[at].key != key)
    at = (at + 1) & (hash->room - 1);
  return &hash->entries[at];
}

uint32_t tiny_hash_find(const struct tiny_hash *hash, uint64_t key)
{
  return hash->room ? place_of(hash, key)->number : 0;
}

static void grow(struct tiny_hash *hash)
{
  struct tiny_hash old = *hash;

  hash->room = old.room ? 2 * old.room : 64;
  hash->entries = tiny_allocate(NULL, hash->room, sizeof *hash->entries);
  for (uint32_t i = 0; i < old.room; i++)
    if (old.entries[i].number)
      *place_of(hash, old.entries[i].key) = old.entries[i];
  free(old.entries);
}

void tiny_hash_set(struct tiny_hash *hash, uint64_t key, uint32_t number)
{
  if (2 * hash->used >= hash->room)
    grow(hash);
  struct tiny_hash_entry *entry = place_of(hash, key);
  hash->used += !entry->number;
  *entry = (struct tiny_hash_entry){key, number};
}

/* ---- symbols ---- */

uint32_t tiny_hash_bytes(const char *bytes, size_t length)
{
  uint32_t hash = 2166136261u;

  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
  hash ^= hash >> 15;
  return hash ? hash : 1;
}

uint32_t tiny_intern(const char *bytes, size_t length)
{
  struct tiny_tables *tables = tiny_tables;
  uint32_t hash = tiny_hash_bytes(bytes, length), first = tiny_hash_find(&tables->symbols_by_hash, hash);

  for (uint32_t i = first; i; i = tiny_symbol_at(i)->next)
    if (tiny_symbol_at(i)->length == length && !memcmp(tiny_symbol_at(i)->bytes, bytes, length))
      return i;
  char *copy = tiny_allocate(NULL, length + 1, 1);
  memcpy(copy, bytes, length);
  struct tiny_symbol *symbol = tiny_table_add(&tables->symbols);
  *symbol = (struct tiny_symbol){copy, (uint32_t)length, hash, first};
  tiny_hash_set(&tables->symbols_by_hash, hash, tables->symbols.count - 1);
  return tables->symbols.count - 1;
}

/* ---- shapes ---- */

uint32_t tiny_shape_new(uint32_t class_number, uint32_t inline_slots)
{
  struct tiny_tables *tables = tiny_tables;
  uint32_t found = class_number ? 0 : tiny_hash_find(&tables->transitions, inline_slots + 1);

  if (found)
    return found;
  struct tiny_shape *shape = tiny_table_add(&tables->shapes);
  shape->class_number = class_number;
  shape->inline_slots = inline_slots;
  if (!class_number)
    tiny_hash_set(&tables->transitions, inline_slots + 1, tables->shapes.count - 1);
  return tables->shapes.count - 1;
}

uint32_t tiny_shape_with(uint32_t number, uint32_t symbol)
{
  struct tiny_tables *tables = tiny_tables;
  uint64_t key = (uint64_t)number << 32 | symbol;
  uint32_t found = tiny_hash_find(&tables->transitions, key);

  if (found)
    return found;
  struct tiny_shape *shape = tiny_table_add(&tables->shapes);
  *shape = *tiny_shape_at(tables, number);
  shape->parent = number;
  shape->symbol = symbol;
  shape->slots++;
  tiny_hash_set(&tables->transitions, key, tables->shapes.count - 1);
  return tables->shapes.count - 1;
}

uint32_t tiny_shape_place(const struct tiny_shape *shape, uint32_t slot)
{
  return slot < shape->inline_slots ? tiny_place_make(TINY_PLACE_SLOT, slot)
                                    : tiny_place_make(TINY_PLACE_MORE, slot - shape->inline_slots);
}

bool tiny_class_find(const struct tiny_tables *tables, uint32_t class_number, uint32_t symbol, uint32_t *method)
{
  for (; class_number; class_number = tiny_class_at(tables, class_number)->super) {
    const struct tiny_class_row *row = tiny_class_at(tables, class_number);
    for (uint32_t i = 0; i < row->method_count; i++) {
      if (row->methods[i].symbol == symbol) {
        *method = row->methods[i].number;
        return true;
      }
    }
  }
  return false;
}

bool tiny_shape_find(const struct tiny_tables *tables, uint32_t number, uint32_t symbol, uint32_t *place)
{
  const struct tiny_shape *shape = tiny_shape_at(tables, number);
  uint32_t method, class_number = shape->class_number;

  for (; shape->slots; shape = tiny_shape_at(tables, shape->parent)) {
    if (shape->symbol == symbol) {
      *place = tiny_shape_place(shape, shape->slots - 1);
      return true;
    }
  }
  if (!tiny_class_find(tables, class_number, symbol, &method))
    return false;
  *place = tiny_place_make(TINY_PLACE_METHOD, method);
  return true;
}

/* ---- classes ---- */

uint32_t tiny_class_add(uint32_t name, uint32_t super, uint32_t inline_slots)
{
  struct tiny_tables *tables = tiny_tables;
  struct tiny_class_row *row = tiny_table_add(&tables->classes);
  uint32_t number = tables->classes.count - 1;

  row->name = name;
  row->super = super;
  if (super) {
    const struct tiny_class_row *above = tiny_class_at(tables, super);
    row->init = above->init;
    inline_slots += tiny_shape_at(tables, above->shape)->inline_slots;
  }
  row->shape = tiny_shape_new(number, inline_slots < TINY_MAX_INLINE ? inline_slots : TINY_MAX_INLINE);
  return number;
}

static void keep_outgrown(struct tiny_tables *tables, void *array)
{
  struct tiny_outgrown *kept = tiny_allocate(NULL, 1, sizeof *kept);

  *kept = (struct tiny_outgrown){tables->outgrown, array};
  tables->outgrown = kept;
}

static void grow_methods(struct tiny_tables *tables, struct tiny_class_row *row)
{
  uint32_t room = 2 * row->method_room + 8;
  struct tiny_method *methods = tiny_allocate(NULL, room, sizeof *methods);

  if (row->method_count) {
    memcpy(methods, row->methods, row->method_count * sizeof *methods);
    keep_outgrown(tables, row->methods);
  }
  row->methods = methods;
  row->method_room = room;
}

uint32_t tiny_class_add_method(uint32_t number, uint32_t symbol)
{
  struct tiny_tables *tables = tiny_tables;
  struct tiny_class_row *row = tiny_class_at(tables, number);

  if (row->method_count == row->method_room)
    grow_methods(tables, row);
  row->methods[row->method_count++] = (struct tiny_method){symbol, tables->methods.count};
  tiny_table_add(&tables->methods);
  if (symbol == tiny_intern("init", 4))
    row->init = tables->methods.count - 1;
  return tables->methods.count - 1;
}

/* ---- globals ---- */

uint32_t tiny_global_add(uint32_t module, uint32_t symbol, uint32_t flags)
{
  struct tiny_tables *tables = tiny_tables;
  uint64_t key = (uint64_t)module << 32 | symbol;
  uint32_t found = tiny_hash_find(&tables->names, key);

  if (found && !((flags | tiny_global_at(tables, found - 1)->flags) & TINY_GLOBAL_CONSTANT))
    return found - 1;
  struct tiny_global *global = tiny_table_add(&tables->globals);
  *global = (struct tiny_global){symbol, flags};
  tiny_hash_set(&tables->names, key, tables->globals.count);
  return tables->globals.count - 1;
}

/* ---- the tables ---- */

void tiny_tables_begin(void)
{
  struct tiny_tables *tables = tiny_tables = tiny_allocate(NULL, 1, sizeof *tables);

  tables->symbols.size = sizeof(struct tiny_symbol);
  tables->shapes.size = sizeof(struct tiny_shape);
  tables->classes.size = sizeof(struct tiny_class_row);
  tables->functions.size = sizeof(struct tiny_function *);
  tables->globals.size = sizeof(struct tiny_global);
  tables->methods.size = sizeof(struct tiny_method_row);
  tables->natives.size = TINY_NATIVE_ROW_BYTES;
  tiny_table_add(&tables->symbols);
  tiny_table_add(&tables->methods);
  for (uint32_t i = 0; i < TINY_FIRST_SHAPE; i++) {
    struct tiny_shape *shape = tiny_table_add(&tables->shapes);
    shape->class_number = i;
    tiny_table_add(&tables->classes);
  }
}

static void free_table(struct tiny_table *table)
{
  for (uint32_t i = 0; i < TINY_CHUNKS && table->chunk[i]; i++)
    free(table->chunk[i]);
}

static void free_sources(struct tiny_source *source)
{
  while (source) {
    struct tiny_source *next = source->next;
    free(source->name);
    free(source->text);
    free(source);
    source = next;
  }
}

static void free_outgrown(struct tiny_outgrown *outgrown)
{
  while (outgrown) {
    struct tiny_outgrown *next = outgrown->next;
    free(outgrown->array);
    free(outgrown);
    outgrown = next;
  }
}

static void free_function(struct tiny_function *f)
{
  free(f->code);
  free(f->constants);
  free(f->feedback);
  free(f->lines);
  free(f->tries);
  free(f);
}

void tiny_tables_end(void)
{
  struct tiny_tables *tables = tiny_tables;

  for (uint32_t i = 1; i < tables->symbols.count; i++)
    free((char *)tiny_symbol_at(i)->bytes);
  for (uint32_t i = 0; i < tables->classes.count; i++)
    free(tiny_class_at(tables, i)->methods);
  for (uint32_t i = 0; i < tables->functions.count; i++)
    free_function(tiny_function_at(tables, i));
  free_table(&tables->symbols);
  free_table(&tables->shapes);
  free_table(&tables->classes);
  free_table(&tables->functions);
  free_table(&tables->globals);
  free_table(&tables->methods);
  free_table(&tables->natives);
  free_sources(tables->sources);
  free_outgrown(tables->outgrown);
  free(tables->symbols_by_hash.entries);
  free(tables->transitions.entries);
  free(tables->names.entries);
  free(tables->aliases.entries);
  free(tables->modules.entries);
  free(tables);
  tiny_tables = NULL;
}
