/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the keys of the cache: BLAKE3 over the inputs of a compilation. The build stands for the versions of Cairn
 * and LLVM: the build ids, places and times of the files that have their code. Any thread; no state.
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/blake3.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "jit/objects/cache.h"
#include "jit/objects/machines.h"

/* ---- the build ---- */

struct file_search {
  uintptr_t address; /* in the code of the file */
  llvm_blake3_hasher *hasher;
  bool found;
};

static void hash_number(llvm_blake3_hasher *hasher, uint64_t number)
{
  llvm_blake3_hasher_update(hasher, &number, sizeof number);
}

static void hash_bytes(llvm_blake3_hasher *hasher, const void *bytes, size_t size)
{
  hash_number(hasher, size);
  llvm_blake3_hasher_update(hasher, bytes, size);
}

static void hash_text(llvm_blake3_hasher *hasher, const char *text)
{
  hash_bytes(hasher, text ? text : "", text ? strlen(text) + 1 : 0);
}

static bool has_address(const struct dl_phdr_info *info, uintptr_t address)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
      return true;
  return false;
}

/* Hash the file's notes, among them the build id, and its place, size and time. */
static int hash_file(struct dl_phdr_info *info, size_t size, void *env)
{
  struct file_search *search = env;
  struct stat status;

  (void)size;
  if (!has_address(info, search->address))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      hash_bytes(search->hasher, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                 info->dlpi_phdr[i].p_memsz);
  search->found = stat(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", &status) == 0;
  if (search->found) {
    hash_number(search->hasher, status.st_ino);
    hash_number(search->hasher, (uint64_t)status.st_size);
    hash_number(search->hasher, (uint64_t)status.st_mtim.tv_sec);
    hash_number(search->hasher, (uint64_t)status.st_mtim.tv_nsec);
  }
  return 1;
}

bool cn_cache_identify_build(struct cn_cache_key *build)
{
  llvm_blake3_hasher hasher;
  struct file_search own = {(uintptr_t)cn_cache_identify_build, &hasher, false};
  struct file_search llvm = {(uintptr_t)LLVMGetVersion, &hasher, false};
  unsigned major, minor, patch;

  llvm_blake3_hasher_init(&hasher);
  LLVMGetVersion(&major, &minor, &patch);
  hash_number(&hasher, (uint64_t)major << 32 | minor << 16 | patch);
  hash_text(&hasher, CAIRN_VERSION);
  dl_iterate_phdr(hash_file, &own);
  dl_iterate_phdr(hash_file, &llvm);
  llvm_blake3_hasher_finalize(&hasher, build->bytes, sizeof build->bytes);
  return own.found && llvm.found;
}

/* ---- compilations ---- */

static void hash_options(llvm_blake3_hasher *hasher, const struct cairn_compile_options *o)
{
  const uint64_t numbers[] = {o->safepoints,      o->tier,     o->opt_level,   o->size_level,       o->shared,
                              o->manage_all,      o->roots,    o->barriers,    o->inline_max,       o->note_stores,
                              o->relocations_off, o->slots,    o->slot_budget, o->native_functions, o->check_polls,
                              o->polls,           o->poll,     o->poll_budget, o->placements_off,   o->lines_only,
                              o->drop_lines,      o->tolerated};
  const unsigned char words[] = {o->words.reference_bits, o->words.reference, o->words.integer_bits, o->words.integer};

  _Static_assert(sizeof *o == 176, "a new option belongs to the key, or to cn_cache_fits_options()");
  hash_bytes(hasher, numbers, sizeof numbers);
  hash_bytes(hasher, words, sizeof words);
  hash_bytes(hasher, o->address_spaces, o->address_space_count * sizeof *o->address_spaces);
  hash_text(hasher, o->record_layouts);
  hash_text(hasher, o->strategies);
}

/* Samples come from a file of LLVM's options. Reports and callbacks follow a compilation. */
bool cn_cache_fits_options(const struct cairn_compile_options *options)
{
  return !options->samples && !options->report && !options->timer && !options->step && !options->check_steps;
}

struct cn_cache_key cn_cache_key_of(const struct cn_cache_key *build, LLVMModuleRef ir,
                                    const struct cn_jit_machines *machines, const struct cairn_compile_options *options)
{
  LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(ir);
  struct cn_cache_key key;
  llvm_blake3_hasher hasher;

  llvm_blake3_hasher_init(&hasher);
  hash_bytes(&hasher, build, sizeof *build);
  hash_bytes(&hasher, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
  hash_text(&hasher, machines->triple);
  hash_text(&hasher, machines->cpu);
  hash_text(&hasher, machines->features);
  hash_number(&hasher, (uint64_t)cairn_mutator_offset());
  hash_options(&hasher, options);
  llvm_blake3_hasher_finalize(&hasher, key.bytes, sizeof key.bytes);
  LLVMDisposeMemoryBuffer(bitcode);
  return key;
}
