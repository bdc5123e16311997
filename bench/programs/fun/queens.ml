(* SPDX-License-Identifier: Apache-2.0

   All solutions of the problem of n queens, over lists that live shortly. *)
let rec safe column distance placed =
  match placed with
  | [] -> true
  | q :: rest ->
      column <> q && column <> q + distance && column <> q - distance && safe column (distance + 1) rest

let rec try_column n column row placed =
  if column > n then 0
  else
    (if safe column 1 placed then place n (row - 1) (column :: placed) else 0) + try_column n (column + 1) row placed

and place n row placed = if row = 0 then 1 else try_column n 1 row placed
let () = let n = int_of_string Sys.argv.(1) in print_int (place n n [])
