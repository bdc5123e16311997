# end-by-signal.py DIRECTORY COMMAND...: run the command with $TMPDIR set, end it once it has made
# something there.
import os
import signal
import subprocess
import sys
import time

directory = sys.argv[1]
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, env=dict(os.environ, TMPDIR=directory))
deadline = time.time() + 20
while not os.listdir(directory):
    if time.time() > deadline:
        sys.exit('the command made nothing')
    time.sleep(0.01)
child.send_signal(signal.SIGTERM)
if child.wait(20) != -signal.SIGTERM:
    sys.exit(f'status {child.returncode}, not that of the signal')
