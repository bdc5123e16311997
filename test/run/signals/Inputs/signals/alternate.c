/* SPDX-License-Identifier: Apache-2.0
 *
 * The handlers' stack is an array of main(), above what they interrupt. They collect; nothing that
 * the frames in between refer to is lost.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

static void on_signal(int number)
{
  for (int i = 0; i < 1000; i++)
    cairn_new(struct cell);
  cairn_collect();
}

__attribute__((noinline)) static long middle(long value)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = value;
  raise(SIGUSR1);
  return cell->value;
}

__attribute__((noinline)) static void install(void *room, size_t size)
{
  stack_t stack = {.ss_sp = room, .ss_size = size};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

  sigaltstack(&stack, 0);
  sigaction(SIGUSR1, &action, 0);
}

int main(void)
{
  char room[1 << 16];

  install(room, sizeof room);
  for (long i = 0; i < 100; i++)
    if (middle(i) != i)
      return printf("cell %ld is lost\n", i);
  printf("nothing is lost\n");
  return 0;
}
