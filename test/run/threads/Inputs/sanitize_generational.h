/* SPDX-License-Identifier: Apache-2.0
 *
 * The calling thread is a mutator; is none any more. No collection is under way.
 */
void mutator_begins(void);
void mutator_ends(void);
