/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps objects in files. A file is written under another name and renamed, so that readers meet whole files. A crash
 * of the machine may tear a file, as length and hash then show. Such a file is a miss, and the next store replaces it.
 * The directory belongs to the process's user, the only one who may write there: objects are code. The struct's
 * counters are atomic, and its other members constant.
 */
#include "jit/objects/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <llvm-c/blake3.h>
#include "base/check.h"
#include "base/vector.h"

enum { NAME_BYTES = 2 * CN_CACHE_HASH_BYTES + 1, FORMAT = 1 };
static const char temporary_prefix[] = "new.";

struct cn_jit_cache {
  int directory;
  uint64_t bound; /* of the bytes of all files, or 0 */
  struct cn_cache_key build;
  atomic_uint_fast64_t bytes; /* at the last look into the directory, and stored since */
  atomic_uint_fast64_t hits, misses, damaged, stored, temporaries;
};

/* The head of a file; the object follows. */
struct file_head {
  char magic[8];
  uint64_t format;
  struct cn_cache_key key, hash; /* hash: of the object */
  uint64_t size;                 /* of the object */
};
static const char file_magic[8] = "CAIRNJIT";
_Static_assert(sizeof(struct file_head) == 24 + 2 * CN_CACHE_HASH_BYTES, "no padding");

static struct cn_cache_key hash_of(const void *bytes, size_t size)
{
  struct cn_cache_key hash;
  llvm_blake3_hasher hasher;

  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, bytes, size);
  llvm_blake3_hasher_finalize(&hasher, hash.bytes, sizeof hash.bytes);
  return hash;
}

static void name_file(const struct cn_cache_key *key, char *name)
{
  for (size_t i = 0; i < sizeof key->bytes; i++)
    snprintf(name + 2 * i, 3, "%02x", key->bytes[i]);
}

static bool is_own_name(const char *name)
{
  return strspn(name, "0123456789abcdef") == NAME_BYTES - 1 ? !name[NAME_BYTES - 1]
                                                            : strncmp(name, temporary_prefix, 4) == 0;
}

/* ---- the directory ---- */

struct cached_file {
  char *name;
  struct timespec used;
  uint64_t bytes;
};

static int compare_uses(const void *a, const void *b)
{
  const struct timespec *x = &((const struct cached_file *)a)->used, *y = &((const struct cached_file *)b)->used;

  return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec)
                                : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Delete the files that were not used for the longest time, until the others are within the bound. */
