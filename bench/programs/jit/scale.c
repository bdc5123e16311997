/* SPDX-License-Identifier: Apache-2.0
 *
 * Times images that come and go, with many images registered: jit_scale IMAGES ROUNDS. Each image is made in memory,
 * and has one function with one safepoint, one layout and no roots, as a small module of a compiler that runs in the
 * process. Prints nanoseconds of processor time: a registration and a removal at the full number of images, the first
 * look-up of a return address, a look-up of a layout, and the mean of all registrations. The main thread does
 * everything.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "runtime/core/image.h"
#include "runtime/walk/index.h"

enum { CODE_BYTES = 64, RETURN_OFFSET = 8 };

/* A frame map as framemap_format.h describes it. */
struct frames {
  uint32_t length;
  int32_t entry;
  uint32_t code_size, safepoints;
  uint8_t return_offset, descriptor_offset, head, cfa_words, saved, padding[3];
};

struct module {
  _Alignas(16) unsigned char code[CODE_BYTES];
  struct frames frames;
  struct cairn_layout layout;
  struct cairn_image image;
};

static struct module *modules;

static uint64_t now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void make_module(struct module *module)
{
  module->frames = (struct frames){.length = sizeof module->frames,
                                   .entry = (int32_t)((intptr_t)module->code - (intptr_t)&module->frames.entry),
                                   .code_size = CODE_BYTES,
                                   .safepoints = 1,
                                   .return_offset = RETURN_OFFSET,
                                   .cfa_words = 2};
  module->layout = (struct cairn_layout){.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_size = 16};
  module->image = (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION,
                                       .size = sizeof module->image,
                                       .frames_start = (const unsigned char *)&module->frames,
                                       .frames_stop = (const unsigned char *)(&module->frames + 1),
                                       .layouts_start = (const unsigned char *)&module->layout,
                                       .layouts_stop = (const unsigned char *)(&module->layout + 1)};
}

/* The modules of a round lie far apart. */
static size_t pick(size_t round, size_t images)
{
  return round * 7919 % images;
}

static void look_up(size_t i)
{
  if (cn_index_look_up_map((uintptr_t)modules[i].code + RETURN_OFFSET) == NULL)
    abort();
}

static uint64_t time_removals(size_t images, size_t rounds)
{
  uint64_t begin = now();

  for (size_t i = 0; i < rounds; i++)
    cairn_image_unregister(&modules[pick(i, images)].image);
  return now() - begin;
}

static uint64_t time_registrations(size_t images, size_t rounds)
{
  uint64_t begin = now();

  for (size_t i = 0; i < rounds; i++)
    cairn_image_register(&modules[pick(i, images)].image);
  return now() - begin;
}

static uint64_t time_look_ups(size_t images, size_t rounds)
{
  uint64_t begin = now();

  for (size_t i = 0; i < rounds; i++)
    look_up(pick(i, images));
  return now() - begin;
}

static uint64_t time_layouts(size_t images, size_t rounds)
{
  uint64_t begin = now();

  for (size_t i = 0; i < rounds; i++)
    if (!cairn_layout_is_known(&modules[pick(i, images)].layout))
      abort();
  return now() - begin;
}

/* A module is loaded, met by a walk and removed, in turn: removal with its entry in the index, and a registration that
 * the index adopts. */
static uint64_t time_turns(size_t images, size_t rounds)
{
  uint64_t begin = now();

  for (size_t i = 0; i < rounds; i++) {
    cairn_image_unregister(&modules[pick(i, images)].image);
    cairn_image_register(&modules[pick(i, images)].image);
    look_up(pick(i, images));
  }
  return now() - begin;
}

int main(int argc, char **argv)
{
  size_t images = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;

  if (images == 0 || rounds > images)
    return 1;
  modules = mmap(NULL, images * sizeof *modules, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (modules == MAP_FAILED)
    return 1;
  for (size_t i = 0; i < images; i++)
    make_module(&modules[i]);
  uint64_t begin = now();
  for (size_t i = 0; i < images; i++)
    cairn_image_register(&modules[i].image);
  uint64_t all = now() - begin;
  begin = now();
  look_up(0);
  uint64_t adopt = now() - begin, first = time_look_ups(images, rounds), layouts = time_layouts(images, rounds);
  uint64_t removals = time_removals(images, rounds), registrations = time_registrations(images, rounds);
  uint64_t turns = time_turns(images, rounds);
  printf("%zu %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", images, (double)registrations / (double)rounds,
         (double)removals / (double)rounds, (double)first / (double)rounds, (double)layouts / (double)rounds,
         (double)turns / (double)rounds, (double)all / (double)images, (double)adopt);
  return 0;
}
