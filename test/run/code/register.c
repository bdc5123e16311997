// Code that a loader of the program's own registers, as the Stack Map document has it ("Stack Map Section": the memory
// manager gets each section's name and address). What would go wrong: frames or globals of the code are not found when
// objects move; a backtrace stops at the code or lacks its names; the code goes while something uses it; a malformed
// section is read later, and ends the program; a failed registration leaves something behind.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/loaded.c loaded.c && %cairn-cc -O2 -c loaded.c -o loaded.o && \
// RUN:   %cairn-cc -O2 -g -c loaded.c -o lines.o
// RUN: %cairn-cc -O1 -fcairn-manage=marked -I%S/Inputs \
// RUN:   %s -I%root/examples/loader %root/examples/loader/loader.c -o register
// RUN: ./register loaded.o 20 2>&1 | FileCheck --check-prefixes=CHECK,PLAIN %s
// RUN: ./register lines.o 20 2>&1 | FileCheck --check-prefixes=CHECK,LINES %s
// RUN: env CAIRN_STRESS=1 ./register lines.o 20 2>&1 | FileCheck --check-prefixes=CHECK,LINES %s
// RUN: ./register lines.o hostile | FileCheck --check-prefix=HOSTILE %s
// RUN: python3 %S/../patch/Inputs/sites.py 4 > sites.ll && %cairn-cc -O2 -c sites.ll -o sites.o
// RUN: ./register sites.o hostile | FileCheck --check-prefix=POINTS %s
// PLAIN: in native_hook+{{.*}} from
// PLAIN: in {{(cairn.managed_code.)?}}work+{{.*}} from loaded.o
// LINES: in work at loaded.c:31:3
// CHECK: in main+
// CHECK: with frames: -5, with objects: -5
// CHECK: 20 rounds
// HOSTILE: twice: -3 lines.o: a part of the code, or of its sections, is registered
// HOSTILE: empty: -2 lines.o: the code is empty
// HOSTILE: short: -7 lines.o: section cairn_frames, offset {{[0-9]+}}: a function lies outside of the code
// HOSTILE: version: -7 lines.o registers an image of version
// HOSTILE: end: -7 lines.o: section .eh_frame, offset {{[0-9]+}}: four zero bytes at the end are missing
// HOSTILE: cairn_frames: {{[1-9][0-9]*}} refused
// HOSTILE: cairn_details: {{[1-9][0-9]*}} refused
// HOSTILE: cairn_roots: {{[1-9][0-9]*}} refused
// HOSTILE: .eh_frame: {{[1-9][0-9]*}} refused
// HOSTILE: whole: 0
// POINTS: cairn_points: {{[1-9][0-9]*}} refused
// POINTS: whole: 0
#define _GNU_SOURCE
#include <cairn/cairn.h>
#include <cairn/stack.h>
#include <cairn/patch.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader.h"

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static struct cairn_registered_code *registered;
static enum cairn_status with_frames;
static int round_number, null;

static void native_hook(void)
{
  if (round_number == 0)
    cairn_backtrace(2);
  cairn_collect();
  with_frames = cairn_code_withdraw(registered);
}

static void *find(const char *name)
{
  return strcmp(name, "native_hook") == 0 ? (void *)native_hook : dlsym(RTLD_DEFAULT, name);
}

/* For code that does not run. */
static void *find_any(const char *name)
{
  void *address = find(name);

  return address ? address : (void *)native_hook;
}

static enum cairn_status add(const struct cairn_code *code, const char *what)
{
  char fault[200];
  enum cairn_status status = cairn_code_register(code, &registered, fault, sizeof fault);

  EXPECT((status == CAIRN_OK) == (registered != NULL) && (status == CAIRN_OK) == (*fault == 0));
  if (what)
    printf("%s: %d %s\n", what, (int)status, fault);
  return status;
}

static void run_round(const char *path)
{
  struct loaded loaded;

  load(&loaded, path, find);
  EXPECT(add(&loaded.code, NULL) == CAIRN_OK);
  long (*work)(long) = (long (*)(long))address_of(&loaded, "work");
  EXPECT(work(1000) == 2 * 499500);
  enum cairn_status with_objects = cairn_code_withdraw(registered);
  if (round_number == 0)
    fprintf(stderr, "with frames: %d, with objects: %d\n", (int)with_frames, (int)with_objects);
  EXPECT(with_frames == CAIRN_E_BUSY && with_objects == CAIRN_E_BUSY);
  ((void (*)(void))address_of(&loaded, "drop"))();
  cairn_collect();
  EXPECT(cairn_code_withdraw(registered) == CAIRN_OK);
  unload(&loaded);
}

// What is accepted may be read at any time.
static void use_and_withdraw(void)
{
  cairn_points_with_id(1, NULL, 0);
  cairn_backtrace(null);
  EXPECT(cairn_code_withdraw(registered) == CAIRN_OK);
}

// Register the code with each byte of the section changed in three ways.
static void change_bytes(struct loaded *loaded, const char *name)
{
  size_t bytes, refused = 0;
  unsigned char *at = section_of(loaded, name, &bytes);
  static const unsigned char changes[] = {0x01, 0x80, 0xff};

  for (size_t i = 0; at && i < bytes; i++)
    for (size_t k = 0; k < sizeof changes; k++) {
      at[i] ^= changes[k];
      if (add(&loaded->code, NULL) == CAIRN_OK)
        use_and_withdraw();
      else
        refused++;
      at[i] ^= changes[k];
    }
  printf("%s: %zu refused\n", name, refused);
}

static void be_hostile(const char *path)
{
  struct loaded loaded;

  null = open("/dev/null", O_WRONLY);
  load(&loaded, path, find_any);
  struct cairn_code code = loaded.code;
  EXPECT(add(&code, NULL) == CAIRN_OK);
  struct cairn_registered_code *first = registered;
  add(&code, "twice");
  EXPECT(cairn_code_withdraw(first) == CAIRN_OK);
  code.end = code.start;
  add(&code, "empty");
  code.end = code.start + 64;
  add(&code, "short");
  code = loaded.code;
  code.image.version++;
  add(&code, "version");
  code = loaded.code;
  code.eh_frame_size -= 4;
  add(&code, "end");
  change_bytes(&loaded, "cairn_frames");
  change_bytes(&loaded, "cairn_points");
  change_bytes(&loaded, "cairn_details");
  change_bytes(&loaded, "cairn_roots");
  change_bytes(&loaded, ".eh_frame");
  add(&loaded.code, "whole");
  EXPECT(cairn_code_withdraw(registered) == CAIRN_OK);
  unload(&loaded);
}

int main(int argc, char **argv)
{
  EXPECT(argc == 3);
  if (strcmp(argv[2], "hostile") == 0) {
    be_hostile(argv[1]);
    return 0;
  }
  for (; round_number < atoi(argv[2]); round_number++)
    run_round(argv[1]);
  fprintf(stderr, "%d rounds\n", round_number);
  return 0;
}
