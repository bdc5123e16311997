import os
import shutil
import subprocess
import tempfile
config.name = 'run'
config.test_source_root = os.path.dirname(__file__)
lit_config.load_config(config, os.path.join(os.path.dirname(__file__), '..', 'lit.common.py'))
# CAIRN_VERIFY=frames lit test/run: all programs check the walk at every collection (docs/testing.md).
if 'CAIRN_VERIFY' in os.environ:
    config.environment['CAIRN_VERIFY'] = os.environ['CAIRN_VERIFY']
# scripts/check-threads: every program's main() on a second thread, or beside one that collects (test/tools/threads.c).
for name in ('TEST_THREADS', 'LD_PRELOAD'):
    if 'TEST_THREADS' in os.environ and name in os.environ:
        config.environment[name] = os.environ[name]
# The tests make programs with more privileges than their callers, and run them as somebody else.
if os.geteuid() == 0 and shutil.which('setpriv') and not os.statvfs(tempfile.gettempdir()).f_flag & os.ST_NOSUID:
    config.available_features.add('privileges')
# A test may make a control group with a quota of processor time.
quota = os.path.join(config.test_source_root, 'scheduling', 'Inputs', 'quota')
if subprocess.run([quota, '50', 'true'], capture_output=True, check=False).returncode == 0:
    config.available_features.add('cpu-quota')
# lldb with its Python, which the script for lldb needs.
lldb = shutil.which('lldb', path=config.environment['PATH'])
if lldb and subprocess.run([lldb, '--no-lldbinit', '--batch', '-o', 'script print(lldb.SBDebugger)'],
                           capture_output=True, check=False).stdout.count(b'class'):
    config.available_features.add('lldb')
