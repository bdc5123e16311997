/* SPDX-License-Identifier: Apache-2.0
 *
 * The meter of bench/latency for servers in C (server.c). Server.java and server.go have the same.
 *
 * A program has one thread per server, each with its own table and its own schedule. The phases of
 * all threads begin together: requests one after another without a schedule, first unmetered and
 * then counted, which is the capacity; then a phase for each load, with a schedule that has so many
 * per cent of the capacity. A request that is due waits until its server has finished those before
 * it, and its latency counts from the moment at which it was due.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdbool.h>

enum { MOST_SERVERS = 64 };

/* SERVERS MIB WARM CAPACITY LOAD STOP LEAST FOLDER PERCENT...: the number of servers, MiB alive in
 * all, milliseconds of the phases and of planted stops (0: none), the least number of requests of the
 * capacity and of a load, for which a phase lasts at most five times as long, the folder for the
 * latencies, and the loads. Ends the program if they are malformed. */
void meter_begin(int argc, char **argv);

int meter_servers(void);
long meter_mib(void);

/* Ends the last request of the server, and waits until the next one is due; false if there is none. */
bool meter_next(int server);

#endif
