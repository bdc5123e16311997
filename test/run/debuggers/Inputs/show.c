// The debugger stops in these functions. They have registers of their own, so that it finds those of the caller.
void show(const char *name, void *value)
{
  __asm__ volatile("" ::"r"(name), "r"(value) : "memory");
}

void show_number(const char *name, long value)
{
  __asm__ volatile("" ::"r"(name), "r"(value) : "memory");
}

void here(void)
{
  __asm__ volatile("" ::: "memory");
}
