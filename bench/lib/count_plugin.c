/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin of qemu-user that counts the instructions of one run of each kernel, with all that the kernel calls: as
 * callgrind does with --toggle-collect=kernel_* (bench/lib/counting.py). A count begins in a function kernel_NAME, and
 * ends in main(), which called it. At the end qemu's log has a line "NAME COUNT" for each kernel.
 *
 * Interface: version 1 of qemu's plugins (docs/devel/tcg-plugins.rst of qemu 7.2, whose header Debian leaves out).
 * qemu reads the names of functions if it has a log (-d plugin).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0 /* QEMU_PLUGIN_CB_NO_REGS */, ADD = 0 /* QEMU_PLUGIN_INLINE_ADD_U64 */ };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, void (*executed)(unsigned, void *), int flags,
                                          void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *word, uint64_t number);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*at_exit)(qemu_plugin_id_t, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);
void qemu_plugin_outs(const char *text);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count, char **arguments);

enum { KERNELS = 256 };
static struct kernel {
  char name[64];
  uint64_t instructions;
} kernels[KERNELS];
static uint64_t counter, start;
static struct kernel *active;

/* A block of instructions of a kernel's own function. */
struct block {
  struct kernel *kernel;
  uint64_t instructions;
};

static void run_kernel(unsigned thread, void *data)
{
  struct block *block = data;

  (void)thread;
  if (!active) {
    active = block->kernel;
    start = counter;
  }
  counter += block->instructions;
}

static void run_main(unsigned thread, void *data)
{
  (void)thread;
  (void)data;
  if (active)
    active->instructions += counter - start;
  active = NULL;
}

static struct kernel *find_kernel(const char *name)
{
  struct kernel *kernel = kernels;

  while (kernel < kernels + KERNELS && kernel->name[0] && strcmp(kernel->name, name) != 0)
    kernel++;
  if (kernel == kernels + KERNELS || strlen(name) >= sizeof kernel->name)
    abort();
  strcpy(kernel->name, name);
  return kernel;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *translated)
{
  const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(translated, 0));
  size_t count = qemu_plugin_tb_n_insns(translated);

  (void)id;
  if (name && strncmp(name, "kernel_", 7) == 0) {
    struct block *block = malloc(sizeof *block);
    if (!block)
      abort();
    *block = (struct block){find_kernel(name + 7), count};
    qemu_plugin_register_vcpu_tb_exec_cb(translated, run_kernel, NO_REGISTERS, block);
  } else if (name && strcmp(name, "main") == 0) {
    qemu_plugin_register_vcpu_tb_exec_cb(translated, run_main, NO_REGISTERS, NULL);
  } else {
    qemu_plugin_register_vcpu_tb_exec_inline(translated, ADD, &counter, count);
  }
}

static void print(qemu_plugin_id_t id, void *data)
{
  char line[128];

  (void)id;
  (void)data;
  for (struct kernel *kernel = kernels; kernel < kernels + KERNELS && kernel->name[0]; kernel++) {
    snprintf(line, sizeof line, "%s %" PRIu64 "\n", kernel->name, kernel->instructions);
    qemu_plugin_outs(line);
  }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count, char **arguments)
{
  (void)info;
  (void)count;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, print, NULL);
  return 0;
}
