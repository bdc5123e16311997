# SPDX-License-Identifier: Apache-2.0
"""cJSON: a parser and printer of JSON. Nodes, keys and strings are managed, and cJSON_Delete() does nothing; numbers are
read, and text is printed, in ordinary memory. cjson.c, beside this file, parses, copies, compares, changes and prints."""
import json
import random

PACKAGE, VERSION = 'cjson', '1.7.15-1+deb12u4'
TITLE = 'cJSON'
WHAT = 'JSON: nodes, keys and strings'
FILES = ['cJSON.h', 'cJSON.c']
SOURCES = ['cJSON.c']
DRIVER = 'cjson.c'
FLAGS = ['-w']
LIBRARIES = ['-lm']
# A block that only frees a string.
FREES = r'^    if \(.*string != NULL\)\)?\n    \{\n        (?:hooks->deallocate|cJSON_free)\(.*\n    \}\n'


def port(tree):
    tree.edit('cJSON.h', (r'^#include <stddef.h>$', r'\g<0>\n#include <cairn/string.h>'),
              (r'^typedef struct cJSON\n', 'typedef struct cJSON managed cJSON;\nstruct cJSON\n'),
              (r'^    struct cJSON \*(next|prev|child);', r'    cJSON *\1;', 3), (r'^\} cJSON;', '};'),
              (r'^    char \*(valuestring|string);', r'    char managed *\1;', 2),
              (r'\(char ?\*\) (cJSON_GetStringValue|cJSON_SetValuestring)', r'(char managed *) \1', 2))
    tree.edit('cJSON.c',
              (r'\(char ?\*\) (cJSON_GetStringValue|cJSON_SetValuestring)', r'(char managed *) \1', 2),
              (r'const unsigned char \*string2\)', 'const unsigned char managed *string2)'),
              (r'if \(string1 == string2\)', 'if (false)'),
              (r'\(const unsigned char\*\)\(current_element', '(const unsigned char managed *)(current_element'),
              (r'^static unsigned char\* cJSON_strdup', 'static unsigned char managed *cJSON_strdup'),
              (r'^    unsigned char \*copy = NULL;', '    unsigned char managed *copy = NULL;'),
              (r'\(unsigned char\*\)hooks->allocate\(length\)', 'cairn_new_array_uninit(unsigned char, length)'),
              (r'\(char\*\)cJSON_strdup\(\(unsigned char\*\)(item->\w+), &global_hooks\)', r'cairn_slice(\1, strlen(\1))', 2),
              (r'\(char\*\) ?cJSON_strdup\(', '(char managed *)cJSON_strdup(', 5),
              (r'^    char \*(copy|new_key) = NULL;', r'    char managed *\1 = NULL;', 2),
              (r'\(cJSON\*\)hooks->allocate\(sizeof\(cJSON\)\)', 'cairn_new(cJSON)'),
              (r'(cJSON_Delete\(cJSON \*item\)\n\{\n)(?:[^}\n].*\n)+', r'\1'),
              (r'strcpy\(object->valuestring, valuestring\)',
               'memcpy(object->valuestring, valuestring, strlen(valuestring) + 1)'), (FREES, '', 3),
              (r'unsigned char \*\*output_pointer\)', 'unsigned char managed **output_pointer)'),
              (r'^    unsigned char \*(output_pointer = NULL;\n    unsigned char )(\*output = NULL;)',
               r'    unsigned char managed *\1managed \2'),
              (r'\(unsigned char\*\)input_buffer->hooks\.allocate\((allocation_length .*)\);',
               r'cairn_new_array_uninit(unsigned char, \1);'), (r'\(char\*\)output;', '(char managed *)output;'),
              (r'^    if \(output != NULL\)\n    \{\n.*deallocate\(output\);\n    \}\n\n', ''),
              (r'const unsigned char \* const input, printbuffer', 'const unsigned char managed * const input, printbuffer'),
              (r'^    const unsigned char (\*input_pointer = NULL;)', r'    const unsigned char managed \1'),
              (r'print_string_ptr\(\(unsigned char\*\)', 'print_string_ptr((unsigned char managed *)', 2),
              (r'\(char\*\)cast_away_const\(string\)',
               '(char managed *)cJSON_strdup((const unsigned char*)string, &global_hooks)', 2),
              (r'cast_away_const\(child\)', 'child', 2),
              (r'((._element) = get_object_item\(.), ((._element)->string), case_sensitive\);',
               r'char *key = cairn_text_out(\3); \1, key, case_sensitive); free(key);', 2))


def value(draw, depth):
    kind = draw.randrange(3 if depth == 0 else 5)
    if kind == 0:
        return draw.randrange(1 << 20)
    if kind == 1:
        return ''.join(chr(97 + draw.randrange(26)) for _ in range(draw.randrange(1, 30)))
    if kind == 2:
        return draw.choice([True, False, None, draw.randrange(1000) / 8])
    if kind == 3:
        return [value(draw, depth - 1) for _ in range(draw.randrange(6))]
    return {f'key{i}': value(draw, depth - 1) for i in range(draw.randrange(8))}


def workload(folder, quick):
    draw = random.Random(3)
    with open(f'{folder}/text.json', 'w') as file:
        json.dump([{f'member{i}': value(draw, 3) for i in range(6)} for _ in range(3 if quick else 4000)], file)
    return [f'{folder}/text.json', '2' if quick else '12'], None
