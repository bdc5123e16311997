# Shared by the lit suites: where the tools are, and the substitutions that every test may use.
import os
import sys
import lit.formats

config.test_format = lit.formats.ShTest(True)
# TEST_TIMES=FILE lit ...: a line for each test, its processor seconds, seconds and name.
if 'TEST_TIMES' in os.environ:
    sys.path.insert(0, os.path.dirname(config.test_source_root.rstrip('/')))
    sys.dont_write_bytecode = True
    from timed_format import TimedTest
    config.test_format = TimedTest(os.environ['TEST_TIMES'])
config.suffixes = ['.ll', '.c', '.test', '.s']
# A test that hangs fails, by name, and its processes end. Far above what any needs under sanitizers:
# no result depends on it. `lit --timeout=SECONDS` says otherwise.
lit_config.maxIndividualTestTime = lit_config.maxIndividualTestTime or 1200
config.excludes = ['Inputs', 'lit.cfg.py', 'lit.common.py']
build = os.environ['CAIRN_BUILD_DIR']
llvm = os.environ['CAIRN_LLVM_BIN']
config.test_exec_root = os.path.join(build, 'test', 'lit', config.name)
config.environment['PATH'] = os.pathsep.join([os.path.join(build, 'bin'), llvm, os.environ['PATH']])
for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS'):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment['ASAN_OPTIONS'] = 'detect_leaks=0:allocator_may_return_null=1'
config.substitutions.append(('%cairn-cc', os.path.join(build, 'bin', 'cairn-cc')))
config.substitutions.append(('%cairn', os.path.join(build, 'bin', 'cairn')))
config.substitutions.append(('%root', os.path.dirname(config.test_source_root.rstrip('/')) + '/..'))
config.substitutions.append(('%build', build))
# Of a test's long ranges `make check` runs a sample: %if soak %{1 48%} %else %{1 6%}. scripts/soak-tests runs them whole.
if 'soak' in lit_config.params:
    config.available_features.add('soak')
# The machine of the tests' programs: %{machine}, and its feature for AArch64.
machine = 'aarch64' if os.environ.get('TEST_MACHINE') == '183' else os.uname().machine
config.substitutions.append(('%{machine}', machine))
if machine == 'aarch64':
    config.available_features.add('aarch64')
config.environment['RANDOM_MACHINE'] = machine
# The options for libraries of other projects, if they are not the system's.
config.substitutions.append(('%{libraries-of-target}', os.environ.get('TEST_LIBRARIES', '')))
# scripts/check-aarch64: programs for another machine, which an emulator runs (test/emulated/emulate.c).
if 'TEST_EMULATOR' in os.environ:
    for name in ('TEST_EMULATOR', 'TEST_MACHINE', 'TEST_PRELOAD'):
        config.environment[name] = os.environ[name]
    config.environment['LD_PRELOAD'] = os.environ['TEST_PRELOAD']
    config.available_features.add('emulated')
# The tools' build also has the runtime for AArch64 (CAIRN_TARGETS).
if os.path.exists(os.path.join(build, 'lib', 'aarch64-linux-gnu', 'libcairn.a')):
    config.available_features.add('aarch64-runtime')
if os.environ.get('CAIRN_SANITIZE') == 'ON':
    config.available_features.add('sanitize')
