(* SPDX-License-Identifier: Apache-2.0

   The same as words.c by OCaml's native code, whose words are of the same kind and whose types need no test at run
   time; `words KIND TURNS`. *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

type list = Nil | Cell of int * list

let make_list n =
  let rec go i list = if i = n then list else go (i + 1) (Cell (i, list)) in
  go 0 Nil

let sum list =
  let rec go total = function Nil -> total | Cell (first, rest) -> go (total + first) rest in
  go 0 list

let fill (vector : int array) n v = for i = 0 to n - 1 do vector.(i) <- v done

let length = 10000

let () =
  let kind = Sys.argv.(1) and turns = int_of_string Sys.argv.(2) in
  let list = make_list length and vector = Array.make length 0 in
  let result = ref 0 and operations = if kind = "fib" then 7049155 else length in
  let start = Sys.time () in
  for i = 0 to turns - 1 do
    result :=
      !result
      + (match kind with
         | "fib" -> Sys.opaque_identity fib 32
         | "sum" -> Sys.opaque_identity sum list
         | _ -> Sys.opaque_identity fill vector length i; vector.(i mod length))
  done;
  let took = (Sys.time () -. start) *. 1e9 in
  Printf.printf "%.3f %d\n" (took /. float_of_int (turns * operations)) !result
