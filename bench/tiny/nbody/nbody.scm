;; The sun and four planets, stepped by a symplectic integrator (the Benchmarks Game's).
(use-modules (harness) (srfi srfi-9))

(define day 365.24)
(define pi 3.141592653589793)
(define solar-mass (* 4 pi pi))

(define-record-type body
  (new-body x y z vx vy vz mass)
  body?
  (x x set-x!) (y y set-y!) (z z set-z!)
  (vx vx set-vx!) (vy vy set-vy!) (vz vz set-vz!)
  (mass mass))

(define (make-body x y z vx vy vz mass)
  (new-body x y z (* vx day) (* vy day) (* vz day) (* mass solar-mass)))

(define (make-bodies)
  (vector
   (make-body 0.0 0.0 0.0 0.0 0.0 0.0 1.0)
   (make-body 4.84143144246472090 -1.16032004402742839 -0.103622044471123109
              0.00166007664274403694 0.00769901118419740425 -0.0000690460016972063023 0.000954791938424326609)
   (make-body 8.34336671824457987 4.12479856412430479 -0.403523417114321381
              -0.00276742510726411 0.00499852801234917238 0.0000230417297573763929 0.000285885980666130812)
   (make-body 12.8943695621391310 -15.1111514016986312 -0.223307578892655734
              0.00296460137564761618 0.00237847173959480950 -0.0000296589568540237556 0.0000436624404335156298)
   (make-body 15.3796971148509165 -25.9193146099879641 0.179258772950371181
              0.00268067772490389322 0.00162824170038242295 -0.0000951592254519715870 0.0000515138902046611451)))

(define (offset-momentum bodies)
  (let loop ((i 0) (px 0.0) (py 0.0) (pz 0.0))
    (if (< i (vector-length bodies))
        (let ((b (vector-ref bodies i)))
          (loop (+ i 1) (+ px (* (vx b) (mass b))) (+ py (* (vy b) (mass b))) (+ pz (* (vz b) (mass b)))))
        (let ((sun (vector-ref bodies 0)))
          (set-vx! sun (/ (- px) solar-mass))
          (set-vy! sun (/ (- py) solar-mass))
          (set-vz! sun (/ (- pz) solar-mass))))))

(define (advance bodies dt)
  (define count (vector-length bodies))
  (do ((i 0 (+ i 1))) ((= i count))
    (let ((a (vector-ref bodies i)))
      (do ((j (+ i 1) (+ j 1))) ((= j count))
        (let* ((b (vector-ref bodies j))
               (dx (- (x a) (x b)))
               (dy (- (y a) (y b)))
               (dz (- (z a) (z b)))
               (square (+ (* dx dx) (* dy dy) (* dz dz)))
               (magnitude (/ dt (* square (sqrt square))))
               (ma (* (mass a) magnitude))
               (mb (* (mass b) magnitude)))
          (set-vx! a (- (vx a) (* dx mb)))
          (set-vy! a (- (vy a) (* dy mb)))
          (set-vz! a (- (vz a) (* dz mb)))
          (set-vx! b (+ (vx b) (* dx ma)))
          (set-vy! b (+ (vy b) (* dy ma)))
          (set-vz! b (+ (vz b) (* dz ma)))))))
  (do ((i 0 (+ i 1))) ((= i count))
    (let ((b (vector-ref bodies i)))
      (set-x! b (+ (x b) (* dt (vx b))))
      (set-y! b (+ (y b) (* dt (vy b))))
      (set-z! b (+ (z b) (* dt (vz b)))))))

(define (energy bodies)
  (define count (vector-length bodies))
  (let outer ((i 0) (e 0.0))
    (if (= i count)
        e
        (let* ((a (vector-ref bodies i))
               (e (+ e (* 0.5 (mass a) (+ (* (vx a) (vx a)) (* (vy a) (vy a)) (* (vz a) (vz a)))))))
          (let inner ((j (+ i 1)) (e e))
            (if (= j count)
                (outer (+ i 1) e)
                (let* ((b (vector-ref bodies j))
                       (dx (- (x a) (x b)))
                       (dy (- (y a) (y b)))
                       (dz (- (z a) (z b))))
                  (inner (+ j 1)
                         (- e (/ (* (mass a) (mass b)) (sqrt (+ (* dx dx) (* dy dy) (* dz dz)))))))))))))

;; A number with nine decimals.
(define (fixed-9 number)
  (let* ((digits (inexact->exact (round (* (abs number) 1e9))))
         (fraction (number->string (remainder digits 1000000000))))
    (string-append (if (negative? number) "-" "") (number->string (quotient digits 1000000000)) "."
                   (make-string (- 9 (string-length fraction)) #\0) fraction)))

(define (nbody steps)
  (let ((bodies (make-bodies)))
    (offset-momentum bodies)
    (do ((i 0 (+ i 1))) ((= i steps))
      (advance bodies 0.01))
    (fixed-9 (energy bodies))))

(run 150000 nbody)
