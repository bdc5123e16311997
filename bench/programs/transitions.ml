(* SPDX-License-Identifier: Apache-2.0

   OCaml's calls of native code, for bench/transitions, `transitions TURNS`: nanoseconds for each, one line per kind. The
   callee and the clock are those of transitions_native.c, and integers are passed as C has them. *)
external normal : (int[@untagged]) -> (int[@untagged]) = "native_unused" "native_known"
external noalloc : (int[@untagged]) -> (int[@untagged]) = "native_unused" "native_known" [@@noalloc]
external now : unit -> (float[@unboxed]) = "native_unused" "native_now" [@@noalloc]

let sink = ref 0

let run_normal turns =
  let value = ref 0 in
  for _ = 1 to turns do
    value := normal !value
  done;
  sink := !value

let run_noalloc turns =
  let value = ref 0 in
  for _ = 1 to turns do
    value := noalloc !value
  done;
  sink := !value

let () =
  let turns = int_of_string Sys.argv.(1) in
  let time name run =
    let start = now () in
    run turns;
    Printf.printf "%s %.3f\n" name ((now () -. start) /. float_of_int turns)
  in
  time "normal" run_normal;
  time "noalloc" run_noalloc
