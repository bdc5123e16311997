/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code for throw.c: between managed activations, with a cleanup and without one.
 */
long native_plain(long (*next)(long, long, void *), long kind, void *handle);
long native_clean(long (*next)(long, long, void *), long kind, void *handle);

int native_throw(void);
int cairn_throw(unsigned long key, void *exception);

long native_cleaned;

static void clean(const long *local)
{
  native_cleaned += *local;
}

long native_plain(long (*next)(long, long, void *), long kind, void *handle)
{
  return next(0, kind, handle) + 1;
}

long native_clean(long (*next)(long, long, void *), long kind, void *handle)
{
  long local __attribute__((cleanup(clean))) = 100;

  return next(0, kind, handle) + local;
}

/* Only managed code may call cairn_throw(). */
int native_throw(void)
{
  return cairn_throw(5, 0);
}

int cairn_throw_handle(unsigned long key, void *handle);
void native_throw_handle(void *handle);

void native_throw_handle(void *handle)
{
  cairn_throw_handle(5, handle);
}

void use(void *room)
{
  __asm__ volatile("" : : "r"(room) : "memory");
}
