/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports take-overs and marks as events, and describes sites for them by the languages' callbacks. Runs on the thread
 * of the event, in any phase. The file has no state.
 */
#include "deopt/report.h"

#include <stdio.h>
#include "base/check.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/os/os.h"
#include "runtime/walk/index.h"

void cn_deopt_describe_frame(const struct cairn_deopt_frame *frame, char *buffer, size_t size)
{
  const struct cairn_deopt_language *language = cn_deopt_language(frame->language);

  CN_ASSERT(size != 0);
  buffer[0] = 0;
  if (language != NULL && language->describe != NULL)
    language->describe(frame->function, frame->index, buffer, size);
  else if (language != NULL)
    snprintf(buffer, size, "%s function %llu at %llu", language->name, (unsigned long long)frame->function,
             (unsigned long long)frame->index);
}

/* The innermost frame's. */
static const char *text_of_reason(const struct cn_deopt_site *site, uint64_t reason)
{
  const struct cairn_deopt_frame *innermost = &cn_deopt_site_frames(site)[site->size.frames - 1].frame;
  const struct cairn_deopt_language *language = cn_deopt_language(innermost->language);

  return language != NULL && language->reason != NULL ? language->reason(reason) : NULL;
}

static const struct cn_deopt_site *find_site(const struct cn_frame_map *map)
{
  if (cn_map_kept(map) == NULL && cn_os_may_be_in_handler())
    return NULL;
  const struct cn_deopt_site *site = cn_deopt_site_of_map(map);
  return site != NULL && site->status == CAIRN_OK && site->size.frames != 0 ? site : NULL;
}

bool cn_deopt_describe_activation(const struct cn_frame_map *map, uint32_t index, char *buffer, size_t size)
{
  const struct cn_deopt_site *site = find_site(map);

  if (site == NULL || index >= site->size.frames)
    return false;
  cn_deopt_describe_frame(&cn_deopt_site_frames(site)[site->size.frames - 1 - index].frame, buffer, size);
  return true;
}

const char *cn_deopt_mark_reason(const struct cn_frame_map *map, uint64_t reason)
{
  const struct cn_deopt_site *site = find_site(map);

  return site != NULL ? text_of_reason(site, reason) : NULL;
}

void cn_deopt_report_take_over(const struct cn_deopt_site *site, uint64_t reason, bool is_marked)
{
  char name[CAIRN_DEOPT_TEXT_BYTES];

  CN_ASSERT(site->size.frames != 0);
  if (!cn_events_have_consumers()) {
    cn_events_probe_deoptimised("", site->size.frames, is_marked, reason);
    return;
  }
  cn_deopt_describe_frame(&cn_deopt_site_frames(site)[site->size.frames - 1].frame, name, sizeof name);
  cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_DEOPTIMISED,
                                        .name = name,
                                        .activations = site->size.frames,
                                        .marked = is_marked,
                                        .reason = reason,
                                        .reason_text = text_of_reason(site, reason)});
}

void cn_deopt_report_marks(const struct cn_deopt_site *site, uint64_t reason, size_t count)
{
  struct cairn_event event = {.kind = CAIRN_EVENT_INVALIDATED, .activations = count, .reason = reason};

  if (site != NULL && cn_events_have_consumers())
    event.reason_text = text_of_reason(site, reason);
  cn_events_report(event);
}
