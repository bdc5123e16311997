// RUN: for s in address leak; do clang -DNATIVE -g -O1 -fsanitize=$s -c %s -o %t.$s.o || exit 1; done
// RUN: for c in generational semispace; do printf '#include <cairn/collector.h>\n%%s = &cairn_collector_%%s;\n' \
// RUN:     'const struct cairn_collector *const cairn_collector_chosen' $c > %t.choose.c && \
// RUN:   clang -I%root/include -c %t.choose.c -o %t.choose.o && \
// RUN:   %cairn-cc -O1 -I%root/include -fcairn-collector=$c -c %s -o %t.o && for s in address leak; do \
// RUN:   clang -fsanitize=$s %t.o %t.$s.o %t.choose.o -Wl,-u,cairn_image_register %build/lib/libcairn.a -o %t && \
// RUN:   env ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=exitcode=23 CAIRN_HEAP_INITIAL=1m %t kept || exit 1; done; \
// RUN:   env LSAN_OPTIONS=exitcode=23 %t lost; echo "status $?"; done 2>&1 | FileCheck %s
// Memory of malloc() that objects of the heap keep is no leak, and memory that nothing keeps is one.
// CHECK: done
// CHECK: done
// CHECK: SUMMARY: LeakSanitizer:
// CHECK: status 23
// CHECK: done
// CHECK: done
// CHECK: SUMMARY: LeakSanitizer:
// CHECK: status 23
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text(size_t bytes);

#ifdef NATIVE
char *text(size_t bytes)
{
  char *at = malloc(bytes);

  memset(at, 'x', bytes);
  return at;
}
#else
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  char *text;
};

static struct node managed *kept;
static char *managed *array, *managed *large;

__attribute__((noinline)) static void fill(void)
{
  for (int i = 0; i < 100; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = kept;
    node->text = text(100);
    kept = node;
  }
  array = cairn_new_array(char *, 10);
  array[3] = text(200);
  large = cairn_new_array(char *, 20000);
  large[15000] = text(300);
}

__attribute__((noinline)) static void lose(void)
{
  text(400);
}

__attribute__((noinline)) static void churn(void)
{
  for (int i = 0; i < 300000; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = NULL;
  }
  cairn_collect();
}

int main(int argc, char **argv)
{
  fill();
  churn();
  if (argc > 1 && strcmp(argv[1], "lost") == 0) {
    kept = NULL;
    lose();
    churn();
  }
  printf("done\n");
  return 0;
}
#endif
