/* Loads a library, in a program with the runtime in it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  if (!dlopen(argv[argc - 1], RTLD_NOW))
    puts(dlerror());
  return 0;
}
