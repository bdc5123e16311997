/* Prints the steps that the compilation of a module takes in a tier, and the result of its function. */
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>

static const char text[] = "define i64 @sum(ptr addrspace(1) %p, i64 %n) gc \"statepoint-example\" {\n"
                           "  %i = alloca i64\n"
                           "  store i64 0, ptr %i\n"
                           "  br label %loop\n"
                           "loop:\n"
                           "  %k = load i64, ptr %i\n"
                           "  %v = load i64, ptr addrspace(1) %p\n"
                           "  %next = add i64 %k, %v\n"
                           "  store i64 %next, ptr %i\n"
                           "  %more = icmp slt i64 %next, %n\n"
                           "  br i1 %more, label %loop, label %done\n"
                           "done:\n"
                           "  ret i64 %next\n"
                           "}\n";

struct box {
  long value;
};

cairn_unmanaged static void print_step(void *env, const struct cairn_pass_time *time)
{
  (void)env;
  printf("step: %s\n", time->pass);
}

static long call_sum(void *address)
{
  struct box managed *box = cairn_new(struct box);

  box->value = 3;
  return ((long (*)(struct box managed *, long))address)(box, 100);
}

int main(int argc, char **argv)
{
  struct cairn_jit_options options = {.compile = {.opt_level = 2, .timer = print_step}};
  struct cairn_jit *session;
  uint64_t module;
  void *address;
  char *error;

  if (argc > 1 && strcmp(argv[1], "quick") == 0)
    options.compile.tier = CAIRN_TIER_QUICK;
  if (cairn_jit_new(&options, &session, &error) ||
      cairn_jit_add_ir(session, text, strlen(text), &module, &error) ||
      cairn_jit_look_up(session, "sum", &address, &error))
    return fprintf(stderr, "tier: %s\n", error), 1;
  printf("sum: %ld\n", call_sum(address));
  cairn_jit_dispose(session);
  return 0;
}
