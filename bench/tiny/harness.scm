;; Runs the work of a program as often as the first argument says, on data of the size of the second.
;; Prints milliseconds of each iteration, and the result.
(define-module (harness) #:export (run))

(define (run size work)
  (let* ((words (cdr (command-line)))
         (iterations (if (pair? words) (string->number (car words)) 1))
         (size (if (and (pair? words) (pair? (cdr words))) (string->number (cadr words)) size)))
    (let loop ((i 0) (result #f))
      (if (< i iterations)
          (let* ((start (get-internal-real-time))
                 (result (work size))
                 (ticks (- (get-internal-real-time) start)))
            (format #t "ms ~a\n" (exact->inexact (/ (* 1000 ticks) internal-time-units-per-second)))
            (loop (+ i 1) result))
          (format #t "result ~a\n" result)))))
