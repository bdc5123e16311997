(* SPDX-License-Identifier: Apache-2.0

   Functions that are arguments, results and parts of lists: unknown calls, captured variables, partial applications. *)
let compose f g = fun x -> f (g x)
let rec fold f total list = match list with [] -> total | x :: rest -> fold f (f total x) rest
let rec map f list = match list with [] -> [] | x :: rest -> f x :: map f rest
let add a b = a + b
let rec power f n = if n = 0 then fun x -> x else compose f (power f (n - 1))
let range n = let rec go i list = if i = 0 then list else go (i - 1) (i :: list) in go n []

let rec round i list total =
  if i = 0 then total
  else
    let functions = map (fun x -> if x land 1 = 0 then add (x + i) else compose (add x) (fun y -> y - i)) list in
    let sum = fold (fun s f -> (s + f s) land 1048575) i functions in
    round (i - 1) list (total lxor power (fun x -> x + sum) 8 i)

let () = print_int (round (int_of_string Sys.argv.(1)) (range (int_of_string Sys.argv.(2))) 0)
