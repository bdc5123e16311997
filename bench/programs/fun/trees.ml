(* SPDX-License-Identifier: Apache-2.0

   Binary trees, some short-lived, one long-lived; and a search tree with insertions. *)
type tree = Leaf | Node of tree * tree
type 'a search = Empty | Branch of 'a search * 'a * 'a search

let rec make depth = if depth = 0 then Leaf else Node (make (depth - 1), make (depth - 1))
let rec check tree = match tree with Leaf -> 1 | Node (left, right) -> 1 + (check left + check right)
let rec repeat n depth = if n = 0 then 0 else check (make depth) + repeat (n - 1) depth

let rec insert (x : int) tree =
  match tree with
  | Empty -> Branch (Empty, x, Empty)
  | Branch (left, y, right) ->
      if x < y then Branch (insert x left, y, right)
      else if x > y then Branch (left, y, insert x right)
      else tree

let rec fill n seed tree =
  if n = 0 then tree else fill (n - 1) (((seed * 1103515245) + 12345) land 1073741823) (insert seed tree)

let rec size tree = match tree with Empty -> 0 | Branch (left, _, right) -> 1 + (size left + size right)

let () =
  let n = int_of_string Sys.argv.(1) and depth = int_of_string Sys.argv.(2) in
  let long_lived = make (depth + 4) in
  print_int (repeat n depth);
  print_endline "";
  print_int (size (fill (n * 100) 1 Empty));
  print_endline "";
  print_int (check long_lived)
