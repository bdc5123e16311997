(* SPDX-License-Identifier: Apache-2.0

   Exceptions: a search that ends by one, a product that meets a zero deep in the recursion, and none at all. *)
exception Found of int

let rec find (x : int) list =
  match list with [] -> raise Not_found | (key, value) :: rest -> if key = x then value else find x rest

let find_or list default x = try find x list with Not_found -> default

let rec product list =
  match list with [] -> 1 | x :: rest -> if x = 0 then raise (Found 0) else x * product rest land 65535

let safe_product list = try product list with Found n -> n
let rec table n = if n = 0 then [] else (n * 2, n) :: table (n - 1)
let rec numbers n last = if n = 0 then [ last ] else n :: numbers (n - 1) last

let rec repeat n list with_zero without_zero total =
  if n = 0 then total
  else
    repeat (n - 1) list with_zero without_zero
      ((total + find_or list 1 (n land 31) + safe_product with_zero + safe_product without_zero) land 1073741823)

let () = print_int (repeat (int_of_string Sys.argv.(1)) (table 16) (numbers 40 0) (numbers 40 1) 0)
