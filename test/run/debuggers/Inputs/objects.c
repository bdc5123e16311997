// Objects for debuggers: an array of nodes with strings, a watcher with a weak field, a handle, an immediate. stop() is
// called before and after a collection.
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>
#include <cairn/value.h>
#include <cairn/weak.h>
struct node {
  struct node managed *next;
  char managed *name;
  long value;
};
struct watcher {
  struct node managed *watched cairn_weak;
  long count;
};
static struct watcher managed *watcher;
static cairn_value number;
extern unsigned long first_before, first_after, table_now, name_after;
cairn_leaf void note(unsigned long *into, void managed *reference);
void stop(void);

static struct node managed *make(const char *text, long value)
{
  struct node managed *node = cairn_new(struct node);
  size_t size = strlen(text) + 1;

  node->value = value;
  node->name = cairn_new_array(char, size);
  for (size_t i = 0; i < size; i++)
    node->name[i] = text[i];
  return node;
}

int main(void)
{
  struct node managed *managed *table = cairn_new_array(struct node managed *, 3);
  struct cairn_handle *handle = cairn_handle_new(cairn_new_array(long, 4));

  table[0] = make("first", 100);
  table[1] = make("second", 200);
  table[0]->next = table[1];
  watcher = cairn_new(struct watcher);
  watcher->watched = table[0];
  number = cairn_value_from(21);
  note(&first_before, table[0]);
  stop();
  cairn_collect();
  note(&first_after, table[0]);
  note(&table_now, table);
  note(&name_after, table[0]->name);
  stop();
  cairn_handle_free(handle);
  return cairn_value_integer(number) != 21 || table[0]->value != 100 || watcher->watched != table[0];
}
