(* SPDX-License-Identifier: Apache-2.0
   Exceptions of OCaml, for bench/exceptions: DEPTH TIMES prints what exceptions.c does. *)
exception Raised of int

let raised = Raised 1

let[@inline never] rec descend n = if n = 0 then raise raised else n - descend (n - 1)

let run depth times =
  let sum = ref 0 in
  for _ = 1 to times do
    try ignore (Sys.opaque_identity (descend depth)) with Raised value -> sum := !sum + value
  done;
  !sum

let () =
  let depth = int_of_string Sys.argv.(1) and times = int_of_string Sys.argv.(2) in
  ignore (run depth 10);
  let before = Sys.time () in
  let sum = run depth times in
  Printf.printf "%.2f %d\n" (1e9 *. (Sys.time () -. before) /. float_of_int times) sum
