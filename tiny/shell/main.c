/* SPDX-License-Identifier: Apache-2.0
 *
 * The program tiny: options, and runs of files. Managed C; state of the main thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/nearest.h"
#include "tiny/program/compiled.h"
#include "tiny/program/modules.h"
#include "tiny/core/object.h"
#include "tiny/shell/repl.h"

enum { MOST_THREADS = 64 };

static const char usage[] = "usage: tiny [options] [file [arguments]]     without a file: a shell\n"
                            "  -e CODE           runs the code\n"
                            "  --check           compiles the file only\n"
                            "  --dump-bytecode   prints the byte code of the file\n"
                            "  --interpret       compiles nothing to machine code\n"
                            "  --jit-threshold=N compiles a function after N calls (default: 300)\n"
                            "  --jit-at-once     waits for each compilation\n"
                            "  --stats           tells of compilations and deoptimisations at the end\n"
                            "  --trace-jit       tells of each compilation\n"
                            "  --trace-deopt     tells of each deoptimisation\n"
                            "  --dump-ir         prints the LLVM IR of compiled functions\n"
                            "  --torture=N       compiled code leaves for the interpreter at every N-th guard or so\n"
                            "  --threads=N       runs the program in N threads, each with its own state\n"
                            "  --help, --version\n";

struct options {
  const char *code, *file;
  bool is_check, is_dump, is_interpreted;
  uint32_t threads;
  struct tiny_jit_options jit;
  int used; /* of the command line */
};

/* Reads an option that sets a flag, or a number within its bounds. False if it is unknown: then `nearest` has the
 * nearest option. */
static bool read_option(const char *argument, struct options *o, struct cn_nearest *nearest)
{
  const struct {
    const char *name;
    bool *flag;
    uint32_t *number;
    uint32_t least, most;
  } rows[] = {
      {"--check", .flag = &o->is_check},
      {"--dump-bytecode", .flag = &o->is_dump},
      {"--interpret", .flag = &o->is_interpreted},
      {"--jit-at-once", .flag = &o->jit.at_once},
      {"--stats", .flag = &o->jit.stats},
      {"--trace-jit", .flag = &o->jit.trace},
      {"--trace-deopt", .flag = &o->jit.trace_deopt},
      {"--dump-ir", .flag = &o->jit.dump_ir},
      {"--jit-threshold=", .number = &o->jit.threshold, .most = UINT32_MAX},
      {"--torture=", .number = &o->jit.torture, .least = 1, .most = INT32_MAX},
      {"--threads=", .number = &o->threads, .least = 1, .most = MOST_THREADS},
  };

  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t length = strlen(rows[i].name);
    cn_nearest_offer(nearest, rows[i].name, strcspn(rows[i].name, "="));
    if (strncmp(argument, rows[i].name, length) != 0 || (rows[i].flag && argument[length]))
      continue;
    if (rows[i].flag) {
      *rows[i].flag = true;
      return true;
    }
    char *end;
    unsigned long number = strtoul(argument + length, &end, 10);
    if (end == argument + length || *end || number < rows[i].least || number > rows[i].most) {
      fprintf(stderr, "tiny: %.*s takes a number from %u to %u\n", (int)length - 1, rows[i].name, rows[i].least,
              rows[i].most);
      exit(2);
    }
    *rows[i].number = (uint32_t)number;
    return true;
  }
  return false;
}

static void refuse_option(const char *argument, struct cn_nearest *nearest)
{
  cn_nearest_offer(nearest, "--help", strlen("--help"));
  cn_nearest_offer(nearest, "--version", strlen("--version"));
  fprintf(stderr, "tiny: unknown option '%s'", argument);
  if (nearest->name)
    fprintf(stderr, "; did you mean '%s'?", nearest->name);
  fprintf(stderr, "\n%s", usage);
  exit(2);
}

