/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes and frees stubs, calls their handlers, and makes islands. Stubs and islands lie in slabs of executable memory
 * near the code that calls them, and are written through the slab's second mapping, where the first place has the
 * slab's own data. Owns the list of slabs, each slab's stubs, the list of freed stubs, and the set of islands, under
 * CN_LOCK_PATCH. Stubs and islands are made by any thread, in native code, and stubs are freed there; handlers run on
 * managed threads. A freed stub stays as it is up to a stop, since a thread may still run it. An island stays for ever:
 * its target's address is all that it depends on, and so patches, also those of assumptions, may share it.
 */
#include "patch/stub.h"

#include <cairn/collector.h>
#include <cairn/patch.h>
#include "base/check.h"
#include "base/near_memory.h"
#include "patch/alias.h"
#include "patch/machine.h"
#include "patch/memory.h"
#include "patch/stub_machine.h"
#include "patch/tree.h"
#include "runtime/arch/arch.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"

enum { SLAB_BYTES = 64 << 10, SLAB_STUBS = SLAB_BYTES / CN_STUB_BYTES };

/* A stub serves calls that lie up to the thirty-second part of a call's reach beyond the address that it was made for.
 */
static uintptr_t reach(void)
{
  return cn_machine_reach_bytes - cn_machine_reach_bytes / 32;
}

/* The first place of a slab, in the writable mapping. */
struct cn_stub_slab {
  struct cn_stub_slab *next;
  uintptr_t code;         /* the executable mapping */
  size_t used;            /* places from the first on that have been in use */
  struct cn_stub *unused; /* stubs of these places that may be used again */
};
_Static_assert(sizeof(struct cn_stub_slab) <= CN_STUB_BYTES, "a slab's data fit into its first place");

static struct cn_stub_slab *all_slabs;
static struct cn_stub end_of_list; /* the last element of lists: stubs outside of lists have a null `next` */
static struct cn_stub *freed_stubs = &end_of_list;
static size_t freed_count;
static struct cn_tree islands; /* nodes by target, and by the island's address */

static void take_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_PATCH);

  CN_CHECK(taken); /* fails in a signal handler */
}

/* ---- slabs ---- */

static bool is_within_reach(const struct cn_stub_slab *slab, uintptr_t near)
{
  return slab->code + SLAB_BYTES - near + reach() < 2 * reach() && slab->code - near + reach() < 2 * reach();
}

/* False after a fork() that could not copy the slab: the other process uses the same memory, so this process changes it
 * no more. */
static bool is_private(const struct cn_stub_slab *slab)
{
  struct cn_code_alias *alias;
  int error;

  return cn_code_alias_get(slab->code, slab->code + SLAB_BYTES, &alias, &error) == CAIRN_OK && !alias->is_shared;
}

static bool has_place(const struct cn_stub_slab *slab)
{
  return slab->unused != &end_of_list || slab->used < SLAB_STUBS;
}

static struct cn_stub_slab *find_slab(uintptr_t near)
{
  struct cn_stub_slab *slab = all_slabs;

  while (slab != NULL && !(has_place(slab) && is_within_reach(slab, near) && is_private(slab)))
    slab = slab->next;
  return slab;
}

/* Without the lock. A fork() gives the child its own copy, as of every alias. */
static enum cairn_status add_slab(uintptr_t near)
{
  uintptr_t code;
  struct cn_stub_slab *slab = cn_map_code_near(near, reach(), SLAB_BYTES, &code);

  if (slab == NULL)
    return CAIRN_E_CODE;
  enum cairn_status status = cairn_code_alias_add(code, code + SLAB_BYTES, slab);
  if (status != CAIRN_OK) {
    cn_os_free_mapping(slab, SLAB_BYTES);
    cn_os_free_mapping((void *)code, SLAB_BYTES);
    return status;
  }
  *slab = (struct cn_stub_slab){.code = code, .used = 1, .unused = &end_of_list};
  take_lock();
  slab->next = all_slabs;
  all_slabs = slab;
  cn_lock_release(CN_LOCK_PATCH);
  return CAIRN_OK;
}

static struct cn_stub *take_place(struct cn_stub_slab *slab)
{
  struct cn_stub *stub = slab->unused;

  if (stub == &end_of_list)
    return (struct cn_stub *)slab + slab->used++;
  slab->unused = stub->next;
  return stub;
}

static uintptr_t address_of(const struct cn_stub_slab *slab, const struct cn_stub *place)
{
  return slab->code + ((uintptr_t)place - (uintptr_t)slab);
}

