/* SPDX-License-Identifier: Apache-2.0
 *
 * workers MIB ROUNDS: full collections of so much that lives, in trees below an array. Prints of
 * each the milliseconds of the clock, and those for which the busiest of the threads had a
 * processor.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cairn/cairn.h>

struct tree {
  struct tree managed *left, *right;
  long value;
};

enum { DEPTH = 13, TREE = ((1 << (DEPTH + 1)) - 1) * 32 /* bytes */ };

static struct tree managed *tree(int depth)
{
  struct tree managed *made = cairn_new(struct tree);

  if (depth > 0) {
    made->left = tree(depth - 1);
    made->right = tree(depth - 1);
  }
  made->value = depth;
  return made;
}

static long count(struct tree managed *of)
{
  return of == 0 ? 0 : 1 + count(of->left) + count(of->right);
}

static double milliseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* For how long each thread has had a processor. */
enum { THREADS = 64 };
struct times {
  long thread[THREADS], ran[THREADS]; /* nanoseconds */
  int count;
};

static void look(struct times *times)
{
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *entry;

  times->count = 0;
  while ((entry = readdir(tasks)) != 0 && times->count < THREADS) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file == 0)
      continue;
    if (fscanf(file, "%ld", &times->ran[times->count]) == 1)
      times->thread[times->count++] = atol(entry->d_name);
    fclose(file);
  }
  closedir(tasks);
}

static double busiest(const struct times *before, const struct times *after)
{
  long most = 0;

  for (int i = 0; i < after->count; i++)
    for (int k = 0; k < before->count; k++)
      if (after->thread[i] == before->thread[k] && after->ran[i] - before->ran[k] > most)
        most = after->ran[i] - before->ran[k];
  return 1e-6 * (double)most;
}

static void measure(void)
{
  struct times before, after;

  look(&before);
  double start = milliseconds();
  cairn_collect();
  double end = milliseconds();
  look(&after);
  printf("%.2f %.2f\n", end - start, busiest(&before, &after));
}

typedef struct tree managed *tree_reference;

int main(int argc, char **argv)
{
  long mib = argc > 1 ? atol(argv[1]) : 16, rounds = argc > 2 ? atol(argv[2]) : 3, nodes = 0;
  long trees = (mib << 20) / TREE + 1;
  tree_reference managed *all = cairn_new_array(tree_reference, trees);

  for (long i = 0; i < trees; i++)
    all[i] = tree(DEPTH);
  cairn_collect();
  for (long i = 0; i < rounds; i++)
    measure();
  for (long i = 0; i < trees; i++)
    nodes += count(all[i]);
  return nodes == trees * ((1L << (DEPTH + 1)) - 1) ? 0 : 1;
}
