; SPDX-License-Identifier: Apache-2.0
;
; Deep recursion: lists of many elements, made and changed by functions that are not in tail position.
(define
  (range i n) (if (= i n) Nil (Cons i (range (+ i 1) n)))
  (map f list) (match list (Nil Nil) ((Cons x rest) (Cons (f x) (map f rest))))
  (append a b) (match a (Nil b) ((Cons x rest) (Cons x (append rest b))))
  (filter f list) (match list (Nil Nil) ((Cons x rest) (if (f x) (Cons x (filter f rest)) (filter f rest))))
  (sum list) (match list (Nil 0) ((Cons x rest) (+ x (sum rest))))
  (repeat n length total)
    (if (= n 0) total
      (let (list (range 0 length)
            odd (filter (fun (x) (= (land x 1) 1)) (map (fun (x) (+ (* x 3) n)) list)))
        (repeat (- n 1) length (land (+ total (sum (append odd list))) 1073741823)))))
(print-int (repeat (argument 1) (argument 2) 0))
