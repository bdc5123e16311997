(* SPDX-License-Identifier: Apache-2.0

   Deep recursion: lists of many elements, made and changed by functions that are not in tail position. *)
let rec range i n = if i = n then [] else i :: range (i + 1) n
let rec map f list = match list with [] -> [] | x :: rest -> f x :: map f rest
let rec append a b = match a with [] -> b | x :: rest -> x :: append rest b
let rec filter f list = match list with [] -> [] | x :: rest -> if f x then x :: filter f rest else filter f rest
let rec sum list = match list with [] -> 0 | x :: rest -> x + sum rest

let rec repeat n length total =
  if n = 0 then total
  else
    let list = range 0 length in
    let odd = filter (fun x -> x land 1 = 1) (map (fun x -> (x * 3) + n) list) in
    repeat (n - 1) length ((total + sum (append odd list)) land 1073741823)

let () = print_int (repeat (int_of_string Sys.argv.(1)) (int_of_string Sys.argv.(2)) 0)
