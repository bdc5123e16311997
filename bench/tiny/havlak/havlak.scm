;; Nested loops of control-flow graphs, reducible and irreducible ones (Havlak's algorithm).
(use-modules (harness) (srfi srfi-9))

(define-record-type block
  (make-block name sources targets)
  block?
  (name name) (sources sources set-sources!) (targets targets set-targets!))

;; A vector that grows.
(define-record-type buffer (new-buffer items count) buffer? (items items set-items!) (count count set-count!))
(define (make-buffer) (new-buffer (make-vector 4 #f) 0))
(define-inlinable (at buffer i) (vector-ref (items buffer) i))

(define (push! buffer value)
  (let ((n (count buffer)))
    (if (= n (vector-length (items buffer)))
        (let ((longer (make-vector (* 2 n) #f)))
          (vector-move-left! (items buffer) 0 n longer 0)
          (set-items! buffer longer)))
    (vector-set! (items buffer) n value)
    (set-count! buffer (+ n 1))))

(define-inlinable (each buffer visit)
  (let loop ((i 0))
    (if (< i (count buffer))
        (begin
          (visit (at buffer i))
          (loop (+ i 1))))))

(define (has? buffer value)
  (let loop ((i 0))
    (and (< i (count buffer))
         (or (eqv? (at buffer i) value) (loop (+ i 1))))))

(define (node graph name)
  (if (<= (count graph) name)
      (begin
        (push! graph (make-block (count graph) (make-buffer) (make-buffer)))
        (node graph name))
      (at graph name)))

(define (edge graph a b)
  (let* ((source (node graph a)) (target (node graph b)))
    (push! (targets source) target)
    (push! (sources target) source)))

(define (diamond graph start)
  (edge graph start (+ start 1))
  (edge graph start (+ start 2))
  (edge graph (+ start 1) (+ start 3))
  (edge graph (+ start 2) (+ start 3))
  (+ start 3))

(define (straight graph start count)
  (do ((i 0 (+ i 1))) ((= i count) (+ start count))
    (edge graph (+ start i) (+ start i 1))))

(define (base-loop graph start)
  (let* ((header (straight graph start 1))
         (first (diamond graph header))
         (middle (straight graph first 1))
         (second (diamond graph middle))
         (footer (straight graph second 1)))
    (edge graph second middle)
    (edge graph first header)
    (edge graph footer start)
    (straight graph footer 1)))

(define-record-type loop-record
  (make-loop reducible? parent blocks)
  loop?
  (reducible? loop-reducible?) (parent loop-parent set-loop-parent!) (blocks loop-blocks))

(define (depth loop)
  (if (loop-parent loop)
      (+ 1 (depth (loop-parent loop)))
      1))

;; A block in the order of the search, and the set of blocks that it belongs to.
(define-record-type node-record
  (make-node block number parent loop)
  node?
  (block node-block) (number node-number) (parent node-parent set-node-parent!) (loop node-loop set-node-loop!))

(define (root-of node)
  (let ((root (let up ((n node)) (if (node-parent n) (up (node-parent n)) n))))
    (let compress ((n node))
      (if (not (eq? n root))
          (let ((next (node-parent n)))
            (set-node-parent! n root)
            (compress next))))
    root))

(define-record-type finder
  (new-finder graph loops nodes number last types back others)
  finder?
  (graph graph) (loops loops) (nodes nodes) (number number) (last last) (types types) (back back) (others others))

(define (make-finder graph)
  (let* ((n (count graph)) (back (make-vector n #f)) (others (make-vector n #f)))
    (do ((i 0 (+ i 1))) ((= i n))
      (vector-set! back i (make-buffer))
      (vector-set! others i (make-buffer)))
    (new-finder graph (make-buffer) (make-buffer) (make-vector n -1) (make-vector n 0) (make-vector n 'non-header)
                back others)))

(define (search f block)
  (let ((n (count (nodes f))))
    (vector-set! (number f) (name block) n)
    (push! (nodes f) (make-node block n #f #f))
    (each (targets block)
          (lambda (target)
            (if (= (vector-ref (number f) (name target)) -1) (search f target))))
    (vector-set! (last f) n (- (count (nodes f)) 1))))

(define (ancestor? f w v) (and (<= w v) (<= v (vector-ref (last f) w))))

(define (classify f)
  (do ((w 0 (+ w 1))) ((= w (count (nodes f))))
    (each (sources (node-block (at (nodes f) w)))
          (lambda (source)
            (let ((v (vector-ref (number f) (name source))))
              (if (not (= v -1))
                  (push! (vector-ref (if (ancestor? f w v) (back f) (others f)) w) v)))))))

;; The nodes from which w is reached by a back edge, and the nodes between.
(define (pool-of f w)
  (let ((pool (make-buffer)))
    (each (vector-ref (back f) w)
          (lambda (v)
            (if (= v w)
                (vector-set! (types f) w 'self)
                (push! pool (root-of (at (nodes f) v))))))
    (if (> (count pool) 0) (vector-set! (types f) w 'reducible))
    (each pool
          (lambda (x)
            (each (vector-ref (others f) (node-number x))
                  (lambda (v)
                    (let ((y (root-of (at (nodes f) v))))
                      (cond ((not (ancestor? f w (node-number y)))
                             (vector-set! (types f) w 'irreducible)
                             (if (not (has? (vector-ref (others f) w) (node-number y)))
                                 (push! (vector-ref (others f) w) (node-number y))))
                            ((and (not (= (node-number y) w)) (not (has? pool y)))
                             (push! pool y))))))))
    pool))

(define (find-loops f)
  (search f (at (graph f) 0))
  (classify f)
  (do ((w (- (count (nodes f)) 1) (- w 1))) ((< w 0))
    (let ((pool (pool-of f w)))
      (let ((type (vector-ref (types f) w)) (header (at (nodes f) w)))
        (if (or (> (count pool) 0) (eq? type 'self))
            (let ((loop (make-loop (not (eq? type 'irreducible)) #f (make-buffer))))
              (push! (loops f) loop)
              (set-node-loop! header loop)
              (push! (loop-blocks loop) (node-block header))
              (each pool
                    (lambda (node)
                      (set-node-parent! node header)
                      (if (node-loop node)
                          (set-loop-parent! (node-loop node) loop)
                          (push! (loop-blocks loop) (node-block node))))))))))
  (loops f))

(define (make-graph)
  (let ((graph (make-buffer)))
    (base-loop graph 0)
    (edge graph 0 2)
    (let tops ((i 0) (n (- (count graph) 1)))
      (if (< i 4)
          (begin
            (edge graph 2 (+ n 1))
            (let nests ((j 0) (n (+ n 1)))
              (if (< j 10)
                  (let inner ((k 0) (m (straight graph n 1)))
                    (if (< k 5)
                        (inner (+ k 1) (base-loop graph m))
                        (let ((bottom (straight graph m 1)))
                          (edge graph m n)
                          (nests (+ j 1) bottom))))
                  (begin
                    (edge graph n 1)
                    (tops (+ i 1) n)))))))
    graph))

(define (havlak runs)
  (let ((graph (make-graph)) (loop-count 0) (block-count 0) (depths 0) (irreducible 0))
    (do ((i 0 (+ i 1))) ((= i runs))
      (each (find-loops (make-finder graph))
            (lambda (loop)
              (set! loop-count (+ loop-count 1))
              (set! block-count (+ block-count (count (loop-blocks loop))))
              (set! depths (+ depths (depth loop)))
              (if (not (loop-reducible? loop)) (set! irreducible (+ irreducible 1))))))
    (format #f "~a ~a ~a ~a ~a" (count graph) loop-count block-count depths irreducible)))

(run 150 havlak)
