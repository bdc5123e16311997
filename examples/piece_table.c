/* SPDX-License-Identifier: Apache-2.0
 *
 * The buffer of a text editor: a piece table. The text is a list of pieces, each a part of the file or of an inserted
 * text, so an edit changes a few links and copies no text. Each change keeps the pieces that it removed: undo and redo
 * put one range of the list in the place of another. Pieces that no change can bring back are garbage.
 *
 *   piece_table [FILE [SCRIPT]]    edits the text of FILE by the commands of SCRIPT or of standard input
 *
 * Commands, a line each: `insert AT TEXT`, `delete AT LENGTH`, `undo`, `redo`, `print`, `pieces`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/array.h>
#include <cairn/string.h>

typedef const char managed text;
typedef struct piece managed piece;
typedef struct buffer managed buffer;

struct piece {
  piece *previous, *next;
  text *of;
  size_t start, length;
};

/* Pieces that are linked; null if there is none. */
struct range {
  piece *first, *last;
};

/* Between `before` and `after`, `removed` gave way to `added`. */
struct change {
  piece *before, *after;
  struct range removed, added;
};

CAIRN_VECTOR(changes, struct change);

struct buffer {
  piece *head, *tail; /* empty pieces before and after the text */
  struct changes changes;
  long done; /* changes that are not undone */
  size_t length;
};

/* ---- pieces ---- */

static piece *piece_new(text *of, size_t start, size_t length)
{
  piece *p = cairn_new(piece);

  p->of = of;
  p->start = start;
  p->length = length;
  return p;
}

static void append(struct range *range, piece *p)
{
  if (p->length == 0)
    return;
  p->previous = range->last;
  if (range->last)
    range->last->next = p;
  else
    range->first = p;
  range->last = p;
}

/* Puts the range between the two pieces. */
static void put_between(piece *before, struct range range, piece *after)
{
  piece *first = range.first ? range.first : after, *last = range.last ? range.last : before;

  before->next = first;
  first->previous = before;
  after->previous = last;
  last->next = after;
}

static size_t length_of(struct range range)
{
  size_t length = 0;

  for (piece *p = range.first; p; p = p == range.last ? NULL : p->next)
    length += p->length;
  return length;
}

/* The piece with the byte at *at, which becomes the byte's place in the piece. */
static piece *find(buffer *b, size_t *at)
{
  piece *p = b->head->next;

  for (; p != b->tail && *at >= p->length; p = p->next)
    *at -= p->length;
  return p;
}

/* ---- changes ---- */

static void make_change(buffer *b, const struct change *change)
{
  while (b->changes.length > b->done)
    cairn_pop(&b->changes);
  cairn_push(&b->changes, *change);
  put_between(change->before, change->added, change->after);
  b->length += length_of(change->added) - length_of(change->removed);
  b->done++;
}

/* Removes `length` bytes at `at`, and inserts the text there. */
static void replace(buffer *b, size_t at, size_t length, text *inserted)
{
  struct change change = {.before = NULL};
  size_t end = at + length;
  piece *first = find(b, &at), *last = find(b, &end);

  append(&change.added, piece_new(first->of, first->start, at));
  append(&change.added, piece_new(inserted, 0, strlen(inserted)));
  if (end > 0)
    append(&change.added, piece_new(last->of, last->start + end, last->length - end));
  change.before = first->previous;
  change.after = end > 0 ? last->next : last;
  if (change.before->next != change.after)
    change.removed = (struct range){first, change.after->previous};
  make_change(b, &change);
}

static _Bool undo(buffer *b)
{
  if (b->done == 0)
    return 0;
  struct change change = b->changes.at[--b->done];
  put_between(change.before, change.removed, change.after);
  b->length += length_of(change.removed) - length_of(change.added);
  return 1;
}

static _Bool redo(buffer *b)
{
  if (b->done == b->changes.length)
    return 0;
  struct change change = b->changes.at[b->done++];
  put_between(change.before, change.added, change.after);
  b->length += length_of(change.added) - length_of(change.removed);
  return 1;
}

/* ---- the buffer ---- */

static buffer *buffer_new(text *contents)
{
  buffer *b = cairn_new(buffer);
  struct range all = {.first = NULL};

  append(&all, piece_new(contents, 0, strlen(contents)));
  b->head = piece_new(contents, 0, 0);
  b->tail = piece_new(contents, 0, 0);
  b->length = length_of(all);
  put_between(b->head, all, b->tail);
  return b;
}

static text *contents(buffer *b)
{
  char managed *all = cairn_text_uninit(b->length);
  size_t at = 0;

  for (piece *p = b->head->next; p != b->tail; at += p->length, p = p->next)
    cairn_copy(all + at, p->of + p->start, p->length);
  return all;
}

static void print_pieces(buffer *b)
{
  long count = 0;
  unsigned long digest = 1;

  for (piece *p = b->head->next; p != b->tail; p = p->next, count++)
    digest = digest * 31 + p->start * 7 + p->length + (p->next->previous == p);
  printf("%zu bytes, %ld pieces, %ld of %ld changes, %016lx\n", b->length, count, b->done, b->changes.length, digest);
}

/* ---- the command ---- */

/* Runs the command in the line; false if it is unknown or leads outside of the text. */
static _Bool run(buffer *b, char *line)
{
  size_t at, length;
  int from = 0;

  line[strcspn(line, "\n")] = 0;
  if (sscanf(line, "insert %zu%n", &at, &from) == 1 && line[from] == ' ' && at <= b->length)
    replace(b, at, 0, cairn_text(line + from + 1));
  else if (sscanf(line, "delete %zu %zu", &at, &length) == 2 && at <= b->length && length <= b->length - at)
    replace(b, at, length, cairn_text(""));
  else if (strcmp(line, "undo") == 0)
    return undo(b);
  else if (strcmp(line, "redo") == 0)
    return redo(b);
  else if (strcmp(line, "print") == 0)
    puts(contents(b));
  else if (strcmp(line, "pieces") == 0)
    print_pieces(b);
  else
    return 0;
  return 1;
}

static FILE *open_file(const char *name)
{
  FILE *file = fopen(name, "r");

  if (file)
    return file;
  perror(name);
  exit(1);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: piece_table [FILE [SCRIPT]]") < 0;

  text *before = argc > 1 ? cairn_read_all(open_file(argv[1])) : cairn_text("");
  FILE *script = argc > 2 ? open_file(argv[2]) : stdin;
  char line[4096];

  if (!before) {
    perror(argv[1]);
    return 1;
  }
  buffer *b = buffer_new(before);
  for (long number = 1; fgets(line, sizeof line, script); number++)
    if (!run(b, line))
      printf("line %ld has no effect: %s\n", number, line);
  print_pieces(b);
  return 0;
}
