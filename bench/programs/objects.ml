(* SPDX-License-Identifier: Apache-2.0

   What an object costs, for bench/allocation: what objects.c does, by OCaml's collector; `objects COUNT`. *)
type bytes16 = Nil16 | C16 of int * bytes16
type bytes32 = Nil32 | C32 of int * int * int * bytes32
type bytes64 = Nil64 | C64 of int * int * int * int * int * int * int * bytes64
let length = 1000
let repeats = 7

let rec read16 sum = function Nil16 -> sum | C16 (a, next) -> read16 (sum + a) next
let rec read32 sum = function Nil32 -> sum | C32 (a, _, _, next) -> read32 (sum + a) next
let rec read64 sum = function Nil64 -> sum | C64 (a, _, _, _, _, _, _, next) -> read64 (sum + a) next

let bytes16 count =
  let sum = ref 0 and i = ref 0 in
  while !i < count do
    let list = ref Nil16 in
    for n = 0 to length - 1 do list := C16 (!i + n, !list) done;
    i := !i + length;
    sum := read16 !sum !list
  done;
  !sum

let bytes32 count =
  let sum = ref 0 and i = ref 0 in
  while !i < count do
    let list = ref Nil32 in
    for n = 0 to length - 1 do let i = !i + n in list := C32 (i, i + 1, i + 2, !list) done;
    i := !i + length;
    sum := read32 !sum !list
  done;
  !sum

let bytes64 count =
  let sum = ref 0 and i = ref 0 in
  while !i < count do
    let list = ref Nil64 in
    for n = 0 to length - 1 do
      let i = !i + n in
      list := C64 (i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, !list)
    done;
    i := !i + length;
    sum := read64 !sum !list
  done;
  !sum

let two count =
  let sum = ref 0 and i = ref 0 in
  while !i < count do
    let list = ref Nil16 in
    for n = 0 to length / 2 - 1 do
      let i = !i + 2 * n in
      list := C16 (i + 1, C16 (i, !list))
    done;
    i := !i + length;
    sum := read16 !sum !list
  done;
  !sum

type cell = { mutable a : int; mutable next : bytes16 }
let dies count =
  let sum = ref 0 in
  for i = 0 to count - 1 do
    let o = { a = !sum lxor i; next = Nil16 } in
    sum := !sum + o.a
  done;
  !sum

let () =
  let count = int_of_string Sys.argv.(1) in
  List.iter
    (fun (name, run) ->
      let least = ref infinity and sum = ref 0 in
      for _ = 1 to repeats do
        let start = Sys.time () in
        sum := run count;
        least := min !least (Sys.time () -. start)
      done;
      Printf.printf "%s %.3f %d\n" name (!least *. 1e9 /. float_of_int count) !sum)
    [ ("bytes16", bytes16); ("bytes32", bytes32); ("bytes64", bytes64); ("two", two); ("dies", dies) ]
