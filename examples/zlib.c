/* SPDX-License-Identifier: Apache-2.0
 *
 * zlib compresses and inflates managed arrays of bytes where they lie: they are pinned meanwhile. It
 * asks managed code for its own memory, which makes garbage and collects each time; so do the other
 * threads, each with streams of its own.
 *
 *   cairn-cc -O2 -fcairn-collector=generational zlib.c -lz -o zlib
 *   zlib [threads]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>
#include <cairn/pin.h>
#include <zlib.h>

enum { BYTES = 200000, PIECE = 3000, THREADS_MOST = 16 };

/* What came out of a stream, the last piece first. */
struct piece {
  struct piece managed *before;
  long length;
  unsigned char bytes[];
};
typedef struct piece managed *pieces;

static void fail(const char *what, int status)
{
  fprintf(stderr, "zlib: %s: %s\n", what, zError(status));
  exit(1);
}

static void make_garbage(void)
{
  for (long i = 0; i < 50; i++)
    cairn_new_flex(struct piece, i, bytes)->length = i;
  cairn_collect();
}

static voidpf allocate(voidpf unused, uInt items, uInt size)
{
  (void)unused;
  make_garbage();
  return calloc(items, size);
}

static void release(voidpf unused, voidpf memory)
{
  (void)unused;
  make_garbage();
  free(memory);
}

static pieces new_piece(pieces before)
{
  pieces piece = cairn_new_flex(struct piece, PIECE, bytes);

  piece->before = before;
  return piece;
}

/* Run a stream over `length` bytes at `from`, which are pinned, and add what comes out to `out`. */
static pieces run(z_stream *stream, int step(z_stream *, int), unsigned char *from, long length,
                  int flush, pieces out)
{
  int status = Z_OK;

  stream->next_in = from;
  stream->avail_in = (uInt)length;
  do {
    if (out == NULL || out->length == PIECE)
      out = new_piece(out);
    cairn_pinned (unsigned char *to, out->bytes) {
      stream->next_out = to + out->length;
      stream->avail_out = (uInt)(PIECE - out->length);
      status = step(stream, flush);
      make_garbage();
    }
    out->length = PIECE - (long)stream->avail_out;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail("stream", status);
  } while (stream->avail_in > 0 || stream->avail_out == 0);
  return out;
}

static pieces compress_all(unsigned char managed *text)
{
  z_stream stream = {.zalloc = allocate, .zfree = release};
  pieces out = NULL;
  int status = deflateInit(&stream, 6);

  if (status != Z_OK)
    fail("deflateInit", status);
  cairn_pinned (unsigned char *from, text)
    out = run(&stream, deflate, from, BYTES, Z_FINISH, out);
  deflateEnd(&stream);
  return out;
}

static pieces reverse(pieces list)
{
  pieces turned = NULL;

  while (list != NULL) {
    pieces before = list->before;
    list->before = turned;
    turned = list;
    list = before;
  }
  return turned;
}

static pieces inflate_all(pieces compressed)
{
  z_stream stream = {.zalloc = allocate, .zfree = release};
  pieces out = NULL;
  int status = inflateInit(&stream);

  if (status != Z_OK)
    fail("inflateInit", status);
  for (pieces piece = reverse(compressed); piece != NULL; piece = piece->before)
    cairn_pinned (unsigned char *from, piece->bytes)
      out = run(&stream, inflate, from, piece->length, Z_NO_FLUSH, out);
  inflateEnd(&stream);
  return out;
}

/* Compares from the end: the last piece comes first. */
static int is_same(unsigned char managed *text, pieces list)
{
  long at = BYTES;

  for (; list != NULL; list = list->before) {
    at -= list->length;
    for (long i = 0; i < list->length && at >= 0; i++)
      if (list->bytes[i] != text[at + i])
        return 0;
  }
  return at == 0;
}

static void *work(void *seed)
{
  unsigned long x = (unsigned long)seed;
  unsigned char managed *text = cairn_new_array(unsigned char, BYTES);
  long compressed = 0;

  for (long i = 0; i < BYTES; i++) {
    x = x * 6364136223846793005UL + 1442695040888963407UL;
    text[i] = (unsigned char)("cairn"[(x >> 40) % 5] + (i % 97 == 0));
  }
  pieces out = compress_all(text);
  for (pieces piece = out; piece != NULL; piece = piece->before)
    compressed += piece->length;
  return (void *)(long)(compressed < BYTES / 2 && is_same(text, inflate_all(out)));
}

int main(int argc, char **argv)
{
  int count = argc > 1 ? atoi(argv[1]) : 2, good = 0;
  pthread_t threads[THREADS_MOST];

  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: zlib [threads]") < 0;
  if (count < 1 || count > THREADS_MOST)
    return 1;
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)(long)i) != 0)
      return 1;
  for (int i = 0; i < count; i++) {
    void *same = NULL;
    pthread_join(threads[i], &same);
    good += same != NULL;
  }
  printf("%d of %d came back\n", good, count);
  return good != count;
}
