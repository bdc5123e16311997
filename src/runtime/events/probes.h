/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes for perf, bpftrace and SystemTap (docs/environment.md lists them). A probe is a nop, and a note with the
 * locations of the probe's arguments (<sys/sdt.h>). Without that header the runtime is built without probes.
 */
#ifndef CN_RUNTIME_EVENTS_PROBES_H
#define CN_RUNTIME_EVENTS_PROBES_H

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define CN_PROBE1(name, a) STAP_PROBE1(cairn, name, a)
#define CN_PROBE2(name, a, b) STAP_PROBE2(cairn, name, a, b)
#define CN_PROBE4(name, a, b, c, d) STAP_PROBE4(cairn, name, a, b, c, d)

/* The section that the notes refer to. Code must refer to the section, too: gold's --gc-sections would otherwise
 * discard the section and then refuse the notes. */
extern const char cn_probes_base __asm__("_.stapsdt.base") __attribute__((visibility("hidden")));
#define CN_PROBES_KEEP() __asm__ volatile("" : : "r"(&cn_probes_base))
#else
#define CN_PROBES_KEEP() ((void)0)
#define CN_PROBE1(name, a) ((void)(a))
#define CN_PROBE2(name, a, b) ((void)(a), (void)(b))
#define CN_PROBE4(name, a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#endif

#endif
