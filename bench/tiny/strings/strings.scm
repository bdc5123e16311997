;; Text is built from pieces, split into words, counted in a map, joined in order, and searched.
(use-modules (harness) (srfi srfi-13))

(define syllables #("ka" "to" "mi" "ren" "sul" "da" "pe" "lor"))

(define (make-word seed)
  (let loop ((j 0) (word ""))
    (if (= j (+ (remainder seed 3) 1))
        word
        (loop (+ j 1)
              (string-append word (vector-ref syllables (remainder (+ (quotient seed 8) (* j 3)) 8)))))))

(define (make-text words)
  (let loop ((i 0) (seed 42) (pieces '()))
    (if (= i words)
        (string-concatenate (reverse! pieces))
        (let* ((seed (remainder (+ (* seed 1309) 13849) 65536))
               (word (make-word seed)))
          (loop (+ i 1) seed (cons word (if (> i 0) (cons " " pieces) pieces)))))))

(define (counts-of text)
  (let ((counts (make-hash-table)))
    (for-each (lambda (word) (hash-set! counts word (+ 1 (hash-ref counts word 0))))
              (string-split text #\space))
    counts))

(define (vowels-of text)
  (let loop ((i 0) (count 0))
    (if (= i (string-length text))
        count
        (let ((c (string-ref text i)))
          (loop (+ i 1)
                (if (or (eqv? c #\a) (eqv? c #\e) (eqv? c #\i) (eqv? c #\o) (eqv? c #\u)) (+ count 1) count))))))

(define (replace text old new)
  (let loop ((start 0) (pieces '()))
    (let ((at (string-contains text old start)))
      (if at
          (loop (+ at (string-length old)) (cons* new (substring text start at) pieces))
          (string-concatenate (reverse! (cons (substring text start) pieces)))))))

(define (count-of text part)
  (let loop ((at (string-contains text part)) (count 0))
    (if at
        (loop (string-contains text part (+ at 3)) (+ count 1))
        count)))

(define (strings words)
  (let* ((text (make-text words))
         (counts (counts-of text))
         (names (sort (hash-map->list (lambda (name count) name) counts) string<?))
         (lines (map (lambda (name) (string-append name "=" (number->string (hash-ref counts name)))) names))
         (table (string-join lines ";"))
         (replaced (string-upcase (replace text "ka" "xyz"))))
    (format #f "~a ~a ~a ~a ~a ~a" (string-length text) (length names) (string-length table) (vowels-of text)
            (count-of replaced "XYZ") (substring table 0 30))))

(run 500000 strings)
