/* SPDX-License-Identifier: Apache-2.0
 *
 * SQLite calls back into managed code: for each row, for a function and a collation of the
 * program's own, while a database is busy, and to trace. Each thread has its own connection to one
 * file, and builds a list of its rows; one more thread collects meanwhile. SQLite is given
 * addresses of locals, which hold references and are updated when objects move; it never sees a
 * reference.
 *
 *   cairn-cc -O2 sqlite.c -lsqlite3 -o sqlite
 *   sqlite [threads [rows of each [file]]]
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>
#include <sqlite3.h>

struct text {
  long length;
  char bytes[];
};

struct row {
  struct row managed *next;
  struct text managed *name;
  long key;
};

struct list {
  struct row managed *first;
  long count;
};

struct worker {
  pthread_t thread;
  int number;
  long rows, sum, reversed;
};

static const char *file = "/tmp/cairn-sqlite.db";
static atomic_long traced;
static atomic_bool done;

static struct text managed *text(const char *bytes, long length)
{
  struct text managed *t = cairn_new_flex(struct text, length, bytes);

  t->length = length;
  cairn_copy_in(t->bytes, bytes, (size_t)length);
  return t;
}

static void check(sqlite3 *db, int status)
{
  if (status == SQLITE_OK || status == SQLITE_DONE)
    return;
  fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
  exit(1);
}

/* sqlite3_exec() calls it for each row. `context` is the address of a local of the caller. */
static int add_row(void *context, int columns, char **values, char **names)
{
  struct list *list = context;
  struct row managed *row = cairn_new(struct row);

  (void)columns;
  (void)names;
  row->key = atol(values[0]);
  row->name = text(values[1], (long)strlen(values[1]));
  row->next = list->first;
  list->first = row;
  list->count++;
  return 0;
}

/* SQL function reversed(text). The result is copied by SQLite. */
static void reversed(sqlite3_context *context, int count, sqlite3_value **values)
{
  struct text managed *from =
      text((const char *)sqlite3_value_text(values[0]), sqlite3_value_bytes(values[0]));
  struct text managed *to = cairn_new_flex(struct text, from->length, bytes);
  char result[64];

  (void)count;
  to->length = from->length;
  for (long i = 0; i < from->length; i++)
    to->bytes[i] = from->bytes[from->length - 1 - i];
  if (to->length > (long)sizeof result) {
    sqlite3_result_error_toobig(context);
    return;
  }
  cairn_copy_out(result, to->bytes, (size_t)to->length);
  sqlite3_result_text(context, result, (int)to->length, SQLITE_TRANSIENT);
}

/* Collation `backwards`: the order of the reversed bytes. */
static int backwards(void *unused, int left_size, const void *left, int right_size,
                     const void *right)
{
  struct text managed *a = text(left, left_size), *b = text(right, right_size);

  (void)unused;
  for (long i = a->length - 1, j = b->length - 1; i >= 0 && j >= 0; i--, j--)
    if (a->bytes[i] != b->bytes[j])
      return a->bytes[i] < b->bytes[j] ? -1 : 1;
  return (a->length > b->length) - (a->length < b->length);
}

/* Another connection writes: wait for it, without end. */
static int busy(void *unused, int times)
{
  (void)unused;
  (void)times;
  sched_yield();
  return 1;
}

static int trace(unsigned event, void *unused, void *statement, void *sql)
{
  struct text managed *copy = text(sql, (long)strlen(sql));

  (void)event;
  (void)unused;
  (void)statement;
  traced += copy->length > 0;
  return 0;
}

static sqlite3 *open_database(void)
{
  sqlite3 *db;

  check(NULL, sqlite3_open(file, &db));
  check(db, sqlite3_busy_handler(db, busy, NULL));
  check(db, sqlite3_create_function(db, "reversed", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                    reversed, NULL, NULL));
  check(db, sqlite3_create_collation(db, "backwards", SQLITE_UTF8, NULL, backwards));
  check(db, sqlite3_trace_v2(db, SQLITE_TRACE_STMT, trace, NULL));
  check(db, sqlite3_exec(db, "pragma synchronous = off", NULL, NULL, NULL));
  return db;
}

static void insert(sqlite3 *db, const struct worker *worker)
{
  sqlite3_stmt *statement;
  char name[32];

  check(db, sqlite3_exec(db, "begin immediate", NULL, NULL, NULL));
  check(db, sqlite3_prepare_v2(db, "insert into row values (?, ?, ?)", -1, &statement, NULL));
  for (long key = 0; key < worker->rows; key++) {
    int length = snprintf(name, sizeof name, "row %ld", key);
    sqlite3_bind_int(statement, 1, worker->number);
    sqlite3_bind_int64(statement, 2, key);
    sqlite3_bind_text(statement, 3, name, length, SQLITE_TRANSIENT);
    check(db, sqlite3_step(statement));
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  check(db, sqlite3_exec(db, "commit", NULL, NULL, NULL));
}

/* The rows come in the order of the collation; the list has them the other way round. */
static void query(sqlite3 *db, struct worker *worker)
{
  struct list list = {NULL, 0};
  char sql[128];

  snprintf(sql, sizeof sql,
           "select key, reversed(name) from row where owner = %d order by name collate backwards",
           worker->number);
  check(db, sqlite3_exec(db, sql, add_row, &list, NULL));
  if (list.count != worker->rows)
    abort();
  for (struct row managed *row = list.first; row; row = row->next) {
    worker->sum += row->key;
    worker->reversed += row->name->bytes[row->name->length - 1] == 'r';
  }
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  sqlite3 *db = open_database();

  insert(db, worker);
  query(db, worker);
  check(db, sqlite3_close(db));
  return NULL;
}

static void *collect(void *unused)
{
  while (!done) {
    cairn_collect();
    sched_yield();
  }
  return unused;
}

static void create_table(void)
{
  sqlite3 *db = open_database();

  check(db, sqlite3_exec(db,
                         "pragma journal_mode = wal; drop table if exists row;"
                         "create table row (owner integer, key integer, name text)",
                         NULL, NULL, NULL));
  check(db, sqlite3_close(db));
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: sqlite [threads [rows of each [file]]]") < 0;

  int threads = argc > 1 ? atoi(argv[1]) : 4;
  long rows = argc > 2 ? atol(argv[2]) : 2000;
  struct worker *workers = calloc((size_t)threads, sizeof *workers);
  pthread_t collector;
  long sum = 0, reversed_rows = 0;

  if (argc > 3)
    file = argv[3];
  create_table();
  pthread_create(&collector, NULL, collect, NULL);
  for (int i = 0; i < threads; i++) {
    workers[i].number = i;
    workers[i].rows = rows;
    pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    sum += workers[i].sum;
    reversed_rows += workers[i].reversed;
  }
  done = 1;
  pthread_join(collector, NULL);
  printf("%d threads of %ld rows: sum %ld, reversed %ld, traced %s\n", threads, rows, sum,
         reversed_rows, traced >= threads * rows ? "all" : "too few");
  free(workers);
  return 0;
}
