/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/operands.test: reads the record of each call, and compares the value with the one
 * that the module passes. With -DJIT the program runs the module in a session, else it is linked with the module.
 *
 *   operands [plain|live-in] [FILE.ll quick|full]
 */
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef JIT
#include <cairn/jit.h>
#endif

void look(int row, unsigned type, uint64_t low, uint64_t high);

static int read, lost, wrong;
static bool plain, live_in;

static uint64_t lowest_bits(uint64_t word, int bits)
{
  return bits <= 0 ? 0 : bits < 64 ? word & ((1ull << bits) - 1) : word;
}

/* A value without a class has the width of its place: the bits above the type's are arbitrary. */
static void forget_class(struct cairn_deopt_value *value, unsigned value_class, int bits)
{
  value->value_class = value_class;
  value->word[0] = lowest_bits(value->word[0], bits);
  value->word[1] = lowest_bits(value->word[1], bits - 64);
  value->bits = (uint8_t)bits;
}

static void compare(int row, const struct cairn_deopt_value *value, unsigned value_class, unsigned bits, uint64_t low,
                    uint64_t high)
{
  read++;
  if (live_in && value->value_class == CAIRN_DEOPT_LOST && value->bits == bits) {
    lost++;
  } else if (value->value_class != value_class || value->bits != bits || value->word[0] != low ||
             value->word[1] != high) {
    wrong++;
    printf("row %d: class %u, %u bits, %lx:%lx; wanted class %u, %u bits, %lx:%lx\n", row, value->value_class,
           value->bits, (long)value->word[1], (long)value->word[0], value_class, bits, (long)high, (long)low);
  }
}

void look(int row, unsigned type, uint64_t low, uint64_t high)
{
  struct cairn_stack_iterator it;
  struct cairn_deopt_value before, value, after;
  uint32_t count = 0;
  unsigned value_class = type >> 8, bits = type & 0xff;

  cairn_stack_youngest(&it);
  if (cairn_deopt_count(&it, &count) || count != 3 || cairn_deopt_read(&it, 0, &before) ||
      cairn_deopt_read(&it, 1, &value) || cairn_deopt_read(&it, 2, &after)) {
    printf("row %d: no record of three values\n", row);
    exit(1);
  }
  if (before.word[0] != 7 || after.word[0] != 9) {
    printf("row %d: the values beside it are %lx, %lx\n", row, (long)before.word[0], (long)after.word[0]);
    wrong++;
  }
  if (plain)
    forget_class(&value, value_class, (int)bits);
  compare(row, &value, value_class, bits, low, high);
}

#ifdef JIT
static void run_module(const char *path, const char *tier)
{
  struct cairn_jit_options options = {.compile = {.opt_level = 2}};
  char *text = malloc(1 << 22), *error = NULL;
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(text, 1, 1 << 22, file) : 0;
  struct cairn_jit *session;
  uint64_t module;
  void *run;

  options.compile.tier = strcmp(tier, "quick") == 0 ? CAIRN_TIER_QUICK : CAIRN_TIER_FULL;
  if (cairn_jit_new(&options, &session, &error) || cairn_jit_add_ir(session, text, size, &module, &error) ||
      cairn_jit_look_up(session, "run", &run, &error)) {
    printf("%s\n", error);
    exit(1);
  }
  ((void (*)(void))run)();
  cairn_jit_dispose(session);
  free(text);
  fclose(file);
}
#else
void run(void);
#endif

int main(int argc, char **argv)
{
  plain = argc > 1 && strcmp(argv[1], "plain") == 0;
  live_in = argc > 1 && strcmp(argv[1], "live-in") == 0;
#ifdef JIT
  run_module(argv[argc - 2], argv[argc - 1]);
#else
  run();
#endif
  printf("read %d, wrong %d\n", read, wrong);
  if (live_in)
    printf("lost %s\n", lost && lost < read ? "some" : "all or none");
  return wrong != 0;
}
