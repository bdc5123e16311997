"""limits.py: prints cases for errors.py: programs that exceed a limit of the compiler."""


def numbered(count, text):
    return ''.join(text.replace('#', str(i)) for i in range(count))


def captured(count):
    """A function that uses the variables of three functions around it, of which none has too many."""
    each = count // 3
    lets = [numbered(each, f'let {name}# = #; ') for name in 'abc']
    uses = ' '.join(numbered(each, f'{name}#; ') for name in 'abc')
    return f'fn f() {{ {lets[0]}\nfn g() {{ {lets[1]}\nfn h() {{ {lets[2]}\nreturn fn() {{ {uses} }} }} }} }}'


CASES = [
    ('1:200: the code is nested too deeply', '(' * 300),
    ('1:199: the code is nested too deeply', '-' * 300 + '1'),
    ('1:12003: the expression is too long', '1' + ' + 1' * 4000),
    ('1:1: the number is too long', '1' * 70),
    ('1:496: too many parameters', 'fn f(' + ', '.join(f'a{i}' for i in range(120)) + ') { }'),
    ('1:308: too many arguments', 'print(' + ', '.join('1' for i in range(120)) + ')'),
    ("1:89: 'finally' blocks are nested too deeply", 'try { } finally { ' * 6 + ' }' * 6),
    ('252:1: the function has too many variables, or an expression is too complex',
     'fn f() {\n' + numbered(260, 'let a# = #\n') + '}'),
    ('4:1262: the function uses too many variables of functions around it', captured(300)),
]

for expected, program in CASES:
    print(f'=== {expected}\n{program}')
