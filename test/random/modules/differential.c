/* SPDX-License-Identifier: Apache-2.0
 *
 * Many random modules through our rewriter and LLVM's, in a few processes, one of which may crash
 * without harm: the seed that it died at is counted as what it was doing, and another goes on.
 *   differential [--ours] [--verbose] [--workers=N] [FIRST [COUNT]]
 * Prints what went wrong with ours, with the command that shows it, and a table by form. Status 1
 * if something did.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
#include "base/check.h"
#include "random/modules/judge.h"

enum { CN_WORKERS = 16, CN_SEVERAL = CN_FORMS, CN_ROWS };

struct row {
  unsigned modules, fine, refused, theirs[CN_STAGES];
  struct cn_verdict example[CN_STAGES]; /* the first seed that LLVM's pass came so far with */
};
/* Shared with the workers. */
struct board {
  struct cn_verdict verdict;
  uint64_t next; /* the seed that the worker comes to next */
  bool under_way;
};
struct job {
  uint64_t first, count, done;
  unsigned workers, failures;
  bool ours_only, verbose;
  struct row rows[CN_ROWS];
};

static const char *const stage_names[CN_STAGES] = {
    [CN_STAGE_MADE] = "the generator made no valid module",
    [CN_STAGE_REWRITING] = "the rewriter crashed or hung",
    [CN_STAGE_REFUSED] = "refused",
    [CN_STAGE_TOUCHED] = "refused, but changed",
    [CN_STAGE_BROKEN] = "the output is no valid module",
    [CN_STAGE_FLAGGED] = "verify-safepoints objects",
    [CN_STAGE_DOUBTED] = "LLVM's verify<safepoint-ir> objects",
    [CN_STAGE_FINE] = "fine",
};

static unsigned row_of(const struct cn_verdict *v)
{
  uint64_t forms = v->forms & ~(uint64_t)1;

  if (cn_trial_of(v->seed).wish.run || (forms & (forms - 1)))
    return CN_SEVERAL;
  return forms ? (unsigned)__builtin_ctzll(forms) : CN_FORM_NONE;
}

static void count(struct job *job, const struct cn_verdict *v)
{
  struct row *row = &job->rows[row_of(v)];
  char command[512];

  job->done++;
  row->modules++;
  if (!row->theirs[v->theirs]++)
    row->example[v->theirs] = *v;
  if (v->ours == CN_STAGE_REFUSED && v->allowed) {
    row->refused++;
    return;
  }
  if (v->ours == CN_STAGE_FINE || (v->ours == CN_STAGE_DOUBTED && v->allowed)) {
    row->fine++;
    return;
  }
  job->failures++;
  cn_trial_command(v->seed, command, sizeof command);
  printf("seed %llu: %s %s%s%s\n  %s\n", (unsigned long long)v->seed, stage_names[v->ours], *v->rule ? "[" : "",
         v->rule, *v->rule ? "]" : "", command);
}

/* A worker takes every workers-th seed; a byte says that one is done. */
static void work(const struct job *job, struct board *board, int done)
{
  struct rlimit none = {0, 0};

  setrlimit(RLIMIT_CORE, &none);
  if (!job->verbose)
    CN_CHECK(dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) >= 0);
  while (board->next < job->first + job->count) {
    uint64_t seed = board->next;
    board->next = seed + job->workers;
    board->verdict.seed = seed;
    board->under_way = true;
    cn_function_check(seed, !job->ours_only, &board->verdict);
    board->under_way = false;
    struct cn_verdict verdict = board->verdict;
    CN_CHECK(write(done, &verdict, sizeof verdict) == sizeof verdict);
  }
  _exit(0);
}

static int start(const struct job *job, struct board *board)
{
  int ends[2];

  CN_CHECK(pipe(ends) == 0);
  board->under_way = false;
  fflush(NULL);
  pid_t child = fork();
  CN_CHECK(child >= 0);
  if (child == 0)
    work(job, board, ends[1]);
  close(ends[1]);
  return ends[0];
}

static void progress(const struct job *job)
{
  if (isatty(STDERR_FILENO) || job->done % 1000 == 0)
    fprintf(stderr, "differential: %llu of %llu modules, %u failures%c", (unsigned long long)job->done,
            (unsigned long long)job->count, job->failures, isatty(STDERR_FILENO) ? '\r' : '\n');
}

