; SPDX-License-Identifier: Apache-2.0
;
; Exceptions: a search that ends by one, a product that meets a zero deep in the recursion, and none at all.
(data exn (Found int))
(define
  (find x list) (match list (Nil (raise Not_found)) ((Cons (Pair key value) rest) (if (= key x) value (find x rest))))
  (find-or list default x) (try (find x list) (Not_found default))
  (product list) (match list (Nil 1) ((Cons x rest) (if (= x 0) (raise (Found 0)) (land (* x (product rest)) 65535))))
  (safe-product list) (try (product list) ((Found n) n))
  (table n) (if (= n 0) Nil (Cons (Pair (* n 2) n) (table (- n 1))))
  (numbers n last) (if (= n 0) (Cons last Nil) (Cons n (numbers (- n 1) last)))
  (repeat n list with-zero without-zero total)
    (if (= n 0) total
      (repeat (- n 1) list with-zero without-zero
        (land (+ total (+ (find-or list 1 (land n 31)) (+ (safe-product with-zero) (safe-product without-zero))))
          1073741823))))
(print-int (repeat (argument 1) (table 16) (numbers 40 0) (numbers 40 1) 0))
