(* SPDX-License-Identifier: Apache-2.0

   Arrays of bytes, most of which die at once: what bytes.c does, by OCaml's collector; `bytes COUNT SLOTS`. *)
let () =
  let count = int_of_string Sys.argv.(1) and slots = int_of_string Sys.argv.(2) in
  let table = Array.make slots Bytes.empty in
  let random = ref 1 and sum = ref 0 in
  for i = 0 to count - 1 do
    random := (!random * 1103515245 + 12345) land 0x7fffffff;
    let power = 16 lsl ((!random lsr 8) mod 12) in
    let size = power + (!random lsr 12) mod power in
    let bytes = Bytes.create size in
    Bytes.set bytes 0 (Char.unsafe_chr (i land 127));
    Bytes.set bytes (size - 1) (Char.unsafe_chr (size land 127));
    random := (!random * 1103515245 + 12345) land 0x7fffffff;
    if (!random lsr 8) mod 8 <> 0 then sum := !sum + Char.code (Bytes.get bytes (size - 1))
    else begin
      let slot = (!random lsr 11) mod slots in
      if table.(slot) != Bytes.empty then sum := !sum + Char.code (Bytes.get table.(slot) 0);
      table.(slot) <- bytes
    end
  done;
  Printf.printf "%d\n" !sum
