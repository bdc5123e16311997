"""A text of records is parsed into dictionaries and lists, and written again with sorted names."""
import harness


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0
        self.end = len(text)

    def fail(self, message):
        raise ValueError(f'{message} at {self.at}')

    def next(self):
        """The next character; empty at the end."""
        if self.at >= self.end:
            return ''
        return self.text[self.at]

    def skip(self):
        c = self.next()
        while c == ' ' or c == '\n':
            self.at += 1
            c = self.next()

    def expect(self, code):
        self.skip()
        if self.next() != code:
            self.fail(f'expected {code}')
        self.at += 1

    def word(self, text, value):
        if self.text[self.at:self.at + len(text)] != text:
            self.fail('unknown word')
        self.at += len(text)
        return value

    def value(self):
        self.skip()
        c = self.next()
        if c == '{':
            return self.object()
        if c == '[':
            return self.array()
        if c == '"':
            return self.string()
        if c == 't':
            return self.word('true', True)
        if c == 'f':
            return self.word('false', False)
        if c == 'n':
            return self.word('null', None)
        return self.number()

    def object(self):
        result = {}
        self.expect('{')
        self.skip()
        while self.next() != '}':
            self.skip()
            name = self.string()
            self.expect(':')
            result[name] = self.value()
            self.skip()
            if self.next() == ',':
                self.at += 1
        self.at += 1
        return result

    def array(self):
        result = []
        self.expect('[')
        self.skip()
        while self.next() != ']':
            result.append(self.value())
            self.skip()
            if self.next() == ',':
                self.at += 1
        self.at += 1
        return result

    def string(self):
        self.expect('"')
        start, result = self.at, ''
        while True:
            c = self.next()
            if c == '':
                self.fail('unfinished string')
            if c == '"':
                break
            if c == '\\':
                result += self.text[start:self.at]
                self.at += 1
                c = self.next()
                if c == 'n':
                    result += '\n'
                else:
                    result += c
                start = self.at + 1
            self.at += 1
        result += self.text[start:self.at]
        self.at += 1
        return result

    def number(self):
        start, real = self.at, False
        c = self.next()
        while c == '-' or c == '.' or '0' <= c <= '9':
            real = real or c == '.'
            self.at += 1
            c = self.next()
        if start == self.at:
            self.fail('unexpected character')
        text = self.text[start:self.at]
        return float(text) if real else int(text)


def write_string(s, out):
    out.append('"')
    start = 0
    for i in range(len(s)):
        c = s[i]
        if c == '"' or c == '\\' or c == '\n':
            out.append(s[start:i])
            if c == '\n':
                out.append('\\n')
            else:
                out.append('\\')
                out.append(c)
            start = i + 1
    out.append(s[start:])
    out.append('"')


def write_value(v, out):
    if isinstance(v, str):
        write_string(v, out)
    elif isinstance(v, list):
        out.append('[')
        for i in range(len(v)):
            if i > 0:
                out.append(', ')
            write_value(v[i], out)
        out.append(']')
    elif isinstance(v, dict):
        names = list(v)
        names.sort()
        out.append('{')
        for i in range(len(names)):
            if i > 0:
                out.append(', ')
            write_string(names[i], out)
            out.append(': ')
            write_value(v[names[i]], out)
        out.append('}')
    elif v is None:
        out.append('null')
    elif v is True:
        out.append('true')
    elif v is False:
        out.append('false')
    else:
        out.append(str(v))


def make_text(records):
    out = ['[']
    for i in range(records):
        if i > 0:
            out.append(', ')
        out.append(f'{{"id": {i}, "name": "item \\"{i}\\"", "nested": {{"x": {i * 7 % 100}, "y": -{i % 10}.5}}, ')
        out.append('"none": null, "ok": true, "tags": ["red", "line\\nbreak", "blue"]}')
    out.append(']')
    return ''.join(out)


def json(records):
    text = make_text(records)
    value = Parser(text).value()
    out = []
    write_value(value, out)
    total = 0
    for record in value:
        total += record['id'] + record['nested']['y']
    return f'{len(text)} {"true" if "".join(out) == text else "false"} {total:.0f}'


harness.run(12000, json)
