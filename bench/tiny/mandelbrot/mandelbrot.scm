;; The points of a grid that stay in the Mandelbrot set for 50 iterations; a hash of the image's bits.
(use-modules (harness))

(define (stays cr ci)
  (let loop ((i 0) (zr 0.0) (zi 0.0) (rr 0.0) (ii 0.0))
    (if (= i 50)
        1
        (let* ((zi (+ (* 2.0 zr zi) ci))
               (zr (+ (- rr ii) cr))
               (rr (* zr zr))
               (ii (* zi zi)))
          (if (> (+ rr ii) 4.0) 0 (loop (+ i 1) zr zi rr ii))))))

(define (mandelbrot n)
  (let rows ((y 0) (hash 0) (count 0))
    (if (= y n)
        (format #f "~a ~a" count hash)
        (let ((ci (- (/ (* 2.0 y) n) 1.0)))
          (let columns ((x 0) (hash hash) (count count))
            (if (= x n)
                (rows (+ y 1) hash count)
                (let ((bit (stays (- (/ (* 2.0 x) n) 1.5) ci)))
                  (columns (+ x 1) (remainder (+ (* hash 2) bit) 1000003) (+ count bit)))))))))

(run 800 mandelbrot)
