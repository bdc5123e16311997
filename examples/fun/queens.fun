; SPDX-License-Identifier: Apache-2.0
;
; All solutions of the problem of n queens, over lists that live shortly: a program for the compiler fun.c.
;
;   cc ../fun.c -o func && ./func library.ll library.fun queens.fun > queens.ll && cairn-cc -O2 queens.ll -o queens
;   queens N
(define
  (safe column distance placed)
    (match placed
      (Nil true)
      ((Cons q rest)
        (and (<> column q)
          (and (<> column (+ q distance))
            (and (<> column (- q distance)) (safe column (+ distance 1) rest))))))
  (try-column n column row placed)
    (if (> column n) 0
      (+ (if (safe column 1 placed) (place n (- row 1) (Cons column placed)) 0)
         (try-column n (+ column 1) row placed)))
  (place n row placed) (if (= row 0) 1 (try-column n 1 row placed)))
(let (n (argument 1)) (print-int (place n n Nil)))