/* Reads the options; the program ends at an unknown one. */
static void read_options(int argc, char **argv, struct options *options)
{
  int i;

  for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
    struct cn_nearest nearest = cn_nearest_to(argv[i], strcspn(argv[i], "="));
    if (!strcmp(argv[i], "--help")) {
      fputs(usage, stdout);
      exit(0);
    } else if (!strcmp(argv[i], "--version")) {
      puts("tiny " CAIRN_VERSION);
      exit(0);
    } else if (!strcmp(argv[i], "-e")) {
      if (i + 1 == argc) {
        fprintf(stderr, "tiny: -e takes code\n");
        exit(2);
      }
      options->code = argv[++i];
    } else if (!read_option(argv[i], options, &nearest)) {
      refuse_option(argv[i], &nearest);
    }
  }
  if (i < argc && !options->code)
    options->file = argv[i++];
  options->used = i;
}

/* Compiles only; prints the code if asked. */
static int compile(const struct options *options, const char *name, const char *text, size_t length)
{
  struct tiny_program program = {0};
  struct tiny_error error;
  bool is_new;

  if (!tiny_compile(tiny_source_new(name, text, length), tiny_module(name, &is_new), &program, &error)) {
    fprintf(stderr, "%s:%u:%u: %s\n", error.source->name, error.line, error.column, error.text);
    tiny_print_excerpt(stderr, error.source, error.line, error.column);
    return 1;
  }
  for (uint32_t i = 0; i < program.count && options->is_dump; i++)
    tiny_print_function(tiny_function_at(tiny_tables, program.functions[i]));
  return 0;
}

/* A program to run: a text with its name. */
struct job {
  const struct options *options;
  const char *name, *text;
  size_t length;
  int count; /* of the arguments */
  char **arguments;
  int status;
};

/* Runs a job as the program of this thread. */
static void run(struct job *job)
{
  bool is_new, is_fine = tiny_begin(job->count, job->arguments);

  if (is_fine && (job->options->is_check || job->options->is_dump)) {
    job->status = compile(job->options, job->name, job->text, job->length);
    return;
  }
  if (is_fine)
    is_fine = !tiny_is_thrown(tiny_run(job->name, job->text, job->length, tiny_module(job->name, &is_new)));
  if (!is_fine)
    tiny_report(stderr);
  job->status = is_fine ? 0 : 1;
}

static void *run_thread(void *job)
{
  run(job);
  return NULL;
}

/* Runs the job in each of the threads that the options ask for; the threads share the heap alone. */
static int run_jobs(const struct job *job)
{
  unsigned count = job->options->threads;
  pthread_t threads[MOST_THREADS];
  struct job jobs[MOST_THREADS];
  int status = 0;

  for (unsigned i = 0; i < count; i++) {
    jobs[i] = *job;
    int error = i ? pthread_create(&threads[i], NULL, run_thread, &jobs[i]) : 0;
    if (error) {
      fprintf(stderr, "tiny: cannot start a thread: %s\n", strerror(error));
      exit(1);
    }
  }
  run(&jobs[0]);
  for (unsigned i = 0; i < count; i++) {
    if (i)
      pthread_join(threads[i], NULL);
    status |= jobs[i].status;
  }
  tiny_jit_end();
  return status;
}

/* At the end of the process: lost output is an error. */
static void check_output(void)
{
  int error = fflush(stdout) != 0 ? errno : ferror(stdout) ? EIO : 0;

  if (!error)
    return;
  fprintf(stderr, "tiny: cannot write the output: %s\n", strerror(error));
  _exit(1);
}

int main(int argc, char **argv)
{
  struct options options = {.jit = {.threshold = 300}, .threads = 1};
  char *text = NULL;

  atexit(check_output);
  read_options(argc, argv, &options);
  struct job job = {.options = &options, .count = argc - options.used, .arguments = argv + options.used};
  if (!options.is_interpreted)
    tiny_jit_begin(&options.jit);
  if (options.code) {
    job.name = "(code)";
    job.text = options.code;
    job.length = strlen(options.code);
  } else if (!options.file && isatty(STDIN_FILENO)) {
    if (tiny_begin(job.count, job.arguments))
      return tiny_repl();
    tiny_report(stderr);
    return 1;
  } else {
    job.name = options.file ? options.file : "(standard input)";
    job.text = text = tiny_read_file(options.file, &job.length);
    if (!text) {
      fprintf(stderr, "tiny: %s: %s\n", job.name, strerror(errno));
      return 1;
    }
  }
  int status = run_jobs(&job);
  free(text);
  return status;
}
