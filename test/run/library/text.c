// RUN: %root/test/run/Inputs/same %build --args 40 --small 2 %s
// RUN: %cairn-cc -O2 -I%root/include -fcairn-barriers=cards -fcairn-collector=generational %s -o %t
// RUN: clang -O1 -w -DCAIRN_PLAIN -I%root/include %s -o %t.plain && %t.plain 40 > %t.expected
// RUN: %t 40 | diff %t.expected - && env CAIRN_STRESS=3 CAIRN_VERIFY=heap %t 40 | diff %t.expected -
// Each function of <cairn/string.h> against the C library, whose results a plain build has: on texts around the size of
// a piece, at any address within an object, with zeros and without. Wrong: another result, a stale pointer after a
// collection between two pieces, a byte before or after the text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/string.h>

static unsigned long hash;

__attribute__((noinline)) static void note(long value)
{
  hash = hash * 31 + (unsigned long)value;
}

static long sign(int n)
{
  return n < 0 ? -1 : n > 0;
}

static char letters[3 * CAIRN_TEXT_PIECE];

/* Native code, so that stress mode does not collect for each byte. */
cairn_unmanaged __attribute__((noinline)) static void fill_letters(void)
{
  for (size_t i = 0; i < sizeof letters; i++)
    letters[i] = (char)('a' + i % 23);
}

cairn_unmanaged __attribute__((noinline)) static void note_native(const char *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++)
    hash = hash * 31 + (unsigned long)bytes[i];
}

cairn_unmanaged __attribute__((noinline)) static void write_lines(FILE *file, long n)
{
  for (long i = 0; i < 3 * n; i++) {
    for (long k = 0; k < i * 37 % 600; k++)
      putc(k % 50 == 49 ? 0 : 'a' + (int)(k % 26), file);
    putc('\n', file);
  }
}

/* A text of `length` letters in the middle of an object, with other bytes around. */
__attribute__((noinline)) static char managed *padded(long length, long before)
{
  char managed *object = cairn_new_array(char, before + length + 20);

  memset(object, 'Q', (size_t)(before + length + 20));
  cairn_copy_in(object + before, letters, (size_t)length);
  object[before + length] = 0;
  return object + before;
}

#define AT(found, from) ((found) ? (found) - (from) : -1)

__attribute__((noinline)) static void measure(long length, long before)
{
  char managed *a = padded(length, before), *b = padded(length, (before + 3) % 8);
  char *native = malloc((size_t)length + 1);

  cairn_copy_out(native, a, (size_t)length + 1);
  note((long)strlen(a));
  note(sign(strcmp(a, b)) + 3 * sign(strcmp(a, native)) + 9 * sign(memcmp(a, b, (size_t)length)));
  note(sign(strcmp(native, b)) + 3 * sign(strncmp(native, b, (size_t)length)) + 9 * sign(memcmp(native, b, 1)));
  note(sign(strncmp(a, b, (size_t)length + 5)) + 3 * sign(memcmp(a, native, (size_t)length + 1)));
  note(AT((char managed *)memchr(a, 'Q', (size_t)length + 1), a) +
       AT((char managed *)memchr(a, 0, (size_t)length + 9), a));
  note(AT(strchr(a, 0), a) + AT(strchr(a, '!'), a) +
       AT(strrchr(a, length < 200 ? 'b' : '!'), a) + AT(strrchr(a, 0), a));
  if (length > 0) {
    b[length - 1] = '!';
    note(sign(strcmp(a, b)) + 3 * sign(strcmp(b, native)) + 9 * sign(memcmp(a, b, (size_t)length)));
    note(sign(strncmp(a, b, (size_t)length - 1)) + 3 * sign(strncmp(b, native, (size_t)length)));
    note(AT(strchr(b, '!'), b) + 3 * AT((char managed *)memchr(b, '!', (size_t)length), b));
    note(AT(strstr(b, "!"), b) + AT(strstr(b, b + length / 2), b) + AT(strstr(b, "a!"), b) + AT(strstr(b, ""), b));
    b[length - 1] = 0;
    note(sign(strcmp(a, b)) + 3 * sign(strcmp(b, a)) + 9 * sign(strcmp(b, native)));
  }
  free(native);
}

