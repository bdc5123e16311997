(* SPDX-License-Identifier: Apache-2.0
   Exceptions of OCaml, for bench/exceptions: KIND DEPTH TIMES prints the same as exceptions.c, with the activations of
   descend.c. *)
exception Raised of int

let raised = Raised 1

let[@inline never] rec one n = if n = 0 then raise raised else n - one (n - 1)

let[@inline never] rec turn_a n = if n = 0 then raise raised else n - turn_b (n - 1)
and[@inline never] turn_b n = if n = 0 then raise raised else (3 * n) - turn_c (n - 1)
and[@inline never] turn_c n = if n = 0 then raise raised else (5 * n) - turn_d (n - 1)
and[@inline never] turn_d n = if n = 0 then raise raised else (7 * n) - turn_a (n - 1)

(* Numbers of 63 bits: the upper two of the low 62 choose. *)
let next seed = (seed * 6364136223846793) + 1442695040888963407

let[@inline never] rec random_a n seed =
  if n = 0 then raise raised
  else
    let seed = next seed in
    match (seed lsr 60) land 3 with
    | 0 -> n - random_a (n - 1) seed
    | 1 -> n - random_b (n - 1) seed
    | 2 -> n - random_c (n - 1) seed
    | _ -> n - random_d (n - 1) seed

and[@inline never] random_b n seed =
  if n = 0 then raise raised
  else
    let seed = next seed in
    match (seed lsr 60) land 3 with
    | 0 -> (3 * n) - random_a (n - 1) seed
    | 1 -> (3 * n) - random_b (n - 1) seed
    | 2 -> (3 * n) - random_c (n - 1) seed
    | _ -> (3 * n) - random_d (n - 1) seed

and[@inline never] random_c n seed =
  if n = 0 then raise raised
  else
    let seed = next seed in
    match (seed lsr 60) land 3 with
    | 0 -> (5 * n) - random_a (n - 1) seed
    | 1 -> (5 * n) - random_b (n - 1) seed
    | 2 -> (5 * n) - random_c (n - 1) seed
    | _ -> (5 * n) - random_d (n - 1) seed

and[@inline never] random_d n seed =
  if n = 0 then raise raised
  else
    let seed = next seed in
    match (seed lsr 60) land 3 with
    | 0 -> (7 * n) - random_a (n - 1) seed
    | 1 -> (7 * n) - random_b (n - 1) seed
    | 2 -> (7 * n) - random_c (n - 1) seed
    | _ -> (7 * n) - random_d (n - 1) seed

let[@inline never] descend kind n seed =
  if kind = 0 then one n else if kind = 1 then turn_a n else random_a n seed

let run kind depth times =
  let sum = ref 0 in
  for i = 1 to times do
    try ignore (Sys.opaque_identity (descend kind depth i)) with Raised value -> sum := !sum + value
  done;
  !sum

let () =
  let kind = int_of_string Sys.argv.(1) and depth = int_of_string Sys.argv.(2) and times = int_of_string Sys.argv.(3) in
  ignore (run kind depth 10);
  let before = Sys.time () in
  let sum = run kind depth times in
  Printf.printf "%.2f %d\n" (1e9 *. (Sys.time () -. before) /. float_of_int times) sum
