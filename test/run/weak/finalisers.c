// Finalisers: objects of a finalisable type and others that were registered, queued once when nothing leads to them.
// What would go wrong: one is lost, comes twice or in another order than it was led to; one that lives comes; a weak
// field leads to one that is queued; what a finaliser does (allocate, collect, jump out, keep the object) damages the
// heap.
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_VERIFY=heap CAIRN_HEAP_INITIAL=1m %t | FileCheck %s && \
// RUN:   env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t | FileCheck %s
// RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && %cairn-cc -O3 -flto %s -o %t && %t | FileCheck %s
#include <setjmp.h>
#include <stdio.h>
#include <cairn/weak.h>

struct cairn_finalisable file {
  long number;
  struct file managed *next, *other;
};
struct plain {
  long number;
  struct file managed *file;
  struct plain managed *next;
};
struct watch {
  struct file managed *file cairn_weak;
  struct plain managed *plain cairn_weak;
};

static struct file managed *kept;
static struct plain managed *kept_plain;
static jmp_buf back;

static struct file managed *open_file(long number, struct file managed *next)
{
  struct file managed *f = cairn_new(struct file);

  f->number = number;
  f->next = next;
  return f;
}

static void drop_files(long from, long to)
{
  for (long i = from; i < to; i++)
    open_file(i, 0);
}

static void print_queue(const char *what, unsigned queue)
{
  struct file managed *f;

  printf("%s:", what);
  for (cairn_collect(); (f = cairn_finalise_next(queue));)
    printf(" %ld", f->number);
  printf("\n");
}

/* Beside the stack: what a function left there is no root, but its registers may be. */
static __attribute__((noinline)) void chain(void)
{
  struct file managed *c = open_file(3, 0), *a = open_file(1, open_file(2, c));

  c->other = 0;
  a->other = c;
}

static __attribute__((noinline)) void through_plain(void)
{
  struct plain managed *p = cairn_new(struct plain);

  p->file = open_file(12, 0);
  struct file managed *first = open_file(11, 0);
  first->other = (struct file managed *)0;
  p->next = cairn_new(struct plain);
  p->next->file = open_file(13, 0);
  p->next->number = 14;
  cairn_finalise(p->next, 3);
  p->number = 10;
  cairn_finalise(p, 3);
}

static __attribute__((noinline)) void circle(void)
{
  struct file managed *a = open_file(21, 0), *b = open_file(22, a), *leads = open_file(20, a);

  a->next = b;
  leads->other = leads;
}

static __attribute__((noinline)) struct watch managed *watched(void)
{
  struct watch managed *w = cairn_new(struct watch);

  struct plain managed *p = cairn_new(struct plain);
  p->file = open_file(30, 0);
  w->plain = p;
  w->file = p->file;
  cairn_finalise(p, 5);
  return w;
}

static __attribute__((noinline)) void jump_out(struct file managed *f)
{
  kept = open_file(f->number + 1, f);
  drop_files(50, 60);
  cairn_collect();
  longjmp(back, 1);
}

static __attribute__((noinline)) void jump_next(void)
{
  jump_out(cairn_finalise_next(0));
}

static __attribute__((noinline)) void come_back(void)
{
  if (setjmp(back) == 0)
    jump_next();
}

int main(void)
{
  static long sum, count;

  drop_files(0, 2000);
  cairn_collect();
  for (struct file managed *f; (f = cairn_finalise_next(0)); count++)
    sum += f->number;
  printf("%ld files, %ld\n", count, sum);
  print_queue("nothing more", 0);
  // CHECK: 2000 files, 1999000
  // CHECK-NEXT: nothing more:{{$}}

  chain();
  print_queue("chain", 0);
  through_plain();
  cairn_collect();
  for (struct plain managed *p; (p = cairn_finalise_next(3));)
    printf("plain %ld has %ld\n", p->number, p->file->number);
  printf("others:");
  for (struct file managed *f; (f = cairn_finalise_next(0));)
    printf(" %ld", f->number);
  printf("\n");
  circle();
  print_queue("circle", 0);
  // CHECK-NEXT: chain: 1 2 3
  // CHECK-NEXT: plain 10 has 12
  // CHECK-NEXT: plain 14 has 13
  // CHECK-NEXT: others: 1{{[123]}} 1{{[123]}} 1{{[123]$}}
  // CHECK-NEXT: circle: 20 2{{[12]}} 2{{[12]$}}

  struct watch managed *w = watched();
  cairn_collect();
  printf("%s %s\n", w->file ? "alive" : "gone", w->plain ? "alive" : "gone");
  kept_plain = cairn_finalise_next(5);
  kept = cairn_finalise_next(0);
  printf("%d %ld\n", kept == kept_plain->file, kept->number);
  print_queue("once", 0);
  kept = 0;
  kept_plain = 0;
  print_queue("only once", 0);
  // CHECK-NEXT: gone gone
  // CHECK-NEXT: 1 30
  // CHECK-NEXT: once:{{$}}
  // CHECK-NEXT: only once:{{$}}

  kept = open_file(40, 0);
  cairn_finalise(kept, 7);
  kept->number++;
  cairn_collect();
  printf("%d %d\n", cairn_finalise_next(7) == 0, cairn_finalise_next(0) == 0);
  kept = 0;
  cairn_collect();
  struct file managed *f = cairn_finalise_next(7);
  cairn_finalise(f, 8);
  printf("%d %ld %d\n", f == cairn_finalise_next(0), f->number, cairn_finalise_next(8) == 0);
  f = 0;
  print_queue("again", 8);
  // CHECK-NEXT: 1 1
  // CHECK-NEXT: 1 41 1
  // CHECK-NEXT: again: 41

  open_file(42, 0);
  cairn_collect();
  come_back();
  printf("%ld %ld\n", kept->number, kept->next->number);
  print_queue("made there", 0);
  kept = 0;
  print_queue("kept there", 0);
  // CHECK-NEXT: 43 42
  // CHECK-NEXT: made there: 50 51 52 53 54 55 56 57 58 59
  // CHECK-NEXT: kept there: 43

  struct file managed *many = cairn_new_array(struct file, 3);
  many[2].number = 5;
  many = 0;
  cairn_collect();
  many = cairn_finalise_next(0);
  printf("array %ld\n", many[2].number);
  // CHECK-NEXT: array 5
  return 0;
}
