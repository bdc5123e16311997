/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared object of another compiler: its handler is native, and calls managed code.
 */
#include <signal.h>

static void (*callback)(void);

static void handler(int number)
{
  callback();
}

void library_install(void (*function)(void))
{
  callback = function;
  signal(SIGUSR1, handler);
}

int library_installed(void)
{
  struct sigaction action;

  return sigaction(SIGUSR1, 0, &action) == 0 && action.sa_handler == handler;
}
