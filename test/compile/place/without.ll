; Each optimisation of placement can be left out by name, and is then nowhere: to measure what it is worth, and to corner
; a defect. Inputs/without.txt has for each a test of this folder and what says that it is there: a remark, a block, a mark.
; RUN: while read name file says; do \
; RUN:   %cairn opt -p place-safepoints --report -S %S/$file >%t.all 2>&1 || exit 1; \
; RUN:   %cairn opt -p place-safepoints --report --without=$name -S %S/$file >%t.out 2>&1 || exit 1; \
; RUN:   grep -q "$says" %t.all || { echo "$name: nowhere in $file"; exit 1; }; \
; RUN:   if grep "$says" %t.out; then echo "$name: still in $file"; exit 1; fi; \
; RUN: done <%S/Inputs/without.txt

; Without any of them there are polls at latches and entries, and the code is as sound.
; RUN: for file in %S/*.ll %S/loops/*.ll; do %cairn opt -p place-safepoints -S $file -o %t.ll \
; RUN:   --without=chunks,nests,unroll,peel,early-returns,selects,long-paths,long-calls,recursions && \
; RUN:   opt -passes=verify -disable-output %t.ll || exit 1; done
