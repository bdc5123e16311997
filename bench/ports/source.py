# SPDX-License-Identifier: Apache-2.0
"""Sources of a public program: fetched from Debian, unpacked, and edited. An edit that does not match as often as it
says ends the run, so a port is either complete or an error."""
import os
import re
import shutil
import subprocess
import sys

MIRROR = 'http://deb.debian.org/debian'
KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
# A list of its own: the machine's configuration of apt stays as it is.
SETTINGS = '''Dir::Etc::sourcelist "{0}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "{0}/lists";
Dir::Cache "{0}/cache";
APT::Sandbox::User "root";
'''


class Archive:
    """Debian's sources of one suite, by apt, in `folder`."""

    def __init__(self, folder, suite='bookworm'):
        self.folder, self.suite = folder, suite
        self.environment = {**os.environ, 'APT_CONFIG': f'{folder}/apt.conf'}

    def _prepare(self):
        for name in ('lists/partial', 'cache/archives/partial'):
            os.makedirs(f'{self.folder}/{name}', exist_ok=True)
        with open(f'{self.folder}/apt.conf', 'w') as file:
            file.write(SETTINGS.format(self.folder))
        with open(f'{self.folder}/sources.list', 'w') as file:
            file.write(f'deb-src [signed-by={KEYRING}] {MIRROR} {self.suite} main\n')
        subprocess.run(['apt-get', '-q', 'update'], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def fetch(self, package, version):
        """The path of the package's original archive; apt has checked its signature and sum."""
        upstream = version.split(':')[-1].rsplit('-', 1)[0]
        start = f'{package}_{upstream}.orig.tar.'

        def found():
            return [name for name in os.listdir(self.folder) if name.startswith(start) and not name.endswith('.asc')]
        if not found():
            if not os.path.exists(f'{self.folder}/apt.conf'):
                self._prepare()
            done = subprocess.run(['apt-get', '-q', 'source', '--download-only', '--tar-only', f'{package}={version}'],
                                  env=self.environment, cwd=self.folder, capture_output=True, text=True)
            if done.returncode or not found():
                sys.exit(f'bench/ports/run: cannot fetch {package} {version}: {done.stderr.strip()[-500:]}')
        return f'{self.folder}/{found()[0]}'


class Tree:
    """An unpacked program in `folder`, which is made anew. `files` are the files that count as the program's lines."""

    def __init__(self, archive, folder, files):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        subprocess.run(['tar', '-xf', archive, '--strip-components=1', '-C', folder], check=True)
        self.folder, self.files = folder, files

    def path(self, name):
        return f'{self.folder}/{name}'

    def read(self, name):
        with open(self.path(name), encoding='utf-8', errors='surrogateescape', newline='') as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8', errors='surrogateescape', newline='') as file:
            file.write(text)

    def lines(self):
        return sum(self.read(name).count('\n') for name in self.files)

    def edit(self, name, *edits):
        """Each edit is (pattern, replacement) or (pattern, replacement, count): a regular expression over the whole file,
        which must match `count` times, once by default."""
        text = self.read(name)
        for pattern, replacement, *count in edits:
            text, times = re.subn(pattern, replacement, text, flags=re.M)
            if times != (count[0] if count else 1):
                sys.exit(f'bench/ports/run: {self.folder}/{name}: {times} matches of {pattern!r}')
        self.write(name, text)

    def remove(self, name, start, end, instead='', after=None):
        """Removes the lines from the first that matches `start` (after one that matches `after`) to the first from there
        on that matches `end`, both included."""
        lines = self.read(name).splitlines(keepends=True)

        def find(pattern, begin):
            return None if begin is None else next((i for i in range(begin, len(lines)) if re.search(pattern, lines[i])), None)
        first = find(start, find(after, 0) if after else 0)
        last = find(end, first)
        if last is None:
            sys.exit(f'bench/ports/run: {self.folder}/{name}: no lines from {start!r} to {end!r}')
        lines[first:last + 1] = [instead] if instead else []
        self.write(name, ''.join(lines))


def changed_lines(before, after, files):
    """Lines changed, removed or added: of each group of changed lines, the larger side counts."""
    total = 0
    for name in files:
        done = subprocess.run(['diff', '-d', '-a', f'{before}/{name}', f'{after}/{name}'], capture_output=True, text=True,
                              errors='replace')
        if done.returncode > 1:
            sys.exit(f'bench/ports/run: {done.stderr}')
        for old, old_end, kind, new, new_end in re.findall(r'^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$', done.stdout, re.M):
            removed = 0 if kind == 'a' else int(old_end or old) - int(old) + 1
            added = 0 if kind == 'd' else int(new_end or new) - int(new) + 1
            total += max(removed, added)
    return total
