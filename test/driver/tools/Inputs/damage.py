# damage.py EVERY FILE COMMAND...: run the command on prefixes of the file and with bits flipped, of each range every nth;
# only statuses 0 and 1 are right. None may take much memory.
import random
import resource
import subprocess
import sys

every = int(sys.argv[1])
data = open(sys.argv[2], 'rb').read()
name = sys.argv[2] + '.damaged'


def run(what, damaged):
    with open(name, 'wb') as file:
        file.write(damaged)
    result = subprocess.run(sys.argv[3:] + [name], capture_output=True)
    if result.returncode not in (0, 1):
        sys.exit(f'{what}: status {result.returncode}: {result.stderr[-300:]}')
    if result.returncode == 1 and name.encode() not in result.stderr:
        sys.exit(f'{what}: the file is not named: {result.stderr[-300:]}')


for length in range(0, len(data), max(1, len(data) // 30) * every):
    run(f'{length} bytes', data[:length])
random.seed(1)
for round in range(100):  # round 99 asks LLVM's reader for all memory that there is
    flipped = bytearray(data)
    for _ in range(1 + round % 4):
        flipped[random.randrange(4, len(data))] ^= 1 << random.randrange(8)
    if round % every == 0:
        run(f'round {round}', flipped)
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if kilobytes > 5 << 20:
    sys.exit(f'one took {kilobytes >> 10} MB of memory')
