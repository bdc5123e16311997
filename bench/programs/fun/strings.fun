; SPDX-License-Identifier: Apache-2.0
;
; Strings: joined, cut, compared, read byte by byte, and made of numbers.
(define
  (hash text)
    (let ((go i h) (if (= i (string-length text)) h (go (+ i 1) (land (+ (* h 31) (string-get text i)) 1073741823))))
      (go 0 7))
  (join list text) (match list (Nil text) ((Cons x rest) (join rest (^ text (^ " " x)))))
  (words n list) (if (= n 0) list (words (- n 1) (Cons (^ "word" (string-of-int (land (* n 37) 255))) list)))
  (count text list) (match list (Nil 0) ((Cons x rest) (if (string-equal x text) (+ 1 (count text rest)) (count text rest))))
  (largest list best)
    (match list (Nil best) ((Cons x rest) (largest rest (if (> (string-compare x best) 0) x best))))
  (repeat n total)
    (if (= n 0) total
      (let (list (words 60 Nil)
            text (join list "")
            part (substring text 5 (- (string-length text) 10)))
        (repeat (- n 1)
          (land (+ (* total 17) (+ (hash part) (+ (count "word37" list) (hash (largest list ""))))) 1073741823)))))
(print-int (repeat (argument 1) 0))