static void evict(struct cn_jit_cache *cache)
{
  CN_VECTOR(struct cached_file) files = {0};
  int again = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = again < 0 ? NULL : fdopendir(again);
  uint64_t total = 0;
  struct stat status;

  for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
    if (!is_own_name(entry->d_name) || fstatat(cache->directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
      continue;
    cn_push(&files, (struct cached_file){cn_strdup(entry->d_name), status.st_mtim, (uint64_t)status.st_size});
    total += (uint64_t)status.st_size;
  }
  if (files.count)
    qsort(files.at, files.count, sizeof *files.at, compare_uses);
  for (size_t i = 0; i < files.count; i++) {
    if (cache->bound && total > cache->bound && unlinkat(cache->directory, files.at[i].name, 0) == 0)
      total -= files.at[i].bytes;
    free(files.at[i].name);
  }
  cn_free(&files);
  if (directory)
    closedir(directory);
  atomic_store(&cache->bytes, total);
}

/* Null, or the reason why others may put code into the directory. */
static const char *find_danger(int directory)
{
  struct stat status;

  if (fstat(directory, &status))
    return strerror(errno);
  if (status.st_uid != geteuid())
    return "another user owns it";
  return status.st_mode & (S_IWGRP | S_IWOTH) ? "other users may write there" : NULL;
}

struct cn_jit_cache *cn_jit_cache_open(const char *directory, uint64_t bound, char **error)
{
  struct cn_jit_cache *cache = cn_alloc(sizeof *cache);

  cache->bound = bound;
  mkdir(directory, S_IRWXU);
  cache->directory = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const char *reason = cache->directory < 0 ? strerror(errno) : find_danger(cache->directory);
  if (!reason && !cn_cache_identify_build(&cache->build))
    reason = "the files of the program and of LLVM are unknown";
  if (reason) {
    *error = cn_format("the directory '%s' cannot be a cache: %s", directory, reason);
    cn_jit_cache_free(cache);
    return NULL;
  }
  evict(cache);
  return cache;
}

void cn_jit_cache_free(struct cn_jit_cache *cache)
{
  if (cache && cache->directory >= 0)
    close(cache->directory);
  free(cache);
}

void cn_jit_cache_read_counts(const struct cn_jit_cache *cache, struct cairn_jit_cache_counts *counts)
{
  *counts = (struct cairn_jit_cache_counts){.hits = atomic_load(&cache->hits),
                                            .misses = atomic_load(&cache->misses),
                                            .damaged = atomic_load(&cache->damaged),
                                            .stored = atomic_load(&cache->stored)};
}

const struct cn_cache_key *cn_jit_cache_build(const struct cn_jit_cache *cache)
{
  return &cache->build;
}

/* ---- files ---- */

/* All bytes of an open file, or null. */
static void *read_file(int file, size_t *size)
{
  struct stat status;

  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
    return NULL;
  size_t done = 0, whole = (size_t)status.st_size;
  char *bytes = malloc(whole ? whole : 1);
  for (ssize_t got; bytes && done < whole; done += (size_t)got) {
    got = read(file, bytes + done, whole - done);
    if (got <= 0)
      break;
  }
  *size = done;
  return bytes;
}

/* True if the file is whole, and has the object of this key. */
static bool is_sound(const unsigned char *bytes, size_t size, const struct cn_cache_key *key)
{
  struct file_head head;

  if (size < sizeof head)
    return false;
  memcpy(&head, bytes, sizeof head);
  if (memcmp(head.magic, file_magic, sizeof head.magic) != 0 || head.format != FORMAT ||
      memcmp(&head.key, key, sizeof *key) != 0 || head.size != size - sizeof head)
    return false;
  struct cn_cache_key hash = hash_of(bytes + sizeof head, size - sizeof head);
  return memcmp(&hash, &head.hash, sizeof hash) == 0;
}

void *cn_jit_cache_load(struct cn_jit_cache *cache, const struct cn_cache_key *key, size_t *size)
{
  char name[NAME_BYTES];
  size_t whole = 0;

  name_file(key, name);
  int file = openat(cache->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  unsigned char *bytes = file < 0 ? NULL : read_file(file, &whole);
  bool sound = bytes && is_sound(bytes, whole, key);
  if (sound) {
    futimens(file, NULL); /* the file was used */
    *size = whole - sizeof(struct file_head);
    memmove(bytes, bytes + sizeof(struct file_head), *size);
  }
  atomic_fetch_add(sound ? &cache->hits : &cache->misses, 1);
  if (!sound && file >= 0)
    atomic_fetch_add(&cache->damaged, 1);
  if (file >= 0)
    close(file);
  if (sound)
    return bytes;
  free(bytes);
  return NULL;
}

static bool write_all(int file, const void *bytes, size_t size)
{
  const char *next = bytes;

  for (ssize_t done; size; next += done, size -= (size_t)done) {
    done = write(file, next, size);
    if (done <= 0)
      return false;
  }
  return true;
}

void cn_jit_cache_store(struct cn_jit_cache *cache, const struct cn_cache_key *key, const void *object, size_t size)
{
  struct file_head head = {.format = FORMAT, .key = *key, .hash = hash_of(object, size), .size = size};
  uint64_t number = atomic_fetch_add(&cache->temporaries, 1);
  char name[NAME_BYTES];
  char *temporary =
      cn_format("%s%ld.%p.%llu", temporary_prefix, (long)getpid(), (void *)cache, (unsigned long long)number);

  memcpy(head.magic, file_magic, sizeof head.magic);
  name_file(key, name);
  unlinkat(cache->directory, temporary, 0); /* of a dead process with the same number */
  int file =
      openat(cache->directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  bool written = file >= 0 && write_all(file, &head, sizeof head) && write_all(file, object, size);
  written = (file < 0 || close(file) == 0) && written;
  if (written && renameat(cache->directory, temporary, cache->directory, name) == 0) {
    atomic_fetch_add(&cache->stored, 1);
    if (atomic_fetch_add(&cache->bytes, sizeof head + size) + sizeof head + size > cache->bound && cache->bound)
      evict(cache);
  } else if (file >= 0) {
    unlinkat(cache->directory, temporary, 0);
  }
  free(temporary);
}
