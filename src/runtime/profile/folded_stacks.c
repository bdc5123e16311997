/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the profile of CAIRN_PROFILE: the time of each stack, in the text that tools for flame graphs read. A line has
 * the thread's name and the functions from the oldest to the youngest, separated by semicolons, and the microseconds.
 * Functions are named when they are sampled, because their code may be removed later. Owns the profile, which only the
 * sampler's thread uses, in any phase; memory comes straight from the system.
 */
#include "runtime/profile/profile.h"

#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "runtime/code/names.h"
#include "runtime/core/image.h"
#include "runtime/inspect/out.h"
#include "runtime/os/os.h"
#include "runtime/tables/blocks.h"

enum { BUCKETS = 1 << 12, NAME_BYTES = 1024, STACK_BYTES = 1 << 15, MAX_PROFILE_BYTES = 64 << 20 };

/* A name by its pc, or a stack by the hash of its text. */
struct folded_text {
  struct folded_text *next;
  uint64_t key, nanoseconds;
  size_t bytes; /* of the block */
  char text[];
};

struct text_table {
  struct folded_text *buckets[BUCKETS];
};

struct stack_text {
  char text[STACK_BYTES];
  size_t used;
};

static struct {
  struct text_table names, stacks;
  struct cn_blocks memory;
  uint64_t generation; /* the names are right for this list of images */
  uint64_t lost;       /* nanoseconds of stacks without memory for their text */
  struct stack_text stack, activation;
  struct cn_out_file out;
} profile;

/* ---- tables ---- */

static size_t bucket_of(uint64_t key)
{
  return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 52) % BUCKETS;
}

/* `text` may be null. */
static struct folded_text *find_text(const struct text_table *table, uint64_t key, const char *text)
{
  struct folded_text *at = table->buckets[bucket_of(key)];

  while (at != NULL && (at->key != key || (text != NULL && strcmp(at->text, text) != 0)))
    at = at->next;
  return at;
}

/* Null: the profile's memory is used up. */
static struct folded_text *add_text(struct text_table *table, uint64_t key, const char *text)
{
  struct folded_text **bucket = &table->buckets[bucket_of(key)], *added;
  size_t bytes = sizeof *added + strlen(text) + 1;

  CN_ASSERT(find_text(table, key, text) == NULL && bytes > sizeof *added);
  if (profile.memory.mapped_bytes >= MAX_PROFILE_BYTES || (added = cn_blocks_take(&profile.memory, bytes)) == NULL)
    return NULL;
  *added = (struct folded_text){.next = *bucket, .key = key, .bytes = bytes};
  memcpy(added->text, text, bytes - sizeof *added);
  *bucket = added;
  return added;
}

static void forget_names(uint64_t generation)
{
  for (size_t i = 0; i < BUCKETS; i++)
    for (struct folded_text *at = profile.names.buckets[i], *next; at != NULL; at = next) {
      next = at->next;
      cn_blocks_give(&profile.memory, at, at->bytes);
    }
  profile.names = (struct text_table){0};
  profile.generation = generation;
}

/* ---- text ---- */

/* Append functions that are separated by semicolons. A text that is too long lacks its youngest functions. */
static void append_functions(struct stack_text *stack, const char *names)
{
  size_t length = strlen(names);

  CN_ASSERT(stack->used < sizeof stack->text);
  if (length + 2 > sizeof stack->text - stack->used)
    return;
  if (stack->used != 0)
    stack->text[stack->used++] = ';';
  memcpy(stack->text + stack->used, names, length + 1);
  stack->used += length;
}

/* Characters with a meaning in the profile become underlines. */
static void append_function(struct stack_text *stack, const char *name)
{
  size_t from = stack->used + (stack->used != 0);

  append_functions(stack, name);
  CN_ASSERT(stack->used < sizeof stack->text);
  for (size_t i = from; i < stack->used; i++)
    if ((unsigned char)stack->text[i] < ' ' || stack->text[i] == ';')
      stack->text[i] = '_';
}

/* The symbol of the code, without the distance. A return address may be the next function's. */
static void append_symbol(struct stack_text *stack, const struct cn_backtrace_activation *activation)
{
  char name[NAME_BYTES];

  if (!cn_code_describe(activation->pc - !activation->interrupted, name, sizeof name))
    snprintf(name, sizeof name, "[unknown]");
  char *plus = strrchr(name, '+');
  if (plus != NULL)
    *plus = 0;
  append_function(stack, name);
}

