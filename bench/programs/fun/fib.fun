; SPDX-License-Identifier: Apache-2.0
;
; Calls of a known function.
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(print-int (fib (argument 1)))
