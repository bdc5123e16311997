(* SPDX-License-Identifier: Apache-2.0

   Calls of a known function. *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () = print_int (fib (int_of_string Sys.argv.(1)))
