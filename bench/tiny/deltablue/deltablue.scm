;; A solver of one-way constraints with strengths (DeltaBlue, by Freeman-Benson and Maloney).
;; A constraint is a record with its kind: stay, edit, equality, scale.
(use-modules (harness) (srfi srfi-1) (srfi srfi-9))

;; Strengths: the smaller is the stronger.
(define required 0)
(define preferred 2)
(define strong-default 3)
(define normal 4)
(define weakest 6)

;; The constraints of a variable are newest first.
(define-record-type variable
  (new-variable value constraints determined-by mark strength stay)
  variable?
  (value value set-value!) (constraints constraints set-constraints!) (determined-by determined-by set-determined-by!)
  (mark variable-mark set-mark!) (strength walk set-walk!) (stay stay? set-stay!))

(define (make-variable value) (new-variable value '() #f 0 weakest #t))

(define-record-type constraint
  (new-constraint kind strength planner first second scale offset direction)
  constraint?
  (kind kind) (strength strength) (planner planner) (first v1) (second v2) (scale scale) (offset offset)
  (direction direction set-direction!))

;; The direction of a stay or edit constraint is forward if it holds.
(define (unary? c) (not (v2 c)))
(define (satisfied? c) (not (eq? (direction c) 'none)))
(define (input? c) (eq? (kind c) 'edit))
(define (input c) (if (eq? (direction c) 'forward) (v1 c) (v2 c)))
(define (output c) (if (or (unary? c) (eq? (direction c) 'backward)) (v1 c) (v2 c)))

(define (for-variables c action)
  (action (v1 c))
  (if (v2 c) (action (v2 c)))
  (if (scale c)
      (begin
        (action (scale c))
        (action (offset c)))))

(define (enter c)
  (for-variables c (lambda (v) (set-constraints! v (cons c (constraints v)))))
  (set-direction! c 'none))

(define (leave c)
  (for-variables c (lambda (v)
                     (set-constraints! v (filter (lambda (other) (not (eq? other c))) (constraints v)))
                     (if (eq? (determined-by v) c) (set-determined-by! v #f))))
  (set-direction! c 'none))

(define (choose c mark)
  (let ((first (v1 c)) (second (v2 c)) (strength (strength c)))
    (set-direction!
     c
     (cond ((unary? c)
            (if (and (not (= (variable-mark first) mark)) (< strength (walk first))) 'forward 'none))
           ((= (variable-mark first) mark)
            (if (and (not (= (variable-mark second) mark)) (< strength (walk second))) 'forward 'none))
           ((= (variable-mark second) mark)
            (if (< strength (walk first)) 'backward 'none))
           ((> (walk first) (walk second))
            (if (< strength (walk first)) 'backward 'none))
           (else
            (if (< strength (walk second)) 'forward 'none))))))

(define (mark-inputs c mark)
  (if (not (unary? c)) (set-mark! (input c) mark))
  (if (scale c)
      (begin
        (set-mark! (scale c) mark)
        (set-mark! (offset c) mark))))

(define (inputs-known? c mark)
  (or (unary? c)
      (let ((in (input c)))
        (or (= (variable-mark in) mark) (stay? in) (not (determined-by in))))))

(define (execute c)
  (case (kind c)
    ((equality) (set-value! (output c) (value (input c))))
    ((scale)
     (if (eq? (direction c) 'forward)
         (set-value! (v2 c) (+ (* (value (v1 c)) (value (scale c))) (value (offset c))))
         (set-value! (v1 c) (/ (- (value (v2 c)) (value (offset c))) (value (scale c))))))))

(define (recalculate c)
  (let ((out (output c)))
    (if (unary? c)
        (begin
          (set-walk! out (strength c))
          (set-stay! out (not (input? c))))
        (let ((in (input c)))
          (set-walk! out (max (strength c) (walk in)))
          (set-stay! out (and (stay? in) (or (not (scale c)) (and (stay? (scale c)) (stay? (offset c))))))))
    (if (stay? out) (execute c))))

;; Makes the constraint hold if it can; the constraint that it takes the place of, or #f.
(define (satisfy c mark)
  (choose c mark)
  (if (satisfied? c)
      (begin
        (mark-inputs c mark)
        (let* ((out (output c)) (overridden (determined-by out)))
          (if overridden (set-direction! overridden 'none))
          (set-determined-by! out c)
          (if (not (propagate (planner c) c mark)) (error "a cycle"))
          (set-mark! out mark)
          overridden))
      (begin
        (if (= (strength c) required) (error "a required constraint fails"))
        #f)))

(define (post c)
  (enter c)
  (add (planner c) c)
  c)

(define (make-stay v strength p) (post (new-constraint 'stay strength p v #f #f #f 'none)))
(define (make-edit v strength p) (post (new-constraint 'edit strength p v #f #f #f 'none)))
(define (make-equality a b strength p) (post (new-constraint 'equality strength p a b #f #f 'none)))
(define (make-scale a scale offset b strength p) (post (new-constraint 'scale strength p a b scale offset 'none)))

(define (destroy c)
  (if (satisfied? c)
      (remove-constraint (planner c) c)
      (leave c)))

;; A planner is a box with the newest mark.
(define (make-planner) (list 0))

(define (new-mark p)
  (set-car! p (+ (car p) 1))
  (car p))

(define (add p c)
  (let ((mark (new-mark p)))
    (let loop ((c c))
      (let ((overridden (satisfy c mark)))
        (if overridden (loop overridden))))))

(define (remove-constraint p c)
  (let ((out (output c)))
    (set-direction! c 'none)
    (leave c)
    (let ((unsatisfied (reset-from out)))
      (do ((level required (+ level 1))) ((= level weakest))
        (for-each (lambda (c) (if (= (strength c) level) (add p c))) unsatisfied)))))

;; `todo` and the constraints that `v` feeds.
(define (add-consumers v todo)
  (let ((determining (determined-by v)))
    (let loop ((cs (constraints v)) (todo todo))
      (if (null? cs)
          todo
          (loop (cdr cs)
                (let ((c (car cs)))
                  (if (and (not (eq? c determining)) (satisfied? c)) (cons c todo) todo)))))))

(define (make-plan p sources)
  (let ((mark (new-mark p)))
    (let loop ((todo sources) (plan '()))
      (if (null? todo)
          (reverse! plan)
          (let* ((c (car todo)) (out (output c)))
            (if (and (not (= (variable-mark out) mark)) (inputs-known? c mark))
                (begin
                  (set-mark! out mark)
                  (loop (add-consumers out (cdr todo)) (cons c plan)))
                (loop (cdr todo) plan)))))))

;; #f at a cycle.
(define (propagate p constraint mark)
  (let loop ((todo (list constraint)))
    (or (null? todo)
        (let* ((c (car todo)) (out (output c)))
          (if (= (variable-mark out) mark)
              (begin
                (remove-constraint p constraint)
                #f)
              (begin
                (recalculate c)
                (loop (add-consumers out (cdr todo)))))))))

;; Without a constraint that determines `out`: the constraints downstream that do not hold.
(define (reset-from out)
  (set-determined-by! out #f)
  (set-walk! out weakest)
  (set-stay! out #t)
  (let loop ((todo (list out)) (unsatisfied '()))
    (if (null? todo)
        (reverse! unsatisfied)
        (let* ((v (car todo))
               (unsatisfied (fold (lambda (c list) (if (satisfied? c) list (cons c list)))
                                  unsatisfied (constraints v))))
          (loop (fold (lambda (c todo)
                        (if (and (not (eq? c (determined-by v))) (satisfied? c))
                            (begin
                              (recalculate c)
                              (cons (output c) todo))
                            todo))
                      (cdr todo) (constraints v))
                unsatisfied)))))

(define (sources-of cs)
  (filter (lambda (c) (and (input? c) (satisfied? c))) cs))

(define (execute-plan plan) (for-each execute plan))

;; A chain of equalities with an edit at one end.
(define (chain n)
  (let* ((p (make-planner)) (first (make-variable 0)))
    (let loop ((i 0) (last first))
      (if (< i n)
          (let ((next (make-variable 0)))
            (make-equality last next required p)
            (loop (+ i 1) next))
          (begin
            (make-stay last strong-default p)
            (let ((plan (make-plan p (sources-of (list (make-edit first preferred p))))))
              (let sums ((i 0) (sum 0))
                (if (= i 100)
                    sum
                    (begin
                      (set-value! first i)
                      (execute-plan plan)
                      (if (not (= (value last) i)) (error "chain"))
                      (sums (+ i 1) (+ sum (value last))))))))))))

(define (change v new p)
  (let* ((edit (make-edit v preferred p))
         (plan (make-plan p (sources-of (list edit)))))
    (do ((i 0 (+ i 1))) ((= i 10))
      (set-value! v new)
      (execute-plan plan))
    (destroy edit)))

;; Two sets of variables, each of one a linear function of one of the other.
(define (projection n)
  (let ((p (make-planner)) (scale (make-variable 10)) (offset (make-variable 1000)) (targets (make-vector n #f)))
    (let loop ((i 0) (source #f) (target #f))
      (if (< i n)
          (let ((source (make-variable i)) (target (make-variable i)))
            (vector-set! targets i target)
            (make-stay source normal p)
            (make-scale source scale offset target required p)
            (loop (+ i 1) source target))
          (begin
            (change source 17 p)
            (if (not (= (value target) 1170)) (error "projection 1"))
            (change target 1050 p)
            (if (not (= (value source) 5)) (error "projection 2"))
            (change scale 5 p)
            (do ((i 0 (+ i 1))) ((= i (- n 1)))
              (if (not (= (value (vector-ref targets i)) (+ (* i 5) 1000))) (error "projection 3")))
            (change offset 2000 p)
            (let sums ((i 0) (sum 0))
              (if (= i (- n 1))
                  sum
                  (let ((v (value (vector-ref targets i))))
                    (if (not (= v (+ (* i 5) 2000))) (error "projection 4"))
                    (sums (+ i 1) (+ sum v))))))))))

(define (deltablue runs)
  (let loop ((i 0) (sum 0))
    (if (= i runs)
        (format #f "~a" sum)
        (loop (+ i 1) (+ sum (chain 100) (projection 100))))))

(run 150 deltablue)
