/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of tables in thread-local storage. Libraries that a host loads share little static storage, so the runtime of
 * libcairn.so (CN_SHARED_RUNTIME) has smaller tables.
 */
#ifndef CN_RUNTIME_CORE_THREAD_STORAGE_H
#define CN_RUNTIME_CORE_THREAD_STORAGE_H

#ifdef CN_SHARED_RUNTIME
#define CN_THREAD_TABLE_ENTRIES(usual, shared) (shared)
#else
#define CN_THREAD_TABLE_ENTRIES(usual, shared) (usual)
#endif

#endif
