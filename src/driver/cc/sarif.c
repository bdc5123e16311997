/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes Cairn's diagnostics as one line, a document of SARIF 2.1.0, for -fdiagnostics-format=sarif. Clang writes its
 * own document about its own diagnostics. Runs at the end of a command. Owns the list of the command's diagnostics.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/cc/units.h"
#include "driver/rules.h"
#include "object/print/json_out.h"

static struct cairn_diagnostics kept;

void cn_sarif_add(const struct cairn_diagnostic *diagnostic)
{
  CN_CHECK(diagnostic != NULL);
  cairn_diagnostics_keep(&kept, diagnostic);
}

/* The file as a URI. The caller frees it. */
static char *uri_of(const struct cairn_diagnostic *d)
{
  bool joined = d->file[0] != '/' && d->directory;
  char *path = cn_format("%s%s%s", joined ? d->directory : "", joined ? "/" : "", d->file);
  char *uri = cn_alloc(sizeof "file://" + 3 * strlen(path)), *end = uri;

  end += sprintf(end, "%s", path[0] == '/' ? "file://" : "");
  for (const char *c = path; *c; c++)
    end += sprintf(end, isalnum((unsigned char)*c) || strchr("/-._~", *c) ? "%c" : "%%%02X", (unsigned char)*c);
  free(path);
  return uri;
}

static void write_location(struct cn_json_writer *json, const struct cairn_diagnostic *d)
{
  char *uri = uri_of(d);

  cn_json_out_open_bracket(json, NULL, '{');
  cn_json_out_open_bracket(json, "physicalLocation", '{');
  CN_ROW(json, "artifactLocation", CN_STRING("uri", uri));
  if (d->line)
    CN_ROW(json, "region", CN_NUMBER("startLine", d->line), CN_NUMBER_OR_NOT("startColumn", d->column));
  cn_json_out_close_bracket(json);
  cn_json_out_close_bracket(json);
  free(uri);
}

static void write_result(struct cn_json_writer *json, const struct cairn_diagnostic *d)
{
  static const char *const levels[] = {"error", "warning", "note", "note"};

  CN_CHECK(d->severity < sizeof levels / sizeof *levels);
  cn_json_out_open_bracket(json, NULL, '{');
  CN_MEMBERS(json, CN_STRING_OR_NOT("ruleId", d->rule), CN_STRING("level", levels[d->severity]));
  CN_ROW(json, "message", CN_STRING("text", d->message));
  cn_json_out_open_bracket(json, "locations", '[');
  if (d->file)
    write_location(json, d);
  cn_json_out_close_bracket(json);
  if (d->function) {
    cn_json_out_open_bracket(json, "logicalLocations", '[');
    CN_ROW(json, NULL, CN_STRING("name", d->function), CN_STRING("kind", "function"));
    cn_json_out_close_bracket(json);
  }
  cn_json_out_close_bracket(json);
}

static bool is_first_of_rule(size_t at)
{
  for (size_t i = 0; i < at; i++)
    if (kept.at[i].rule && strcmp(kept.at[i].rule, kept.at[at].rule) == 0)
      return false;
  return true;
}

/* Write the rule with its text from docs/refused.md. */
static void write_rule(struct cn_json_writer *json, const char *rule)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);

  CN_CHECK(stream != NULL);
  cn_rules_print(stream, rule);
  CN_CHECK(fclose(stream) == 0);
  cn_json_out_open_bracket(json, NULL, '{');
  cn_json_out_write_string(json, "id", rule);
  if (size)
    CN_ROW(json, "help", CN_STRING("text", text));
  cn_json_out_close_bracket(json);
  free(text);
}

static void write_tool(struct cn_json_writer *json)
{
  cn_json_out_open_bracket(json, "tool", '{');
  cn_json_out_open_bracket(json, "driver", '{');
  CN_MEMBERS(json, CN_STRING("name", "cairn-cc"), CN_STRING("version", CAIRN_VERSION));
  cn_json_out_open_bracket(json, "rules", '[');
  for (size_t i = 0; i < kept.count; i++)
    if (kept.at[i].rule && is_first_of_rule(i))
      write_rule(json, kept.at[i].rule);
  cn_json_out_close_bracket(json);
  cn_json_out_close_bracket(json);
  cn_json_out_close_bracket(json);
}

void cn_sarif_write(FILE *out)
{
  struct cn_json_writer json = {.out = out};

  cn_json_out_open_on_line(&json, NULL, '{');
  CN_MEMBERS(&json,
             CN_STRING("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/cos02/schemas/"
                                  "sarif-schema-2.1.0.json"),
             CN_STRING("version", "2.1.0"));
  cn_json_out_open_bracket(&json, "runs", '[');
  cn_json_out_open_bracket(&json, NULL, '{');
  write_tool(&json);
  cn_json_out_open_bracket(&json, "results", '[');
  for (size_t i = 0; i < kept.count; i++)
    write_result(&json, &kept.at[i]);
  cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
  cairn_diagnostics_free(&kept);
}

bool cn_sarif_is_empty(void)
{
  return kept.count == 0;
}
