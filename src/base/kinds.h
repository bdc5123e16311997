/* SPDX-License-Identifier: Apache-2.0
 *
 * How objects tell linkers which kind of barriers their code has. Shared by compile and object side
 * and by cairn-cc.
 *
 * An object defines the hidden symbol of kinds in a group that is named after its kind. Linkers
 * keep one group of a name, and refuse the definitions of two.
 */
#ifndef CN_BASE_KINDS_H
#define CN_BASE_KINDS_H

#define CN_BARRIERS_SYMBOL "cairn.barriers.kind"
#define CN_BARRIERS_GROUP "cairn.barriers." /* and the kind's name */

#endif
