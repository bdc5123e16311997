# SPDX-License-Identifier: Apache-2.0
"""jo: writes JSON from words, with a parser and a tree of JSON. Nodes, keys and strings are managed; the text that is
written is built in ordinary memory."""
import json
import random

PACKAGE, VERSION = 'jo', '1.9-1'
TITLE = 'jo'
WHAT = 'JSON: a tagged union'
FILES = ['json.h', 'json.c', 'jo.c', 'base64.h', 'base64.c']
SOURCES = ['json.c', 'jo.c', 'base64.c']
FLAGS = ['-w', '-DPACKAGE_VERSION="1.9"', '-DNDEBUG', '-lm']

# A managed text in ordinary memory, until the next call.
PLAIN = '''
char *json_plain(const char managed *text)
{
	static char *copy;
	static size_t room;
	size_t bytes = cairn_length(text);

	if (bytes > room && (copy = realloc(copy, room = 2 * bytes)) == NULL)
		out_of_memory();
	memcpy(copy, text, bytes);
	return copy;
}
'''


def port(tree):
    tree.edit('json.h', (r'^#include <stddef.h>$', r'\g<0>\n#include <cairn/string.h>'),
              (r'^typedef struct JsonNode JsonNode;', 'typedef struct JsonNode managed JsonNode;'),
              (r'^\tchar \*key;', '\tchar managed *key;'), (r'^\tunion \{', '\tcairn_union('),
              (r'^\t\tchar \*string_;', '\t\tchar managed *string_;'), (r'(double number_;)\n\t\t$', r'\1\n\t);'),
              (r'^(\t\t\} children;\n)\t\};\n', r'\1'),
              (r'^bool +json_check.*$', r'\g<0>\nchar *json_plain(const char managed *text);'))
    tree.edit('json.c', (r'^static char \*json_strdup\(', 'static char managed *json_strdup('),
              (r'^(/\* Sadly, strdup)', PLAIN.lstrip('\n').replace('\\', r'\\') + r'\n\1'),
              (r'^(\w.* )emit_string( *)\((SB \*out, )const char \*str\)',
               r'\1emit_string\2(\3const char managed *text)', 2),
              (r'^(\tbool escape_unicode = false;)$', r'\tconst char *str = json_plain(text);\n\1'),
              (r'emit_string\(&sb, str\)', 'emit_string(&sb, cairn_text(str))'),
              (r'char( +)\*\*out\)', r'char managed\1**out)', 2),
              (r'^(static JsonNode \*mkstring\()char', r'\1char managed'),
              (r'(append_member\(JsonNode \*object, )char \*key', r'\1char managed *key', 2),
              (r'^(\t+)char \*(key|str);', r'\1char managed *\2;', 2),
              # parse_string() reads into one buffer, which stays.
              (r'^\tSB sb;\n(\tchar throwaway_buffer)', r'\tstatic SB sb;\n\1'),
              (r'^\t\tsb_init\(&sb\);$', '\t\tif (sb.start) sb.cur = sb.start; else sb_init(&sb);'),
              (r'\*out = sb_finish\(&sb\);$', '*out = cairn_text_in(sb.start, sb.cur - sb.start);'),
              (r'^\tif \(out\)\n\t\tsb_free\(&sb\);\n', ''),
              (r'\(JsonNode\*\) calloc\(1, sizeof\(JsonNode\)\)', 'cairn_new(JsonNode)'),
              (r'^\t\tfree\(node->key\);\n', ''), (r'^failure_free_key:\n\tif \(out\)\n.*$', 'failure_free_key:'),
              (r'utf8_validate\((node->\w+)\)', r'utf8_validate(json_plain(\1))', 2))
    tree.remove('json.c', r'size_t n = strlen\(str\) \+ 1;', r'^\treturn ret;', '\treturn cairn_text(str);\n')
    tree.remove('json.c', r'^\t\tswitch \(node->tag\) \{', r'^\t\tfree\(node\);')
    # stdio's functions take a lock once a program has threads, as for the collector.
    tree.edit('jo.c', (r'fgetc\(fp\)', 'getc_unlocked(fp)'),
              (r'node->(key|string_)\b(?!\))', r'json_plain(node->\1)', 5),
              (r'\(obj, node->key\)', '(obj, json_plain(node->key))'),
              (r'json_mkstring\(node->string_\)', 'json_mkstring(json_plain(node->string_))', 2),
              (r'\(json, op->key, o\)', '(json, json_plain(op->key), o)'))


def workload(folder, quick):
    draw = random.Random(2)

    def value(depth):
        kind = draw.randrange(3 if depth == 0 else 5)
        if kind == 0:
            return draw.randrange(1 << 20)
        if kind == 1:
            return ''.join(chr(97 + draw.randrange(26)) for _ in range(draw.randrange(1, 30)))
        if kind == 2:
            return draw.choice([True, False, None, draw.randrange(1000) / 8])
        if kind == 3:
            return [value(depth - 1) for _ in range(draw.randrange(6))]
        return {f'key{i}': value(depth - 1) for i in range(draw.randrange(8))}
    with open(f'{folder}/lines', 'w') as file:
        for _ in range(3 if quick else 10000):
            file.write(json.dumps({f'member{i}': value(3) for i in range(6)}) + '\n')
    return ['-a'], f'{folder}/lines'
