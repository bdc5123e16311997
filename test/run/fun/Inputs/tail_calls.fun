; SPDX-License-Identifier: Apache-2.0
;
; Unknown calls in tail position, with more and with fewer arguments than their function has, and of results that the
; caller's type knows to be ints.
(define
  (count n k) (if (= n 0) (k 0) (count (- n 1) (fun (x) (k (+ x 1)))))
  (one f n) (if (= n 0) 1 (f n n))
  (two f a b) (one f (- a 1))
  (last f n) (f n)
  (down n total) (if (= n 0) total (last (fun (n) (down n (+ total 1))) (- n 1))))
(let ((loop a b) (one loop (- a 1)))
  (print-int (+ (count (argument 1) (fun (x) x)) (+ (loop (argument 1) 5) (- (down (argument 1) 0) (+ (argument 1) 1))))))
