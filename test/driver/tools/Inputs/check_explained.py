"""Check the page of `cairn explain` against the frame maps of the same source.

  check_explained.py PAGE FRAMES.json

Elements nest and are closed, ids are unique, and links lead to an id of the page. Each safepoint of the frame maps has
a mark in its function's assembly, whose text has the offset and each root. Each poll and each other safepoint of the IR
has a mark with a reason.
"""
import html.parser
import json
import sys

VOID = {'meta', 'br', 'link', 'img'}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links = [], set(), []
        self.function, self.summary = None, False
        self.marks = []  # (function, column, kind, text)
        self.depth_of_mark, self.column = None, None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        words = (attributes.get('class') or '').split()
        for name in ('src', 'srcset', 'onclick', 'onload', 'style'):
            assert name not in attributes, f'{tag} has {name}'
        assert tag not in ('script', 'link', 'img', 'iframe', 'object'), tag
        if 'id' in attributes:
            assert attributes['id'] not in self.ids, f"two ids {attributes['id']}"
            self.ids.add(attributes['id'])
        if 'href' in attributes:
            assert attributes['href'].startswith('#'), attributes['href']
            self.links.append(attributes['href'][1:])
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == 'details' and 'fn' in words:
            self.function = ''
        if tag == 'b' and self.function == '':
            self.summary = True
        if tag == 'div' and words in (['i'], ['a']):
            self.column = words[0]
        if tag == 'span' and 'mark' in words:
            assert 'tabindex' in attributes or 'leaf' in words, 'a mark without focus'
            self.marks.append([self.function, self.column, words[1], ''])
            self.depth_of_mark = len(self.open)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f'</{tag}> in {self.open} at {self.getpos()}'
        if self.depth_of_mark == len(self.open):
            self.depth_of_mark = None
        self.open.pop()
        self.summary = False

    def handle_data(self, data):
        if self.summary:
            self.function += data
        if self.depth_of_mark is not None:
            self.marks[-1][3] += data + '\n'


def place_of(place):
    if 'register' in place:
        return place['register']
    return f"[{place['base']} {'-' if place['offset'] < 0 else '+'} {abs(place['offset'])}]"


def main():
    page = Page()
    with open(sys.argv[1], encoding='utf-8') as file:
        page.feed(file.read())
    page.close()
    assert not page.open, page.open
    for link in page.links:
        assert link in page.ids, f'#{link} leads nowhere'
    with open(sys.argv[2], encoding='utf-8') as file:
        functions = [f for o in json.load(file)['objects'] for f in o['functions']]
    count = 0
    for function in functions:
        texts = [m[3] for m in page.marks if m[0] == function['name'] and m[1] == 'a' and m[2] != 'leaf']
        texts.sort(key=lambda text: int(text[1:].split()[0]))  # the page orders them by source lines
        assert len(texts) == len(function['safepoints']), (function['name'], len(texts))
        for text, safepoint in zip(texts, function['safepoints']):
            assert f"+0x{safepoint['return_offset']:x}:" in text, text
            for root in safepoint['roots']:
                assert f" {place_of(root['place'])}" in text, text
            count += 1
    for function, column, kind, text in page.marks:
        if column != 'i' or kind == 'leaf':
            continue
        reason = text.split('\n')[1]
        assert len(reason) > 10, (function, text)
        assert kind != 'poll' or reason.startswith('polls'), (function, text)
    print(f"{count} safepoints, {sum(m[1] == 'i' and m[2] == 'poll' for m in page.marks)} polls in IR")


main()
