; SPDX-License-Identifier: Apache-2.0
;
; Functions that are arguments, results and parts of lists: unknown calls, captured variables, partial applications.
(define
  (compose f g) (fun (x) (f (g x)))
  (fold f total list) (match list (Nil total) ((Cons x rest) (fold f (f total x) rest)))
  (map f list) (match list (Nil Nil) ((Cons x rest) (Cons (f x) (map f rest))))
  (add a b) (+ a b)
  (power f n) (if (= n 0) (fun (x) x) (compose f (power f (- n 1))))
  (range n) (let ((go i list) (if (= i 0) list (go (- i 1) (Cons i list)))) (go n Nil))
  (round i list total)
    (if (= i 0) total
      (let (functions (map (fun (x) (if (= (land x 1) 0) (add (+ x i)) (compose (add x) (fun (y) (- y i))))) list)
            sum (fold (fun (s f) (land (+ s (f s)) 1048575)) i functions))
        (round (- i 1) list (lxor total (power (fun (x) (+ x sum)) 8 i))))))
(print-int (round (argument 1) (range (argument 2)) 0))