static void publish_stub(const void *env, struct cn_publication *publication)
{
  cn_machine_publish_range(publication, *(const uintptr_t *)env, CN_STUB_CODE_BYTES);
}

static struct cn_stub *make_stub(struct cn_stub_slab *slab, cairn_point_handler *handler, void *data)
{
  struct cn_stub *stub = take_place(slab);
  uintptr_t address = address_of(slab, stub);

  *stub = (struct cn_stub){.handler = handler, .data = data, .slab = slab};
  cn_stub_machine_write(stub, address);
  cn_machine_publish(publish_stub, &address);
  return stub;
}

/* ---- stubs ---- */

enum cairn_status cairn_patch_stub_new(cairn_point_handler *handler, void *data, uintptr_t near,
                                       struct cairn_patch_stub **stub)
{
  enum cairn_status status = cn_stub_machine_is_supported() ? CAIRN_OK : CAIRN_E_REFUSED;

  *stub = NULL;
  while (status == CAIRN_OK && *stub == NULL) {
    take_lock();
    struct cn_stub_slab *slab = find_slab(near);
    if (slab != NULL)
      *stub = (struct cairn_patch_stub *)make_stub(slab, handler, data);
    cn_lock_release(CN_LOCK_PATCH);
    if (slab == NULL)
      status = add_slab(near); /* another thread may take all of its places */
  }
  return status;
}

uintptr_t cairn_patch_stub_address(const struct cairn_patch_stub *stub)
{
  return ((const struct cn_stub *)stub)->self;
}

void cairn_patch_stub_free(struct cairn_patch_stub *freed)
{
  struct cn_stub *stub = (struct cn_stub *)freed;

  if (stub == NULL)
    return;
  take_lock();
  if (stub->next != NULL)
    cairn_fatal("a stub is freed twice");
  if (is_private(stub->slab)) {
    stub->next = freed_stubs;
    freed_stubs = stub;
    freed_count++;
  }
  cn_lock_release(CN_LOCK_PATCH);
}

/* ---- islands ---- */

static uintptr_t find_island(uintptr_t near, uintptr_t target)
{
  const struct cn_tree_node *node = cn_tree_find_at_least(&islands, target, near > reach() ? near - reach() : 0);

  return node != NULL && node->key == target && node->minor - near + reach() < 2 * reach() ? node->minor : 0;
}

/* Returns the island's address. 0: memory is exhausted. */
static uintptr_t make_island(struct cn_stub_slab *slab, uintptr_t target)
{
  struct cn_tree_node *node = cn_patch_allocate(sizeof *node);

  if (node == NULL)
    return 0;
  struct cn_stub *place = take_place(slab);
  uintptr_t address = address_of(slab, place);
  *place = (struct cn_stub){.slab = slab};
  cn_stub_machine_write_island(place, address, target);
  cn_machine_publish(publish_stub, &address);
  *node = (struct cn_tree_node){.key = target, .minor = address};
  bool is_new = cn_tree_insert(&islands, node);
  CN_CHECK(is_new);
  return address;
}

uintptr_t cn_island_near(uintptr_t near, uintptr_t target)
{
  uintptr_t island = 0;
  bool goes_on = true;

  while (goes_on) {
    if (!cn_lock_take(CN_LOCK_PATCH))
      return 0;
    island = find_island(near, target);
    struct cn_stub_slab *slab = island == 0 ? find_slab(near) : NULL;
    if (slab != NULL)
      island = make_island(slab, target);
    cn_lock_release(CN_LOCK_PATCH);
    goes_on = island == 0 && slab == NULL && add_slab(near) == CAIRN_OK;
  }
  return island;
}

/* ---- in stops, and in managed code ---- */

bool cn_stubs_want_stop(void)
{
  return freed_count >= SLAB_STUBS;
}

void cn_stubs_reuse_freed(void)
{
  freed_count = 0;
  while (freed_stubs != &end_of_list) {
    struct cn_stub *stub = freed_stubs;
    freed_stubs = stub->next;
    if (!is_private(stub->slab))
      continue;
    stub->next = stub->slab->unused;
    stub->slab->unused = stub;
  }
}

uintptr_t cn_stub_run(struct cairn_point_state *state, const struct cn_stub *stub)
{
  uintptr_t sp = state->general[cn_arch_sp_dwarf_number], resume = state->resume;
  uintptr_t address = stub->handler(state);

  if (state->general[cn_arch_sp_dwarf_number] < sp)
    cairn_fatal("the handler of a stub lowers the stack pointer");
  if (address != resume && !cn_arch_may_replace_returns())
    cairn_fatal("the handler of a stub continues elsewhere, but the thread has a shadow stack");
  return address;
}
