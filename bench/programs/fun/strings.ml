(* SPDX-License-Identifier: Apache-2.0

   Strings: joined, cut, compared, read byte by byte, and made of numbers. *)
let hash text =
  let rec go i h =
    if i = String.length text then h else go (i + 1) (((h * 31) + Char.code text.[i]) land 1073741823)
  in
  go 0 7

let rec join list text = match list with [] -> text | x :: rest -> join rest (text ^ " " ^ x)

let rec words n list =
  if n = 0 then list else words (n - 1) (("word" ^ string_of_int (n * 37 land 255)) :: list)

let rec count text list =
  match list with [] -> 0 | x :: rest -> if String.equal x text then 1 + count text rest else count text rest

let rec largest list best =
  match list with [] -> best | x :: rest -> largest rest (if String.compare x best > 0 then x else best)

let rec repeat n total =
  if n = 0 then total
  else
    let list = words 60 [] in
    let text = join list "" in
    let part = String.sub text 5 (String.length text - 10) in
    repeat (n - 1) (((total * 17) + hash part + count "word37" list + hash (largest list "")) land 1073741823)

let () = print_int (repeat (int_of_string Sys.argv.(1)) 0)
