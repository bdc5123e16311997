/* SPDX-License-Identifier: Apache-2.0
 *
 * The program tiny: options, and runs of files. Managed C; state of the main thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
  unsigned threads;
  struct tiny_jit_options jit;
  int used; /* of the command line */
};

/* True if the argument is an option of the compiler. */
static bool read_jit_option(const char *argument, struct tiny_jit_options *jit)
{
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--jit-at-once", &jit->at_once},
               {"--stats", &jit->stats},
               {"--trace-jit", &jit->trace},
               {"--trace-deopt", &jit->trace_deopt},
               {"--dump-ir", &jit->dump_ir}};

  for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
    if (!strcmp(argument, flags[i].name)) {
      *flags[i].flag = true;
      return true;
    }
  if (!strncmp(argument, "--jit-threshold=", 16))
    jit->threshold = (uint32_t)strtoul(argument + 16, NULL, 10);
  else if (!strncmp(argument, "--torture=", 10))
    jit->torture = (uint32_t)strtoul(argument + 10, NULL, 10);
  else
    return false;
  return true;
}

/* Reads the options; the program ends at an unknown one. */
static void read_options(int argc, char **argv, struct options *options)
{
  int i;

  for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
    if (!strcmp(argv[i], "--help")) {
      fputs(usage, stdout);
      exit(0);
    } else if (!strcmp(argv[i], "--version")) {
      puts("tiny " CAIRN_VERSION);
      exit(0);
    } else if (!strcmp(argv[i], "-e") && i + 1 < argc) {
      options->code = argv[++i];
    } else if (!strcmp(argv[i], "--check")) {
      options->is_check = true;
    } else if (!strcmp(argv[i], "--dump-bytecode")) {
      options->is_dump = true;
    } else if (!strncmp(argv[i], "--threads=", 10)) {
      options->threads = (unsigned)strtoul(argv[i] + 10, NULL, 10);
      if (options->threads < 1 || options->threads > MOST_THREADS) {
        fprintf(stderr, "tiny: --threads takes a number from 1 to %d\n", MOST_THREADS);
        exit(2);
      }
    } else if (!strcmp(argv[i], "--interpret")) {
      options->is_interpreted = true;
    } else if (!read_jit_option(argv[i], &options->jit)) {
      fprintf(stderr, "tiny: unknown option '%s'\n%s", argv[i], usage);
      exit(2);
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

int main(int argc, char **argv)
{
  struct options options = {.jit = {.threshold = 300}, .threads = 1};
  char *text = NULL;

  read_options(argc, argv, &options);
  struct job job = {
      .options = &options, .name = options.file, .count = argc - options.used, .arguments = argv + options.used};
  if (!options.is_interpreted)
    tiny_jit_begin(&options.jit);
  if (options.code) {
    job.name = "(code)";
    job.text = options.code;
    job.length = strlen(options.code);
    return run_jobs(&job);
  }
  if (!options.file) {
    if (tiny_begin(job.count, job.arguments))
      return tiny_repl();
    tiny_report(stderr);
    return 1;
  }
  job.text = text = tiny_read_file(options.file, &job.length);
  if (!text) {
    fprintf(stderr, "tiny: %s: %s\n", options.file, strerror(errno));
    return 1;
  }
  int status = run_jobs(&job);
  free(text);
  return status;
}