/* A part at each place, also over the end of a window of the search. */
__attribute__((noinline)) static void search_everywhere(long step)
{
  char managed *text = padded(1500, 3), *part = cairn_text("!?");

  for (long at = 0; at < 1499; at += step) {
    cairn_copy_in(text + at, "!?", 2);
    note(AT(strstr(text, part), text));
    note(AT(strstr(text, "!?"), text) - at);
    cairn_copy_in(text + at, letters + at, 2);
  }
}

/* Notes `length` bytes and the length. */
__attribute__((noinline)) static void note_bytes(const char managed *bytes, size_t length)
{
  char *native = malloc(length + 1);

  cairn_copy_out(native, bytes, length);
  note_native(native, length);
  free(native);
  note((long)length);
}

static void note_text(const char managed *text)
{
  note_bytes(text, strlen(text));
}

static void build(long n)
{
  char managed *name = cairn_text("name"), *all = cairn_text("");
  struct cairn_builder managed *builder = cairn_builder_new();
  size_t at = 0;

  for (long i = 0; i < n; i++) {
    all = cairn_concat(all, i % 2 ? name : cairn_slice(name + 1, 2));
    all = cairn_concat(all, i % 3 ? cairn_literal(" ") : cairn_literal(", "));
    cairn_append(builder, all);
    cairn_append_char(builder, (char)('0' + i % 10));
    cairn_append_bytes(builder, all + 1, strlen(all) - 2);
    cairn_append_in(builder, "\n--", 2);
  }
  for (char managed *word; (word = cairn_token(all, &at, " ,"));)
    note_text(word);
  char *out = cairn_text_out(all);
  note((long)strlen(out) + sign(strcmp(all, out)));
  free(out);
  note_text(all);
  all = cairn_builder_text(builder);
  note(cairn_length(all) - (long)strlen(all));
  note_text(all);
  note(cairn_length(cairn_builder_text(builder)) + (long)builder->length);
}

/* Lines of many lengths, with zeros, and a last one without an end. */
static void read_back(long n)
{
  FILE *file = tmpfile();
  char managed *line;

  write_lines(file, n);
  fputs(cairn_text("no end"), file);
  rewind(file);
  while ((line = cairn_read_line(file)) != NULL)
    note_bytes(line, (size_t)cairn_length(line));
  rewind(file);
  line = cairn_read_all(file);
  note_bytes(line, (size_t)cairn_length(line));
  note(cairn_read_line(file) == NULL);
  fclose(file);
}

/* Ends of a file around the sizes of pieces. */
static void read_ends(void)
{
  for (long length = 253; length < 513; length += length == 257 ? 252 : 1)
    for (int ended = 0; ended < 2; ended++) {
      FILE *file = tmpfile();
      fwrite(letters, 1, (size_t)length, file);
      if (ended)
        putc('\n', file);
      rewind(file);
      note((long)strlen(cairn_read_line(file)));
      note(cairn_read_line(file) == NULL);
      fclose(file);
    }
}

int main(int argc, char **argv)
{
  static const long lengths[] = {0, 1, 7, 63, 64, 65, 191, 192, 193, CAIRN_TEXT_PIECE - 1, CAIRN_TEXT_PIECE,
                                 CAIRN_TEXT_PIECE + 1, 3 * CAIRN_TEXT_PIECE};
  long n = argc > 1 ? atol(argv[1]) : 1;

  fill_letters();
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    for (long before = 0; before < (n < 8 ? n : 8); before++)
      measure(lengths[i], before);
    printf("%ld %lx\n", lengths[i], hash);
  }
  search_everywhere(n < 8 ? 97 : 1);
  build(n);
  printf("%lx\n", hash);
  read_back(n);
  read_ends();
  printf("%lx\n", hash);
  puts(cairn_text("a text"));
  return 0;
}