/* The functions that are inlined at a return address follow the function of the frame. */
static void append_activation(struct stack_text *stack, const struct cn_backtrace_activation *activation)
{
  struct cn_source_place source;
  uint32_t depths = 0;

  if (!activation->interrupted)
    cn_safepoint_find_source(activation->pc, 0, &source, &depths);
  if (depths == 0)
    append_symbol(stack, activation);
  for (uint32_t i = depths; i-- > 0 && cn_safepoint_find_source(activation->pc, i, &source, &depths);)
    append_function(stack, source.function);
}

/* Like append_activation(), but keeps the text by the pc. The symbol tables of files are searched from end to end. */
static void append_kept_activation(struct stack_text *stack, const struct cn_backtrace_activation *activation)
{
  uint64_t key = (uint64_t)activation->pc << 1 | activation->interrupted;
  const struct folded_text *name = find_text(&profile.names, key, NULL);

  if (name == NULL) {
    profile.activation.used = 0;
    append_activation(&profile.activation, activation);
    name = add_text(&profile.names, key, profile.activation.text);
  }
  append_functions(stack, name != NULL ? name->text : profile.activation.text);
}

static void append_sample(struct stack_text *stack, const struct cn_backtrace *backtrace)
{
  const struct cn_backtrace_activation *oldest = backtrace->at + backtrace->count - 1;

  CN_ASSERT(backtrace->count != 0 && backtrace->count <= CN_BACKTRACE_MAX_ACTIVATIONS);
  if (oldest->number + oldest->same + 1 >= CN_PROFILE_DEPTH)
    append_function(stack, "[older]");
  for (size_t i = backtrace->count; i-- > 0;) {
    append_kept_activation(stack, &backtrace->at[i]);
    if (backtrace->at[i].left_out != 0)
      append_function(stack, "[left out]");
  }
}

/* ---- the profile ---- */

static uint64_t hash_of(const char *text)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

  for (; *text != 0; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash;
}

static void add_time(const char *stack, uint64_t nanoseconds)
{
  uint64_t key = hash_of(stack);
  struct folded_text *at = find_text(&profile.stacks, key, stack);

  if (at == NULL)
    at = add_text(&profile.stacks, key, stack);
  *(at != NULL ? &at->nanoseconds : &profile.lost) += nanoseconds;
}

/* Code and its details stay mapped while the thread reads images. */
void cn_folded_stacks_add(int thread, const struct cn_sample *sample, uint64_t nanoseconds)
{
  struct stack_text *stack = &profile.stack;
  char name[32];
  bool entered = cn_image_begin_reading();
  uint64_t generation = cn_image_list_generation();

  CN_CHECK(nanoseconds != 0);
  if (profile.generation != generation)
    forget_names(generation);
  stack->used = 0;
  cn_os_thread_read_name(thread, name, sizeof name);
  append_function(stack, name[0] != 0 ? name : "[ended]");
  if (sample != NULL && sample->backtrace.count != 0)
    append_sample(stack, &sample->backtrace);
  else
    append_function(stack, "[unknown]");
  cn_image_end_reading(entered);
  add_time(stack->text, nanoseconds);
}

static void write_line(const char *stack, uint64_t nanoseconds)
{
  char time[32];
  int length = snprintf(time, sizeof time, " %llu\n", (unsigned long long)(nanoseconds + 500) / 1000);

  CN_CHECK(length > 0 && (size_t)length < sizeof time);
  cn_out_write_bytes(&profile.out, stack, strlen(stack));
  cn_out_write_bytes(&profile.out, time, (size_t)length);
}

bool cn_folded_stacks_write(const char *path, char *message, size_t size)
{
  CN_CHECK(path != NULL && message != NULL);
  cn_out_begin_file(&profile.out, path);
  for (size_t i = 0; i < BUCKETS; i++)
    for (const struct folded_text *at = profile.stacks.buckets[i]; at != NULL; at = at->next)
      write_line(at->text, at->nanoseconds);
  if (profile.lost != 0)
    write_line("[no memory]", profile.lost);
  return cn_out_finish_file(&profile.out, message, size);
}
