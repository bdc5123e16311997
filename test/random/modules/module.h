/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules of all the forms of forms.def.
 */
#ifndef CN_TEST_RANDOM_MODULE_H
#define CN_TEST_RANDOM_MODULE_H

#include "random/modules/maker.h"

/* What a module shall be like. */
struct cn_random_wish {
  uint64_t seed;
  bool run;          /* it defines `i64 run_SEED()`, which support.c can run; else it is valid only,
                        and its forms are more */
  bool plain;        /* see maker.h */
  bool points;       /* it has stackmaps and patchpoints */
  enum cn_form only; /* the one form that it shall have, or CN_FORMS */
};
/* A module, the same for the same wish; `forms` gets the forms that it has. */
LLVMModuleRef cn_random_module(LLVMContextRef llvm, const struct cn_random_wish *wish, uint64_t *forms);
/* A managed main() that runs the modules of seeds first .. first + count - 1. */
LLVMModuleRef cn_random_main(LLVMContextRef llvm, uint64_t first, uint64_t count);
/* Add what barriers alone care for: immediates that are stored, a loop over an array, lanes. */
void cn_random_barred(LLVMModuleRef module, uint64_t seed);
/* May a module of `forms` be refused by `rule`? */
bool cn_random_may_refuse(uint64_t forms, const char *rule);

#endif
