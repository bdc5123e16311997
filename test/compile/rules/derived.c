// RUN: not %cairn-cc -O2 -I%root/include -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: not %cairn-cc -O0 -I%root/include -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: %cairn-cc -O2 -DFINE -I%root/include -c %s -o %t.o
// References into the middle of an object that are stored in objects and globals, where the compiler can prove it:
// under a condition, by way of functions, in intrusive lists. Wrong: a program that compiles, and ends at the next
// collection.
#include <cairn/cairn.h>
#include <stdatomic.h>

struct link {
  struct link managed *next, *before;
};
struct folder {
  long key;
  struct link files, folders;
  struct folder managed *managed *cursor;
  struct folder managed *parent;
};
struct folder managed *first;
static const long managed table[8] = {1, 2};
struct cell {
  const long managed *at;
  struct link managed *link;
};
struct cell managed *cells;

#ifndef FINE
void on_a_path(struct folder managed *f, int which)
{
  struct link managed *link = which ? &f->files : NULL;
  // CHECK: derived.c:[[@LINE+4]]:{{.*}} in function 'on_a_path': the address of member 'files' of struct folder is
  // CHECK-SAME: stored in member 'link' of struct cell, where only references to the start of an object may lie;
  // CHECK-SAME: store the object, and take the address at each use; or make the member the first one of its struct
  // CHECK-SAME: [derived-store]
  cells->link = link;
}

// A list's head within an object, as in Linux: the second member.
static void list_init(struct link managed *head)
{
  head->next = head;
}

static void list_add(struct link managed *link, struct link managed *head)
{
  if (head->next == head)
    link->before = head;
  link->next = head->next;
  head->next = link;
}

void intrusive(struct folder managed *f)
{
  // CHECK: derived.c:[[@LINE+3]]:{{.*}} argument 1 leads into the middle of an object: it is the address of member
  // CHECK-SAME: 'folders' of struct folder, and 'list_init' stores it in member 'next' of struct link in line
  // CHECK-SAME: [[#@LINE-15]]{{.*}}[derived-store]
  list_init(&f->folders);
  struct folder managed *child = cairn_new(struct folder);
  // CHECK: derived.c:[[@LINE+1]]:{{.*}} argument 1 leads {{.*}} of member 'files' {{.*}} and 'list_add' stores
  list_add(&child->files, (struct link managed *)f);
  // CHECK: derived.c:[[@LINE+1]]:{{.*}} argument 2 {{.*}} 'folders' {{.*}} 'list_add' stores it in member 'before'
  list_add((struct link managed *)child, &f->folders);
}

static void deeper(struct link managed *link, int deep)
{
  if (deep)
    deeper(link, deep - 1);
  else
    list_init(link);
}

static struct link managed *files_of(struct folder managed *f)
{
  if (f->key < 0)
    return NULL;
  return &f->files;
}

void by_functions(struct folder managed *f)
{
  // CHECK: derived.c:[[@LINE+1]]:{{.*}} argument 1 leads {{.*}} and 'list_init' stores it
  deeper(&f->files, 3);
  // CHECK: derived.c:[[@LINE+1]]:{{.*}} member 'files' of struct folder is stored in member 'link' of struct cell
  cells->link = files_of(f);
}

void cursors(struct folder managed *f)
{
  struct folder managed *managed *cursor = &f->parent;
  while (*cursor && (*cursor)->key)
    cursor = &(*cursor)->parent;
  // CHECK: derived.c:[[@LINE+1]]:{{.*}} of member 'parent' {{.*}} is stored in member 'cursor' of struct folder
  f->cursor = cursor;
}

static struct link managed *_Atomic last;
void exchanged(struct folder managed *f)
{
  // CHECK: derived.c:[[@LINE+1]]:{{.*}} of member 'files' of struct folder is stored in global 'last'
  atomic_exchange(&last, &f->files);
}
#else
// Legal: cursors in locals, first members, static objects, and parameters that may point anywhere.
void legal(struct folder managed *f, struct link managed *link, const long managed *number)
{
  struct folder managed *managed *cursor = &f->parent;
  while (*cursor)
    cursor = &(*cursor)->parent;
  *cursor = cairn_new(struct folder);
  cells->at = number + 1;
  cells->at = f->key ? &table[3] : table + f->key;
  cells->link = link;
  cells->link = (struct link managed *)&f->key;
  struct folder managed *again = cairn_container_of(&f->files, struct folder, files);
  first = again;
}
#endif
