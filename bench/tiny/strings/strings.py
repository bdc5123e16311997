"""Text is built from pieces, split into words, counted in a map, joined in order, and searched."""
import harness

SYLLABLES = ['ka', 'to', 'mi', 'ren', 'sul', 'da', 'pe', 'lor']


def make_text(words):
    text = []
    seed = 42
    for i in range(words):
        seed = (seed * 1309 + 13849) % 65536
        word = ''
        for j in range(seed % 3 + 1):
            word += SYLLABLES[(seed // 8 + j * 3) % 8]
        if i > 0:
            text.append(' ')
        text.append(word)
    return ''.join(text)


def counts_of(text):
    counts = {}
    for word in text.split(' '):
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def vowels_of(text):
    count = 0
    for i in range(len(text)):
        c = text[i]
        if c == 'a' or c == 'e' or c == 'i' or c == 'o' or c == 'u':
            count += 1
    return count


def strings(words):
    text = make_text(words)
    counts = counts_of(text)
    names = list(counts)
    names.sort()
    lines = []
    for name in names:
        lines.append(f'{name}={counts[name]}')
    table = ';'.join(lines)
    replaced = text.replace('ka', 'xyz').upper()
    found = 0
    at = replaced.find('XYZ')
    while at >= 0:
        found += 1
        at = replaced.find('XYZ', at + 3)
    return f'{len(text)} {len(names)} {len(table)} {vowels_of(text)} {found} {table[:30]}'


harness.run(500000, strings)
