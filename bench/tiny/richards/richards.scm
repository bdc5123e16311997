;; The kernel of an operating system in small (Martin Richards): tasks send packets to each other.
;; The work of a task is a closure.
(use-modules (harness) (srfi srfi-9))

(define idle 0)
(define worker 1)
(define handler-a 2)
(define handler-b 3)
(define device-a 4)
(define device-b 5)

(define-record-type packet
  (new-packet link id kind datum data)
  packet?
  (link link set-link!) (id packet-id set-packet-id!) (kind kind) (datum datum set-datum!) (data data))

;; The queue with this packet at its end.
(define (append-to packet queue)
  (set-link! packet #f)
  (if queue
      (let loop ((last queue))
        (if (link last)
            (loop (link last))
            (begin (set-link! last packet) queue)))
      packet))

(define-record-type task
  (new-task next id priority queue work held suspended runnable)
  task?
  (next next) (id task-id) (priority priority) (queue queue set-queue!) (work work)
  (held held? set-held!) (suspended suspended? set-suspended!) (runnable runnable? set-runnable!))

(define (blocked? task)
  (or (held? task) (and (suspended? task) (not (runnable? task)))))

(define (run-task task)
  (if (and (suspended? task) (runnable? task) (not (held? task)))
      (let ((packet (queue task)))
        (set-queue! task (link packet))
        (set-suspended! task #f)
        (set-runnable! task (and (queue task) #t))
        ((work task) packet))
      ((work task) #f)))

(define (add-packet task current packet)
  (cond ((queue task)
         (set-queue! task (append-to packet (queue task)))
         current)
        (else
         (set-queue! task packet)
         (set-runnable! task #t)
         (if (> (priority task) (priority current)) task current))))

(define-record-type scheduler
  (new-scheduler queued held tasks list current)
  scheduler?
  (queued queued set-queued!) (held held-count set-held-count!) (tasks tasks)
  (list task-list set-task-list!) (current current set-current!))

(define (add-task s id priority queue work)
  (let ((task (new-task (task-list s) id priority queue work #f #t (and queue #t))))
    (set-current! s task)
    (set-task-list! s task)
    (vector-set! (tasks s) id task)))

(define (schedule s)
  (set-current! s (task-list s))
  (let loop ()
    (let ((task (current s)))
      (if task
          (begin
            (set-current! s (if (blocked? task) (next task) (run-task task)))
            (loop))))))

(define (release s id)
  (let ((task (vector-ref (tasks s) id)))
    (set-held! task #f)
    (if (> (priority task) (priority (current s))) task (current s))))

(define (hold s)
  (set-held-count! s (+ (held-count s) 1))
  (set-held! (current s) #t)
  (next (current s)))

(define (suspend s)
  (set-suspended! (current s) #t)
  (current s))

(define (send s packet)
  (let ((task (vector-ref (tasks s) (packet-id packet))))
    (set-queued! s (+ (queued s) 1))
    (set-link! packet #f)
    (set-packet-id! packet (task-id (current s)))
    (add-packet task (current s) packet)))

(define (make-idle s count)
  (let ((seed 1))
    (lambda (packet)
      (set! count (- count 1))
      (cond ((= count 0) (hold s))
            ((even? seed)
             (set! seed (quotient seed 2))
             (release s device-a))
            (else
             (set! seed (logxor (quotient seed 2) #xd008))
             (release s device-b))))))

(define (make-device s)
  (let ((pending #f))
    (lambda (packet)
      (cond (packet
             (set! pending packet)
             (hold s))
            (pending
             (let ((packet pending))
               (set! pending #f)
               (send s packet)))
            (else (suspend s))))))

(define (make-worker s)
  (let ((destination handler-a) (letter 0))
    (lambda (packet)
      (cond (packet
             (set! destination (if (= destination handler-a) handler-b handler-a))
             (set-packet-id! packet destination)
             (set-datum! packet 0)
             (do ((i 0 (+ i 1))) ((= i 4))
               (set! letter (+ letter 1))
               (if (> letter 26) (set! letter 1))
               (vector-set! (data packet) i letter))
             (send s packet))
            (else (suspend s))))))

(define (make-handler s)
  (let ((work #f) (devices #f))
    (lambda (packet)
      (if packet
          (if (eq? (kind packet) 'work)
              (set! work (append-to packet work))
              (set! devices (append-to packet devices))))
      (cond ((and work (>= (datum work) 4))
             (let ((packet work))
               (set! work (link packet))
               (send s packet)))
            ((and work devices)
             (let ((device devices) (count (datum work)))
               (set! devices (link device))
               (set-datum! device (vector-ref (data work) count))
               (set-datum! work (+ count 1))
               (send s device)))
            (else (suspend s))))))

(define (packets count id kind)
  (let loop ((i 0) (queue #f))
    (if (= i count)
        queue
        (loop (+ i 1) (new-packet queue id kind 0 (make-vector 4 0))))))

(define (richards runs)
  (let loop ((i 0) (queued-sum 0) (held-sum 0))
    (if (= i runs)
        (format #f "~a ~a" queued-sum held-sum)
        (let ((s (new-scheduler 0 0 (make-vector 6 #f) #f #f)))
          (add-task s idle 0 #f (make-idle s 1000))
          (set-suspended! (current s) #f)
          (add-task s worker 1000 (packets 2 worker 'work) (make-worker s))
          (add-task s handler-a 2000 (packets 3 device-a 'device) (make-handler s))
          (add-task s handler-b 3000 (packets 3 device-b 'device) (make-handler s))
          (add-task s device-a 4000 #f (make-device s))
          (add-task s device-b 5000 #f (make-device s))
          (schedule s)
          (loop (+ i 1) (+ queued-sum (queued s)) (+ held-sum (held-count s)))))))

(run 150 richards)
