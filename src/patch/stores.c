/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores words into code with declared second mappings, and into the data beside it, in one stop of the world: the way
 * of a loader to switch its entries and its direct calls. Runs on the caller's thread, in native code. CN_LOCK_PATCH
 * guards the list of mappings.
 */
#include <cairn/patch.h>
#include <string.h>
#include "base/check.h"
#include "patch/alias.h"
#include "patch/machine.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

static enum cairn_status begin_stop(void)
{
  switch (cn_native_stop_check()) {
  case CN_NATIVE_STOP_ALLOWED:
    return cn_native_stop_begin() ? CAIRN_OK : CAIRN_E_BUSY;
  case CN_NATIVE_STOP_WITHOUT_SAFEPOINTS:
    return CAIRN_E_REFUSED;
  default:
    return CAIRN_E_BUSY;
  }
}

static enum cairn_status check_store(const struct cairn_code_store *store)
{
  const struct cn_code_alias *alias = cn_code_alias_find(store->address, store->address + store->size);

  if (store->size != 4 && store->size != 8)
    return CAIRN_E_BOUNDS;
  if (alias == NULL || store->address < alias->start || store->address + store->size > alias->end)
    return CAIRN_E_CODE;
  return alias->is_shared ? CAIRN_E_SHARED : CAIRN_OK;
}

static enum cairn_status check_stores(const struct cairn_code_store *stores, size_t count)
{
  enum cairn_status status = CAIRN_OK;

  for (size_t i = 0; status == CAIRN_OK && i < count; i++)
    status = check_store(&stores[i]);
  return status;
}

static void write_stores(const struct cairn_code_store *stores, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const struct cn_code_alias *alias = cn_code_alias_find(stores[i].address, stores[i].address + stores[i].size);
    memcpy(cn_code_alias_at(alias, stores[i].address), &stores[i].value, stores[i].size);
  }
}

struct store_list {
  const struct cairn_code_store *at;
  size_t count;
};

static void publish_stores(const void *env, struct cn_publication *publication)
{
  const struct store_list *list = env;

  for (size_t i = 0; i < list->count; i++)
    cn_machine_publish_range(publication, list->at[i].address, list->at[i].size);
}

enum cairn_status cairn_code_store(const struct cairn_code_store *stores, size_t count)
{
  cn_unseen_check_process();
  enum cairn_status status = begin_stop();
  if (status != CAIRN_OK)
    return status;
  if (!cn_lock_take(CN_LOCK_PATCH))
    CN_UNREACHABLE(); /* a signal handler was refused above */
  status = check_stores(stores, count);
  if (status == CAIRN_OK) {
    const struct store_list list = {stores, count};
    write_stores(stores, count);
    cn_machine_publish(publish_stores, &list);
  }
  cn_lock_release(CN_LOCK_PATCH);
  if (status == CAIRN_OK)
    cn_os_synchronise_code();
  cn_native_stop_end();
  return status;
}
