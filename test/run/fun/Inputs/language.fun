; SPDX-License-Identifier: Apache-2.0
;
; All of Fun; prints a line for each part.
(data shape Point Origin (Circle int) (Square int int) (Named string shape))
(data exn Stop (Wrong int string))
(define (line name n) (print-line (^ name (^ " " (string-of-int n)))))

; Closures: partial applications, more arguments than parameters, functions of several parameters as values.
(define
  (four a b c d) (+ (* a 1000) (+ (* b 100) (+ (* c 10) d)))
  (three a b c) (- a (- b c))
  (twice f) (fun (x) (f (f x)))
  (call2 f a b) (f a b)
  (call4 f a b c d) (f a b c d)
  (identity x) x)
(define partial (four 1 2) more (partial 3))
(line "partial" (+ (more 4) (partial 5 6)))
(line "over" (call2 twice (three 10 4) 1))
(line "four" (+ (call4 four 4 3 2 1) (call4 identity four 1 1 1 1)))
(line "three" (call4 (fun (a b) (fun (c d) (- (* a b) (* c d)))) 2 3 4 5))

; Tail calls: known and unknown, with more and with fewer arguments, and after a change of the form of the result.
(define n (argument 1))
(define
  (even n) (if (= n 0) true (odd (- n 1)))
  (odd n) (if (= n 0) false (even (- n 1)))
  (count n k) (if (= n 0) (k 0) (count (- n 1) (fun (x) (k (+ x 1)))))
  (one f n) (if (= n 0) 1 (f n n))
  (two f a b) (one f (- a 1))
  (last f n) (f n))
(line "even" (if (even n) 1 0))
(line "count" (count n identity))
(let ((loop a b) (one loop (- a 1))) (line "arities" (loop n 5)))
(let ((down n) (if (= n 0) 3 (last down (- n 1)))) (line "last" (down n)))

; Bindings: shadowing, groups, captured variables of captured functions, polymorphic functions.
(let (x 1 y (+ x 1) x (+ y 10) (f a) (g a) (g a) (+ a 1)) (line "let" (+ x (f y))))
(define (nested a) (let ((inner b) (let ((innermost c) (+ a (+ b c))) (innermost (* a b)))) (inner (+ a 1))))
(line "nested" (nested 5))
(line "polymorphic" (string-length (identity (identity "four"))))

; Patterns and constructors.
(define (area s)
  (match s (Point 0) (Origin -1) ((Circle r) (* 3 (* r r))) ((Square 1 _) 1) ((Square a b) (* a b)) ((Named name s) (area s))))
(line "area" (area (Named "x" (Named "y" (Square 3 4)))))
(line "areas" (+ (area Point) (+ (area Origin) (+ (area (Circle 2)) (area (Square 1 9))))))
(line "pairs" (match (Pair (Some 3) true) ((Pair None _) 0) ((Pair (Some n) false) n) ((Pair (Some n) true) (* n 2))))

; Exceptions: nested, raised again, from a rule, from the library.
(define (attempt f) (try (f ()) (Stop 1) ((Wrong n text) (+ n (string-length text)))))
(line "stop" (attempt (fun (_) (raise Stop))))
(line "wrong" (attempt (fun (_) (+ 1 (raise (Wrong 5 "text"))))))
(line "nested" (attempt (fun (_) (try (try (raise (Wrong 7 "")) (Stop 0)) (Not_found 0)))))
(line "rule" (attempt (fun (_) (try (raise Not_found) (Not_found (raise Stop))))))
(line "division" (+ (try (/ 7 0) (Division_by_zero 1)) (try (mod 7 (- n n)) (Division_by_zero 2))))
(line "bounds" (+ (try (string-get "abc" 3) ((Invalid_argument _) 1)) (try (string-get "abc" -1) ((Invalid_argument _) 2))))
(line "match" (try (match (- n n) (1 1)) (Match_failure 4)))
(line "depth" (let ((deep n) (if (= n 0) (raise (Wrong 1 "")) (+ 1 (deep (- n 1))))) (attempt (fun (_) (deep n)))))

; Numbers, references and strings.
(let (big 4611686018427387903) (line "wrap" (+ big 1)))
(line "numbers" (+ (/ -7 2) (+ (mod -7 2) (+ (lsr -1 60) (asr -8 1)))))
(let (cell (ref 0))
  (let ((add n) (if (= n 0) (! cell) (let (_ (:= cell (+ (! cell) n))) (add (- n 1))))) (line "ref" (add 10))))
(let ((repeat n text) (if (= n 0) text (repeat (- n 1) (^ text text)))) (line "long" (string-length (repeat 12 "1"))))
(line "compare" (+ (if (string-equal "ab" "ab") 1 0) (if (< (string-compare "ab" "b") 0) 2 0)))
(print-line (substring "some text" 5 4))
(let (_ (try (print-line (failwith "failed")) ((Failure text) (print-line text)))) (raise Stop))
