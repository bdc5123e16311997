;; The spectral norm of an infinite matrix, by power iterations (the Benchmarks Game's).
(use-modules (harness))

(define (element i j)
  (let ((sum (+ i j)))
    (/ 1.0 (+ (quotient (* sum (+ sum 1)) 2) i 1))))

(define (multiply v result n)
  (do ((i 0 (+ i 1))) ((= i n))
    (vector-set! result i
                 (let loop ((j 0) (sum 0.0))
                   (if (= j n) sum (loop (+ j 1) (+ sum (* (element i j) (vector-ref v j)))))))))

(define (multiply-transposed v result n)
  (do ((i 0 (+ i 1))) ((= i n))
    (vector-set! result i
                 (let loop ((j 0) (sum 0.0))
                   (if (= j n) sum (loop (+ j 1) (+ sum (* (element j i) (vector-ref v j)))))))))

;; A number with nine decimals.
(define (fixed-9 number)
  (let* ((digits (inexact->exact (round (* number 1e9))))
         (fraction (number->string (remainder digits 1000000000))))
    (string-append (number->string (quotient digits 1000000000)) "."
                   (make-string (- 9 (string-length fraction)) #\0) fraction)))

(define (spectral-norm n)
  (let ((u (make-vector n 1.0)) (v (make-vector n 0.0)) (t (make-vector n 0.0)))
    (do ((i 0 (+ i 1))) ((= i 10))
      (multiply u t n)
      (multiply-transposed t v n)
      (multiply v t n)
      (multiply-transposed t u n))
    (let loop ((i 0) (dot 0.0) (square 0.0))
      (if (= i n)
          (fixed-9 (sqrt (/ dot square)))
          (loop (+ i 1)
                (+ dot (* (vector-ref u i) (vector-ref v i)))
                (+ square (* (vector-ref v i) (vector-ref v i))))))))

(run 400 spectral-norm)
