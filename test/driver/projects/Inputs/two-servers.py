#!/usr/bin/env python3
"""Runs a command with two distccd servers on the loopback: two-servers.py FOLDER COMMAND...

The command gets $FIRST and $SECOND, the servers' addresses. Their logs are FOLDER/server1 and FOLDER/server2. The
status is the command's.
"""
import os
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


def start(folder, number):
    port = free_port()
    # Without a list of compilers, the server runs any command: it listens on the loopback, for this test alone.
    server = subprocess.Popen(['distccd', '--no-detach', '--daemon', '--enable-tcp-insecure', '--listen', '127.0.0.1',
                               '--allow', '127.0.0.1', '--port', str(port), '--jobs', '2', '--log-level', 'info',
                               '--log-file', f'{folder}/server{number}'], start_new_session=True,
                              env=dict(os.environ, TMPDIR=folder))
    while server.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(('127.0.0.1', port)) == 0:
                return server, f'127.0.0.1:{port}'
        time.sleep(0.02)
    sys.exit(f'distccd ended with status {server.returncode}')


def main():
    folder, command = os.path.abspath(sys.argv[1]), sys.argv[2:]
    servers = [start(folder, number) for number in (1, 2)]
    environment = dict(os.environ, FIRST=servers[0][1], SECOND=servers[1][1])
    try:
        return subprocess.run(command, env=environment).returncode
    finally:
        for server, _ in servers:
            server.terminate()
            server.wait()


if __name__ == '__main__':
    sys.exit(main())
