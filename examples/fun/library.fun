; SPDX-License-Identifier: Apache-2.0
;
; The library of Fun (fun.c): the types of the primitives, which are functions of library.ll, and functions in Fun.

; The compiler uses %operand for each `let` and `match` outside of tail position.
(macro (%operand body) ((fun (_) body) ()))
(macro (if test then else) (match test (true then) (_ else)))
(macro (and a b) (match a (true b) (_ false)))
(macro (or a b) (match a (false b) (_ true)))
(macro (try body rules) (%try (fun (_) body) (fun (%exception) (match %exception rules))))

; ---- numbers ----

(primitive + (-> int int int))
(primitive - (-> int int int))
(primitive * (-> int int int))
(primitive land (-> int int int))
(primitive lor (-> int int int))
(primitive lxor (-> int int int))
(primitive lsl (-> int int int))
(primitive lsr (-> int int int))
(primitive asr (-> int int int))
(primitive = (-> int int bool))
(primitive <> (-> int int bool))
(primitive < (-> int int bool))
(primitive > (-> int int bool))
(primitive <= (-> int int bool))
(primitive >= (-> int int bool))

; ---- exceptions ----

(data exn Not_found Division_by_zero Match_failure (Failure string) (Invalid_argument string))

(primitive raise (-> exn never))
(primitive %try (-> (-> unit 'a) (-> exn 'a) 'a))
(primitive / (-> int int int))
(primitive mod (-> int int int))
(define (failwith text) (raise (Failure text)))

; ---- references ----

(primitive ref (-> 'a (ref 'a)))
(primitive ! (-> (ref 'a) 'a))
(primitive := (-> (ref 'a) 'a unit))

; ---- strings ----

(primitive string-length (-> string int))
(primitive string-get (-> string int int))
(primitive make-string (-> int int string))
(primitive substring (-> string int int string))
(primitive ^ (-> string string string))
(primitive string-compare (-> string string int))
(primitive string-of-int (-> int string))

; ---- input and output ----

(primitive argument (-> int int))
(primitive print (-> string unit))

; ---- the rest in Fun ----

(data (list 'a) Nil (Cons 'a (list 'a)))
(data (option 'a) None (Some 'a))
(data (pair 'a 'b) (Pair 'a 'b))
(define
  (not b) (if b false true)
  (string-equal a b) (and (= (string-length a) (string-length b)) (= (string-compare a b) 0))
  (print-int n) (print (string-of-int n))
  (print-line text) (print (^ text "
")))
