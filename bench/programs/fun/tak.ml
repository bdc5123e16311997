(* SPDX-License-Identifier: Apache-2.0

   Calls as arguments, and in tail position. *)
let rec tak x y z = if y < x then tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y) else z
let rec repeat n x = if n = 0 then 0 else tak x (x - 6) (n land 7) + repeat (n - 1) x
let () = print_int (repeat (int_of_string Sys.argv.(1)) (int_of_string Sys.argv.(2)))