static void run(struct job *job)
{
  struct board *boards =
      mmap(NULL, CN_WORKERS * sizeof *boards, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct pollfd polls[CN_WORKERS];
  unsigned open_count = job->workers;

  CN_CHECK(boards != MAP_FAILED);
  for (unsigned w = 0; w < job->workers; w++) {
    boards[w].next = job->first + w;
    polls[w] = (struct pollfd){.fd = start(job, &boards[w]), .events = POLLIN};
  }
  while (open_count > 0 && poll(polls, job->workers, -1) > 0)
    for (unsigned w = 0; w < job->workers; w++) {
      struct cn_verdict verdict;
      if (polls[w].fd < 0 || !polls[w].revents)
        continue;
      if (read(polls[w].fd, &verdict, sizeof verdict) == sizeof verdict) {
        count(job, &verdict);
        progress(job);
        continue;
      }
      close(polls[w].fd);
      polls[w].fd = -1;
      open_count--;
      if (boards[w].under_way) { /* it died */
        count(job, &boards[w].verdict);
        polls[w].fd = start(job, &boards[w]);
        open_count++;
      }
    }
  while (wait(NULL) > 0)
    continue;
}

static void print_row(const struct row *r, const char *name, const char *number)
{
  if (!r->modules)
    return;
  printf("%-40s %3s %7u | %7u %7u %7u |", name, number, r->modules, r->fine, r->refused,
         r->modules - r->fine - r->refused);
  printf(" %7u %7u %7u %7u %7u\n", r->theirs[CN_STAGE_FINE], r->theirs[CN_STAGE_REWRITING], r->theirs[CN_STAGE_BROKEN],
         r->theirs[CN_STAGE_FLAGGED], r->theirs[CN_STAGE_DOUBTED]);
}

static void print_table(const struct job *job)
{
  struct row total = {0};

  printf("\n%40s %3s %7s | %23s | %s\n", "", "", "", "ours", "LLVM's");
  printf("%-40s %3s %7s | %7s %7s %7s | %7s %7s %7s %7s %7s\n", "form", "row", "modules", "fine", "refused", "failed",
         "fine", "crashed", "broken", "lost", "doubted");
  for (unsigned f = 0; f < CN_ROWS; f++) {
    const struct row *r = &job->rows[f];
    print_row(r, f == CN_SEVERAL ? "several forms" : cn_form_table[f].name,
              f == CN_SEVERAL ? "-" : cn_form_table[f].row);
    total.modules += r->modules;
    total.refused += r->refused;
    total.fine += r->fine;
    for (int s = 0; s < CN_STAGES; s++)
      total.theirs[s] += r->theirs[s];
  }
  print_row(&total, "total", "");
}

/* What LLVM's pass does to a module of each form, with a seed that shows it. */
static void print_examples(const struct job *job)
{
  static const enum cn_stage bad[] = {CN_STAGE_REWRITING, CN_STAGE_BROKEN, CN_STAGE_FLAGGED};
  static const char *const what[] = {"crashes", "leaves no valid module", "loses"};

  puts("\nLLVM's rewrite-statepoints-for-gc, for example (random_module SEED | opt-22 -S "
       "-passes=rewrite-statepoints-for-gc):");
  for (unsigned f = 0; f < CN_SEVERAL; f++)
    for (unsigned b = 0; b < sizeof bad / sizeof *bad; b++) {
      const struct cn_verdict *v = &job->rows[f].example[bad[b]];
      if (job->rows[f].theirs[bad[b]])
        printf("  seed %6llu, %s: %s%s%s%s\n", (unsigned long long)v->seed, cn_form_table[f].name, what[b],
               *v->their_rule ? " [" : "", v->their_rule, *v->their_rule ? "]" : "");
    }
}

int main(int argc, char **argv)
{
  struct job job = {.first = 1, .count = 300, .workers = 2};
  int at = 1;

  for (; at < argc && argv[at][0] == '-'; at++)
    if (strcmp(argv[at], "--ours") == 0)
      job.ours_only = true;
    else if (strcmp(argv[at], "--verbose") == 0)
      job.verbose = true;
    else if (strncmp(argv[at], "--workers=", 10) == 0)
      job.workers = (unsigned)strtoul(argv[at] + 10, NULL, 10);
    else
      at = argc;
  if (argc - at > 2 || at > argc || job.workers < 1 || job.workers > CN_WORKERS) {
    fputs("usage: differential [--ours] [--verbose] [--workers=N] [FIRST [COUNT]]\n", stderr);
    return 2;
  }
  if (at < argc)
    job.first = strtoull(argv[at], NULL, 10);
  if (at + 1 < argc)
    job.count = strtoull(argv[at + 1], NULL, 10);
  run(&job);
  print_table(&job);
  if (!job.ours_only)
    print_examples(&job);
  if (!job.done || job.rows[CN_FORM_NONE].modules == job.done)
    return 1;
  return job.failures > 0;
}
