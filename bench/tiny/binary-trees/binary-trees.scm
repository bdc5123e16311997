;; Many short-lived trees beside one that stays (the Benchmarks Game's).
(use-modules (harness) (srfi srfi-9))

(define-record-type tree (make-tree left right) tree? (left left) (right right))

(define (count tree)
  (if (left tree)
      (+ 1 (count (left tree)) (count (right tree)))
      1))

(define (make depth)
  (if (= depth 0)
      (make-tree #f #f)
      (make-tree (make (- depth 1)) (make (- depth 1)))))

(define (binary-trees deepest)
  (let* ((result (number->string (count (make (+ deepest 1)))))
         (kept (make deepest)))
    (let loop ((depth 4) (result result))
      (if (> depth deepest)
          (format #f "~a ~a" result (count kept))
          (let sums ((i (ash 1 (+ (- deepest depth) 4))) (sum 0))
            (if (= i 0)
                (loop (+ depth 4) (format #f "~a ~a" result sum))
                (sums (- i 1) (+ sum (count (make depth))))))))))

(run 15 binary-trees)
