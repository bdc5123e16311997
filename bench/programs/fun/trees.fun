; SPDX-License-Identifier: Apache-2.0
;
; Binary trees, some short-lived, one long-lived; and a search tree with insertions.
(data tree Leaf (Node tree tree))
(data (search 'a) Empty (Branch (search 'a) 'a (search 'a)))
(define
  (make depth) (if (= depth 0) Leaf (Node (make (- depth 1)) (make (- depth 1))))
  (check tree) (match tree (Leaf 1) ((Node left right) (+ 1 (+ (check left) (check right)))))
  (repeat n depth) (if (= n 0) 0 (+ (check (make depth)) (repeat (- n 1) depth)))
  (insert x tree)
    (match tree
      (Empty (Branch Empty x Empty))
      ((Branch left y right)
        (if (< x y) (Branch (insert x left) y right)
          (if (> x y) (Branch left y (insert x right)) tree))))
  (fill n seed tree)
    (if (= n 0) tree (fill (- n 1) (land (+ (* seed 1103515245) 12345) 1073741823) (insert seed tree)))
  (size tree) (match tree (Empty 0) ((Branch left _ right) (+ 1 (+ (size left) (size right))))))
(define n (argument 1) depth (argument 2) long-lived (make (+ depth 4)))
(print-line (string-of-int (repeat n depth)))
(print-line (string-of-int (size (fill (* n 100) 1 Empty))))
(print-int (check long-lived))
