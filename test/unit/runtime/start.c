/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps cost nothing at the start of a program: registering an image reads nothing of its sections,
 * except the addresses of its roots, and takes no memory that grows with them. The other sections
 * here cannot be read at all: a parse would end the test with SIGSEGV.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "runtime/core/image.h"

enum { SECTION = 64 << 20 };

static const struct cairn_global_root without_globals[4]; /* undefined weak globals */

static unsigned char *section(void)
{
  void *at = mmap(NULL, SECTION, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  assert_ptr_not_equal(at, MAP_FAILED);
  return at;
}

/* Pages of address space. */
static long pages(void)
{
  char text[64] = "";
  long count = 0;
  FILE *statm = fopen("/proc/self/statm", "r");

  assert_non_null(statm);
  assert_non_null(fgets(text, sizeof text, statm));
  fclose(statm);
  assert_int_equal(sscanf(text, "%ld", &count), 1);
  return count;
}

static void register_unreadable(void **state)
{
  static struct cairn_image images[3];
  size_t before = cn_images_count();
  long used = 0;

  (void)state;
  for (int i = 0; i < 3; i++) {
    unsigned char *frames = section(), *layouts = section(), *details = section(), *points = section();
    images[i] = (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION,
                                     .size = sizeof(struct cairn_image),
                                     .frames_start = frames,
                                     .frames_stop = frames + SECTION,
                                     .roots_start = without_globals,
                                     .roots_stop = without_globals + 4,
                                     .layouts_start = layouts,
                                     .layouts_stop = layouts + SECTION,
                                     .details_start = details,
                                     .details_stop = details + SECTION,
                                     .points_start = points,
                                     .points_stop = points + SECTION};
    used = pages();
    cairn_image_register(&images[i]);
    /* The list of images itself takes a page when there is the first one. */
    if (i > 0)
      assert_int_equal(pages(), used);
  }
  assert_int_equal(cn_images_count(), before + 3);
  for (int i = 0; i < 3; i++)
    cairn_image_unregister(&images[i]);
  assert_int_equal(cn_images_count(), before);
  assert_int_equal(pages(), used);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(register_unreadable)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
