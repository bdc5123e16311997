/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code that looks at the heap and prints what it sees.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cairn/events.h>
#include <cairn/heap.h>

void look(void);
void look_quietly(void);
void why(struct cairn_handle *handle);
void dump(const char *path);
void look_wrongly(void);
int look_status(void);

static void print_row(void *env, const struct cairn_heap_row *row)
{
  (void)env;
  if (row->field == NULL)
    printf("%lu %lu %s\n", row->count, row->bytes, row->type);
  else
    printf("  %s: %lu to %lu bytes, %lu none\n", row->field, row->count, row->bytes, row->none);
}

static void add_row(void *env, const struct cairn_heap_row *row)
{
  if (row->field == NULL)
    *(uint64_t *)env += row->bytes;
}

static void add_object(void *env, const struct cairn_heap_object *object)
{
  static uintptr_t last;

  if (*(uint64_t *)env != 0 && object->address <= last)
    printf("the walk goes back\n");
  last = object->address;
  *(uint64_t *)env += object->bytes;
}

static void print_step(void *env, const struct cairn_heap_step *step)
{
  (void)env;
  printf("  %s -> %s of %lu\n", step->from, step->type, step->to.bytes);
}

void look(void)
{
  uint64_t of_rows = 0, of_objects = 0;

  printf("%s\n", cairn_status_text(cairn_heap_histogram(print_row, NULL)));
  cairn_heap_histogram(add_row, &of_rows);
  cairn_heap_walk(add_object, &of_objects);
  printf("both add up: %s\n", of_rows == of_objects ? "yes" : "no");
}

void look_quietly(void)
{
  uint64_t of_rows = 0;
  char name[40];

  cairn_heap_histogram(add_row, &of_rows);
  snprintf(name, sizeof name, "quiet.%d", gettid());
  if (of_rows == 0 || cairn_heap_dump(name, NULL, 0) != CAIRN_OK)
    printf("nothing seen\n");
  unlink(name);
}

void why(struct cairn_handle *handle)
{
  printf("why: %s\n", cairn_status_text(cairn_heap_path(handle, print_step, NULL)));
  cairn_handle_free(handle);
}

void dump(const char *path)
{
  char message[300] = "";
  enum cairn_status status = cairn_heap_dump(path, message, sizeof message);

  printf("%s%s%s\n", cairn_status_text(status), *message ? ": " : "", message);
}

int look_status(void)
{
  uint64_t bytes = 0;

  return cairn_heap_walk(add_object, &bytes);
}

static void in_listener(void *env, const struct cairn_event *event)
{
  (void)event;
  *(int *)env = look_status();
}

static void in_visitor(void *env, const struct cairn_heap_object *object)
{
  (void)object;
  *(int *)env = look_status();
}

void look_wrongly(void)
{
  int status = 0;

  cairn_listen(in_listener, &status);
  cairn_heap_walk(add_object, &(uint64_t){0});
  cairn_listen_end(in_listener, &status);
  printf("in a listener: %s\n", cairn_status_text(status));
  cairn_heap_walk(in_visitor, &status);
  printf("in a visitor: %s\n", cairn_status_text(status));
}
