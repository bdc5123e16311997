/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and the standard input. Managed C; the bytes pass through native memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tiny/lib/library.h"
#include "tiny/program/modules.h"

static value failed(const char *name, const char *verb, const char *file)
{
  return tiny_throw("%s: cannot %s '%s': %s", name, verb, file, strerror(errno));
}

/* The name in native memory, which the caller frees; null with an exception. */
static char *take_name(const char *name, value v)
{
  if (!tiny_is(v, TINY_STRING)) {
    tiny_expected(name, "a string", v);
    return NULL;
  }
  char *copy = tiny_copy_text(v);
  if (strlen(copy) != tiny_string_of(v)->length) {
    tiny_throw("%s: the file's name contains a NUL byte", name);
    free(copy);
    return NULL;
  }
  return copy;
}

NATIVE(read_file)
{
  char *name = take_name("read_file", arguments[0]);
  size_t length;

  if (!name)
    return TINY_THROWN;
  char *bytes = tiny_read_file(name, &length);
  value result = bytes ? tiny_string(bytes, length) : failed("read_file", "read", name);
  free(bytes);
  free(name);
  return result;
}

static value write_to(const char *function, const char *mode, value *arguments)
{
  value text = tiny_text(arguments[1]);
  char *name = take_name(function, arguments[0]);

  if (!name)
    return TINY_THROWN;
  if (tiny_is_thrown(text)) {
    free(name);
    return text;
  }
  char *bytes = tiny_copy_text(text);
  size_t length = tiny_string_of(text)->length;
  FILE *file = fopen(name, mode);
  bool is_written = file && fwrite(bytes, 1, length, file) == length;
  if (file && fclose(file))
    is_written = false;
  value result = is_written ? TINY_NIL : failed(function, "write", name);
  free(bytes);
  free(name);
  return result;
}

NATIVE(write_file)
{
  return write_to("write_file", "wb", arguments);
}

NATIVE(append_file)
{
  return write_to("append_file", "ab", arguments);
}

NATIVE(remove_file)
{
  char *name = take_name("remove_file", arguments[0]);

  if (!name)
    return TINY_THROWN;
  value result = unlink(name) == 0 ? TINY_NIL : failed("remove_file", "remove", name);
  free(name);
  return result;
}

NATIVE(has_file)
{
  char *name = take_name("has_file", arguments[0]);

  if (!name)
    return TINY_THROWN;
  value result = tiny_from_bool(access(name, F_OK) == 0);
  free(name);
  return result;
}

/* The next line of the standard input; nil at the end of the input. */
NATIVE(read_line)
{
  char *line = NULL;
  size_t room = 0;
  value result = TINY_NIL;

  ssize_t length = getline(&line, &room, stdin);
  if (length > 0 && line[length - 1] == '\n')
    length--;
  if (length >= 0)
    result = tiny_string(line, (size_t)length);
  free(line);
  return result;
}

void tiny_library_files(void)
{
  tiny_define_native("read_file", 1, 1, read_file);
  tiny_define_native("write_file", 2, 2, write_file);
  tiny_define_native("append_file", 2, 2, append_file);
  tiny_define_native("remove_file", 1, 1, remove_file);
  tiny_define_native("has_file", 1, 1, has_file);
  tiny_define_native("read_line", 0, 0, read_line);
}
