;; Permutations of 0..n-1 in an order of the Benchmarks Game; reversals of prefixes until 0 is first.
(use-modules (harness))

(define (swap! v i j)
  (let ((t (vector-ref v i)))
    (vector-set! v i (vector-ref v j))
    (vector-set! v j t)))

(define (flips-of p q n)
  (do ((i 1 (+ i 1))) ((= i n))
    (vector-set! q i (vector-ref p i)))
  (let loop ((first (vector-ref p 0)) (flips 1))
    (let ((next (vector-ref q first)))
      (if (= next 0)
          flips
          (begin
            (vector-set! q first first)
            (do ((i 1 (+ i 1)) (j (- first 1) (- j 1))) ((>= i j))
              (swap! q i j))
            (loop next (+ flips 1)))))))

;; The next permutation after an even one; false after the last.
(define (advance p left n)
  (swap! p 1 2)
  (let loop ((i 2))
    (cond ((not (= (vector-ref left i) 1))
           (vector-set! left i (- (vector-ref left i) 1))
           #t)
          ((= i (- n 1)) #f)
          (else
           (vector-set! left i (+ i 1))
           (let ((t (vector-ref p 0)))
             (do ((j 0 (+ j 1))) ((> j i))
               (vector-set! p j (vector-ref p (+ j 1))))
             (vector-set! p (+ i 1) t))
           (loop (+ i 1))))))

(define (fannkuch n)
  (let ((p (make-vector n 0)) (q (make-vector n 0)) (left (make-vector n 0)))
    (do ((i 0 (+ i 1))) ((= i n))
      (vector-set! p i i)
      (vector-set! left i (+ i 1)))
    (let loop ((sign 1) (checksum 0) (most 0))
      (let* ((flips (if (= (vector-ref p 0) 0) 0 (flips-of p q n)))
             (checksum (+ checksum (* sign flips)))
             (most (max most flips)))
        (cond ((= sign 1)
               (swap! p 0 1)
               (loop -1 checksum most))
              ((advance p left n) (loop 1 checksum most))
              (else (format #f "~a ~a" checksum most)))))))

(run 10 fannkuch)
