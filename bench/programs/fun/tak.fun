; SPDX-License-Identifier: Apache-2.0
;
; Calls as arguments, and in tail position.
(define
  (tak x y z) (if (< y x) (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y)) z)
  (repeat n x) (if (= n 0) 0 (+ (tak x (- x 6) (land n 7)) (repeat (- n 1) x))))
(print-int (repeat (argument 1) (argument 2)))
