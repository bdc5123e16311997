/* SPDX-License-Identifier: Apache-2.0
 *
 * libcurl calls managed code with what it receives: several threads each fetch with an easy handle,
 * and one thread fetches all at once with a multi handle. The chunks are kept in managed lists,
 * which grow while they arrive. libcurl is given addresses of locals, or handles; never a
 * reference.
 *
 *   cairn-cc -O2 curl.c -lcurl -o curl
 *   curl [threads [URL]]       the URL is a file that the program writes, if none is given
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/cairn.h>
#include <cairn/handle.h>
#include <curl/curl.h>

struct chunk {
  struct chunk managed *before;
  long length;
  char bytes[];
};

struct body {
  struct chunk managed *last;
  long length;
};

static char url[256] = "file:///tmp/cairn-curl-XXXXXX";

static void append(struct body managed *body, const char *bytes, size_t length)
{
  struct chunk managed *chunk = cairn_new_flex(struct chunk, (long)length, bytes);

  chunk->length = (long)length;
  cairn_copy_in(chunk->bytes, bytes, length);
  chunk->before = body->last;
  body->last = chunk;
  body->length += chunk->length;
}

static unsigned long sum_of(struct body managed *body)
{
  unsigned long sum = 0;

  for (struct chunk managed *chunk = body->last; chunk; chunk = chunk->before)
    for (long i = 0; i < chunk->length; i++)
      sum += (unsigned char)chunk->bytes[i];
  return sum;
}

/* `context` is the address of a reference, a local of the function that waits for the transfer. */
static size_t to_local(char *bytes, size_t size, size_t count, void *context)
{
  struct body managed **body = context;

  append(*body, bytes, size * count);
  return size * count;
}

/* `context` is a handle: the transfer outlives the function that began it. */
static size_t to_handle(char *bytes, size_t size, size_t count, void *context)
{
  append(cairn_handle_get(context), bytes, size * count);
  return size * count;
}

static int progress(void *unused, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                    curl_off_t up)
{
  cairn_collect();
  (void)unused, (void)down_all, (void)down, (void)up_all, (void)up;
  return 0;
}

static void check(CURLcode status)
{
  if (status == CURLE_OK)
    return;
  fprintf(stderr, "curl: %s\n", curl_easy_strerror(status));
  exit(1);
}

static CURL *transfer(curl_write_callback write, void *context)
{
  CURL *curl = curl_easy_init();

  if (!curl)
    abort();
  check(curl_easy_setopt(curl, CURLOPT_URL, url));
  check(curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L));
  check(curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, write));
  check(curl_easy_setopt(curl, CURLOPT_WRITEDATA, context));
  check(curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L));
  check(curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress));
  return curl;
}

static void *fetch(void *sum)
{
  struct body managed *body = cairn_new(struct body);
  CURL *curl = transfer(to_local, &body);

  check(curl_easy_perform(curl));
  curl_easy_cleanup(curl);
  *(unsigned long *)sum = sum_of(body);
  return NULL;
}

static void begin(CURLM *multi)
{
  struct cairn_handle *handle = cairn_handle_new(cairn_new(struct body));
  CURL *curl = transfer(to_handle, handle);

  check(curl_easy_setopt(curl, CURLOPT_PRIVATE, handle));
  curl_multi_add_handle(multi, curl);
}

static unsigned long end(CURLM *multi, CURL *curl)
{
  struct cairn_handle *handle;
  unsigned long sum;

  check(curl_easy_getinfo(curl, CURLINFO_PRIVATE, (char **)&handle));
  sum = sum_of(cairn_handle_get(handle));
  cairn_handle_free(handle);
  curl_multi_remove_handle(multi, curl);
  curl_easy_cleanup(curl);
  return sum;
}

static unsigned long fetch_at_once(int count)
{
  CURLM *multi = curl_multi_init();
  unsigned long sum = 0;
  int running = count, left;
  CURLMsg *message;

  for (int i = 0; i < count; i++)
    begin(multi);
  while (running > 0) {
    if (curl_multi_perform(multi, &running) != CURLM_OK ||
        curl_multi_poll(multi, NULL, 0, running ? 100 : 0, NULL) != CURLM_OK)
      abort();
    while ((message = curl_multi_info_read(multi, &left))) {
      check(message->data.result);
      sum += end(multi, message->easy_handle);
    }
  }
  curl_multi_cleanup(multi);
  return sum;
}

static void write_file(void)
{
  int file = mkstemp(url + 7);
  FILE *out = file < 0 ? NULL : fdopen(file, "w");

  if (!out)
    abort();
  for (int i = 0; i < 200000; i++)
    fputc('a' + i % 26, out);
  fclose(out);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: curl [threads [URL]]    without a URL, of a file that it writes") < 0;

  int count = argc > 1 ? atoi(argv[1]) : 4;
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  unsigned long *sums = calloc((size_t)count, sizeof *sums), sum = 0;

  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (argc > 2)
    snprintf(url, sizeof url, "%s", argv[2]);
  else
    write_file();
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, fetch, &sums[i]);
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    sum += sums[i];
  }
  printf("%d threads: sum %lu\n", count, sum);
  printf("%d at once: sum %lu\n", count, fetch_at_once(count));
  if (argc <= 2)
    unlink(url + 7);
  curl_global_cleanup();
  free(threads);
  free(sums);
  return 0;
}
