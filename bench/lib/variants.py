# SPDX-License-Identifier: Apache-2.0
"""The kernels of bench/kernels, compiled in several ways, and programs of them whose code lies at
several places (bench/safepoints)."""
import glob
import os
import random
import re
import tools

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = f'{HERE}/programs'
ROOT = os.path.dirname(HERE)
# Kernels without references have polls, too.
MANAGE = '-fcairn-manage=all'
# Safepoints alone are measured: no barriers, in the link a collector that needs none.
COLLECTOR = '-fcairn-collector=semispace'
# Name -> (what it is, flags of cairn-cc if it makes the variant).
VARIANTS = {
    'plain': ('the same C with ordinary pointers, clang -O3', None),
    'llvm-late': ("LLVM's own passes after default<O3>, data layout ni:1, references on the stack",
                  None),
    'llvm-early': ("LLVM's own passes before default<O3>, data layout ni:1, references on the stack",
                   None),
    'ours': ('cairn-cc -O3', []),
    'none': ('cairn-cc -O3 -fcairn-safepoints=none', ['-fcairn-safepoints=none']),
    'early': ('cairn-cc -O3 -fcairn-safepoints=early', ['-fcairn-safepoints=early']),
    'stack': ('cairn-cc -O3 -fcairn-poll=stack', ['-fcairn-poll=stack']),
}
DEFAULT = ['plain', 'llvm-late', 'llvm-early', 'ours']
AFTERWARDS = 'function(simplifycfg,early-cse,instcombine,simplifycfg)'
PASSES = {
    'llvm-late': f'default<O3>,function(place-safepoints),{tools.LLVM_PASS},{AFTERWARDS}',
    'llvm-early': f'function(mem2reg),function(place-safepoints),{tools.LLVM_PASS},default<O3>',
}
# As cheap as ours: the word is compared in memory. The slow path is an ordinary call, as in LLVM's
# documentation.
POLL = '''
@bench_poll = external thread_local(localexec) global i64
declare void @bench_poll_slow()
define weak void @gc.safepoint_poll() {
  %at = call ptr @llvm.threadlocal.address.p0(ptr @bench_poll)
  %word = load volatile i64, ptr %at
  %set = icmp ne i64 %word, 0
  br i1 %set, label %slow, label %done, !prof !{!"branch_weights", i32 1, i32 100000}
slow:
  call void @bench_poll_slow()
  br label %done
done:
  ret void
}
'''


def kernel_sources():
    """Name -> file of each kernel, those in folders of bench/kernels, too."""
    files = glob.glob(f'{HERE}/kernels/**/*.c', recursive=True)
    return {os.path.basename(file)[:-2]: file for file in files}


def kernel_names():
    return sorted(kernel_sources())


def managed_ir(source, *flags):
    """The C file before any optimisation, every function under LLVM's gc strategy, for LLVM's own
    passes."""
    text = tools.output(tools.llvm('clang'), *tools.TARGET, *flags, '-fPIE', '-Xclang', '-disable-llvm-passes', '-S',
                        '-emit-llvm', '-DBENCH_NATIVE_MEMORY', f'-I{ROOT}/include', source, '-o', '-')
    text = re.sub(r'^(define [^{]*?)( \{)$', r'\1 gc "statepoint-example"\2', text, flags=re.M)
    return re.sub(r'^(target datalayout = "[^"]*)"', r'\1-ni:1"', text, flags=re.M)


def generate(text, passes, target):
    """An object of IR by LLVM's passes and code generator; its frames need no maps here."""
    with open(target + '.ll', 'w') as file:
        file.write(text)
    tools.run(tools.llvm('opt'), '-passes=' + passes, target + '.ll', '-o', target + '.bc')
    tools.run(tools.llvm('llc'), '-O3', '-relocation-model=pic', '-filetype=obj', target + '.bc', '-o',
              target)
    tools.run(tools.llvm('llvm-objcopy'), '--remove-section', '.llvm_stackmaps', target)


def compile_kernel(build, variant, name, folder):
    source, target = kernel_sources()[name], f'{folder}/{variant}-{name}.o'
    options = [*tools.TARGET, '-O3', f'-I{ROOT}/include', '-c', source, '-o', target]
    if variant == 'plain':
        tools.run(tools.llvm('clang'), '-DCAIRN_PLAIN', '-DBENCH_NATIVE_MEMORY', *options)
    elif variant in PASSES:
        generate(managed_ir(source, '-O3') + POLL, PASSES[variant], target)
    else:
        tools.run(f'{build}/bin/cairn-cc', MANAGE, COLLECTOR, *options, *VARIANTS[variant][1])


def compile_kernels(build, variants, names, folder):
    os.makedirs(folder, exist_ok=True)
    kernels = ' '.join(f'X({name})' for name in names)
    tools.run(tools.llvm('clang'), *tools.TARGET, '-O2', f'-DKERNELS={kernels}', '-c', f'{PROGRAMS}/harness.c', '-o',
              f'{folder}/harness.o')
    for variant in variants:
        tools.progress(f'compiling {variant}')
        for name in names:
            compile_kernel(build, variant, name, folder)


def make_pad(bytes_, folder):
    """An object of nothing: what follows it begins at this place of a page, whatever the sizes of the
    other kernels are, which differ between the variants."""
    pad = f'{folder}/pad-{bytes_}'
    if not os.path.exists(pad + '.o'):
        with open(pad + '.s', 'w') as file:
            file.write(f'.text\n.p2align 12\n.skip {bytes_}, 0x90\n'
                       '.section .note.GNU-stack,"",@progbits\n')
        tools.run(tools.llvm('clang'), *tools.TARGET, '-c', pad + '.s', '-o', pad + '.o')
    return pad + '.o'


def arrange(names, layout, folder):
    """The kernels in the layout's order, each with its pad. Functions are aligned to 16 bytes: over
    the layouts, a kernel has each of the four places in a line of 64 bytes equally often."""
    chance = random.Random(f'layout {layout}')
    order = names[:]
    chance.shuffle(order)
    return [(make_pad(64 * chance.randrange(64) + 16 * ((layout + names.index(name)) % 4), folder), name)
            for name in order]


def link_layout(build, variants, names, layout, folder):
    """Variant -> its program of this layout. The order of the kernels is the layout's, too."""
    objects = arrange(names, layout, folder)
    programs = {}
    for variant in variants:
        inputs = [f'{folder}/harness.o']
        for pad, name in objects:
            inputs += [pad, f'{folder}/{variant}-{name}.o']
        ours = VARIANTS[variant][1] is not None
        driver = [f'{build}/bin/cairn-cc', COLLECTOR] if ours else [tools.llvm('clang')]
        programs[variant] = f'{folder}/{variant}-{layout}'
        tools.run(*driver, *tools.TARGET, '-fuse-ld=lld', *inputs, '-lm', '-o', programs[variant])
    return programs
