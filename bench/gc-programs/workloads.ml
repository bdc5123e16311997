(* SPDX-License-Identifier: Apache-2.0

   The programs of bench/gc, by OCaml's collector: workloads NAME 1 ARGUMENT.... *)

let argument n = int_of_string Sys.argv.(3 + n)
let state = ref 1

let random () =
  state := (!state * 1103515245 + 12345) land 0x7fffffff;
  !state lsr 8

(* ---- bintrees ---- *)

type tree = Empty | Tree of tree * tree

let rec grow depth = if depth = 0 then Tree (Empty, Empty) else
  let left = grow (depth - 1) in
  let right = grow (depth - 1) in
  Tree (left, right)

let rec count = function
  | Empty -> 0
  | Tree (Empty, _) -> 1
  | Tree (left, right) -> 1 + count left + count right

let bintrees () =
  let depth = argument 0 in
  let sum = ref (count (grow (depth + 1))) in
  let kept = grow depth in
  let d = ref 4 in
  while !d <= depth do
    for _ = 1 to 1 lsl (depth - !d + 4) do
      sum := !sum + count (grow !d)
    done;
    d := !d + 2
  done;
  !sum + count kept

(* ---- gcbench ---- *)

type node = Nil | Node of { mutable left : node; mutable right : node; mutable i : int; mutable j : int }

let leaf () = Node { left = Nil; right = Nil; i = 0; j = 0 }

let rec fill_down node depth = match node with
  | Node n when depth > 0 ->
    n.left <- leaf ();
    n.right <- leaf ();
    fill_down n.left (depth - 1);
    fill_down n.right (depth - 1)
  | _ -> ()

let rec build_up depth = if depth = 0 then leaf () else
  let left = build_up (depth - 1) in
  let right = build_up (depth - 1) in
  Node { left; right; i = 0; j = 0 }

let rec count_nodes = function
  | Nil -> 0
  | Node { left = Nil; _ } -> 1
  | Node { left; right; _ } -> 1 + count_nodes left + count_nodes right

let size depth = 1 lsl (depth + 1) - 1

let gcbench () =
  let depth = argument 0 in
  let stretch = depth + 2 in
  let sum = ref (count_nodes (build_up stretch)) in
  let kept = leaf () in
  let numbers = Array.make 500000 0.0 in
  fill_down kept (depth + 1);
  for i = 0 to 249999 do
    numbers.(i) <- 1.0 /. float_of_int (i + 1)
  done;
  let d = ref 4 in
  while !d <= depth do
    for _ = 1 to 2 * size stretch / size !d do
      let node = leaf () in
      fill_down node !d;
      sum := !sum + count_nodes node;
      sum := !sum + count_nodes (build_up !d)
    done;
    d := !d + 2
  done;
  !sum + count_nodes kept + (if numbers.(999) <> 1.0 /. 1000.0 then 1 else 0)

(* ---- churn ---- *)

type item = No_item | Item of { mutable next : item; number : int; step : int }

let rec sum_items sum = function
  | No_item -> sum
  | Item { next; number; step } -> sum_items (sum + number + step land 1) next

let churn () =
  let table = Array.make (argument 0) No_item in
  for i = 0 to argument 1 - 1 do
    let slot = random () mod Array.length table in
    let old = table.(slot) in
    let item = Item { next = old; number = i land 127; step = i } in
    (match old with Item o -> o.next <- No_item | No_item -> ());
    table.(slot) <- item
  done;
  Array.fold_left sum_items 0 table

(* ---- deep ---- *)

type cell = End | Cell of { next : cell; number : int }

let sum = ref 0
let garbage = ref 0

let rec build depth =
  if depth = 0 then End
  else begin
    for i = 0 to !garbage - 1 do
      match Sys.opaque_identity (Cell { next = End; number = depth + i }) with
      | Cell { number; _ } -> sum := !sum + number land 1
      | End -> ()
    done;
    let rest = build (depth - 1) in
    Cell { next = rest; number = depth land 63 }
  end

let rec sum_cells = function
  | End -> ()
  | Cell { next; number } -> sum := !sum + number; sum_cells next

let deep () =
  garbage := argument 2;
  for _ = 1 to argument 1 do
    sum_cells (build (argument 0))
  done;
  !sum

(* ---- bytes ---- *)

let bytes () =
  let table = Array.make (argument 1) Bytes.empty and sum = ref 0 in
  for i = 0 to argument 0 - 1 do
    let chance = random () in
    let power = 16 lsl (chance mod 12) in
    let size = power + (chance lsr 4) mod power in
    let array = Bytes.create size in
    Bytes.set array 0 (Char.unsafe_chr (i land 127));
    Bytes.set array (size - 1) (Char.unsafe_chr (size land 127));
    let chance = random () in
    if chance mod 8 <> 0 then sum := !sum + Char.code (Bytes.get array (size - 1))
    else begin
      let slot = (chance lsr 3) mod Array.length table in
      if table.(slot) != Bytes.empty then sum := !sum + Char.code (Bytes.get table.(slot) 0);
      table.(slot) <- array
    end
  done;
  !sum

(* ---- lru ---- *)

type entry = No_entry | Entry of {
  mutable chain : entry; mutable newer : entry; mutable older : entry; key : Bytes.t; value : Bytes.t }

type cache = { buckets : entry array; mutable newest : entry; mutable oldest : entry; mutable used : int }

let make_key number =
  let digits = Bytes.create 24 and length = ref 0 and number = ref number in
  let more = ref true in
  while !more do
    Bytes.set digits !length (Char.unsafe_chr (48 + !number mod 10));
    incr length;
    number := !number / 10;
    more := !number <> 0
  done;
  let key = Bytes.create (4 + !length) in
  Bytes.set key 0 'k'; Bytes.set key 1 'e'; Bytes.set key 2 'y'; Bytes.set key 3 ':';
  Bytes.blit digits 0 key 4 !length;
  key

let make_value length first =
  let value = Bytes.create length in
  for i = 0 to length - 1 do
    Bytes.set value i (Char.unsafe_chr (first + i land 15))
  done;
  value

let hash key =
  let hash = ref 2166136261 in
  for i = 0 to Bytes.length key - 1 do
    hash := ((!hash lxor Char.code (Bytes.get key i)) * 16777619) land 0xffffffff
  done;
  !hash lsr 1

let bucket cache key = hash key mod Array.length cache.buckets

let rec find_in entry key = match entry with
  | Entry e when not (Bytes.equal e.key key) -> find_in e.chain key
  | entry -> entry

let unlink cache = function
  | No_entry -> ()
  | Entry e ->
    (match e.newer with Entry n -> n.older <- e.older | No_entry -> cache.newest <- e.older);
    (match e.older with Entry o -> o.newer <- e.newer | No_entry -> cache.oldest <- e.newer)

let link_newest cache entry = match entry with
  | No_entry -> ()
  | Entry e ->
    e.newer <- No_entry;
    e.older <- cache.newest;
    (match cache.newest with Entry n -> n.newer <- entry | No_entry -> cache.oldest <- entry);
    cache.newest <- entry

let rec unchain before last = match before with
  | Entry b when b.chain == last -> (match last with Entry l -> b.chain <- l.chain | No_entry -> ())
  | Entry b -> unchain b.chain last
  | No_entry -> ()

let evict cache = match cache.oldest with
  | No_entry -> ()
  | Entry l as last ->
    let at = bucket cache l.key in
    unlink cache last;
    if cache.buckets.(at) == last then cache.buckets.(at) <- l.chain else unchain cache.buckets.(at) last;
    cache.used <- cache.used - 1

let insert cache key value =
  let at = bucket cache key in
  let entry = Entry { chain = cache.buckets.(at); newer = No_entry; older = No_entry; key; value } in
  cache.buckets.(at) <- entry;
  link_newest cache entry;
  cache.used <- cache.used + 1;
  if cache.used > Array.length cache.buckets then evict cache

let lru () =
  let size = argument 0 and sum = ref 0 in
  let cache = { buckets = Array.make size No_entry; newest = No_entry; oldest = No_entry; used = 0 } in
  for i = 0 to argument 1 - 1 do
    let a = random () mod (4 * size) in
    let b = random () mod (4 * size) in
    let c = random () mod (4 * size) in
    let least = if a < b then a else b in
    let key = make_key (if least < c then least else c) in
    match find_in cache.buckets.(bucket cache key) key with
    | Entry e as entry ->
      sum := !sum + Bytes.length e.value + Char.code (Bytes.get e.value 0);
      unlink cache entry;
      link_newest cache entry
    | No_entry -> insert cache key (make_value (16 + a mod 240) (97 + i mod 8))
  done;
  !sum + cache.used

(* ---- graph ---- *)

type vertex = {
  mutable out0 : edge; mutable out1 : edge; mutable out2 : edge; mutable out3 : edge;
  place : int; mutable round : int }
and edge = { towards : vertex; weight : int }

let rec nowhere = { out0 = no_edge; out1 = no_edge; out2 = no_edge; out3 = no_edge; place = 0; round = 0 }
and no_edge = { towards = nowhere; weight = 0 }

let get node k = match k with 0 -> node.out0 | 1 -> node.out1 | 2 -> node.out2 | _ -> node.out3

let set node k edge = match k with
  | 0 -> node.out0 <- edge
  | 1 -> node.out1 <- edge
  | 2 -> node.out2 <- edge
  | _ -> node.out3 <- edge

let shuffle nodes =
  let count = Array.length nodes in
  for _ = 1 to count do
    let a = nodes.(random () mod count) in
    let b = nodes.(random () mod count) in
    let k = random () mod 4 in
    if a != b then begin
      let first = get a k and second = get b k in
      set a k { towards = second.towards; weight = first.weight + 1 };
      set b k { towards = first.towards; weight = second.weight }
    end
  done

let walk nodes round =
  let stack = Array.make (Array.length nodes) nowhere and depth = ref 1 and sum = ref 0 in
  stack.(0) <- nodes.(0);
  nodes.(0).round <- round;
  while !depth > 0 do
    decr depth;
    let node = stack.(!depth) in
    for k = 0 to 3 do
      let edge = get node k in
      let towards = edge.towards in
      sum := !sum + edge.weight;
      if towards.round <> round then begin
        towards.round <- round;
        sum := !sum + towards.place land 15;
        stack.(!depth) <- towards;
        incr depth
      end
    done
  done;
  !sum

let graph () =
  let count = argument 0 and sum = ref 0 in
  let make place = { out0 = no_edge; out1 = no_edge; out2 = no_edge; out3 = no_edge; place; round = -1 } in
  let nodes = Array.init count make in
  for i = 0 to count - 1 do
    for k = 0 to 3 do
      set nodes.(i) k { towards = nodes.(random () mod count); weight = k }
    done
  done;
  for round = 0 to argument 1 - 1 do
    shuffle nodes;
    sum := !sum + walk nodes round
  done;
  !sum

(* ---- json ---- *)

type value = No_value | Value of {
  mutable following : value; mutable first : value; mutable name : Bytes.t option; mutable text : Bytes.t option;
  mutable kind : int; mutable amount : int }

type reader = { document : string; mutable at : int }

let nothing, is_false, is_true, number, text, array, obj = 0, 1, 2, 3, 4, 5, 6
let peek reader = String.unsafe_get reader.document reader.at
let step reader = reader.at <- reader.at + 1

let rec skip_space reader = match peek reader with
  | ' ' | '\n' -> step reader; skip_space reader
  | _ -> ()

let read_text reader =
  step reader;
  let from = reader.at in
  while peek reader <> '"' do step reader done;
  let length = reader.at - from in
  let text = Bytes.create length in
  Bytes.blit_string reader.document from text 0 length;
  step reader;
  text

let read_number reader =
  let sign = if peek reader = '-' then (step reader; -1) else 1 in
  let number = ref 0 in
  while peek reader >= '0' && peek reader <= '9' do
    number := !number * 10 + Char.code (peek reader) - 48;
    step reader
  done;
  sign * !number

let read_word reader =
  let kind = match peek reader with 't' -> is_true | 'f' -> is_false | _ -> nothing in
  reader.at <- reader.at + (if kind = is_false then 5 else 4);
  kind

let rec read_all reader closing named =
  step reader;
  let first = ref No_value and last = ref No_value in
  skip_space reader;
  while peek reader <> closing do
    let name = if named then begin
      let name = read_text reader in
      step reader;
      Some name
    end else None in
    let value = read_value reader in
    (match value with Value v -> v.name <- name | No_value -> ());
    (match !last with No_value -> first := value | Value l -> l.following <- value);
    last := value;
    skip_space reader;
    if peek reader = ',' then step reader;
    skip_space reader
  done;
  step reader;
  !first

and read_value reader =
  skip_space reader;
  let value = Value { following = No_value; first = No_value; name = None; text = None; kind = 0; amount = 0 } in
  (match value with
   | No_value -> ()
   | Value v -> match peek reader with
     | '{' -> v.kind <- obj; v.first <- read_all reader '}' true
     | '[' -> v.kind <- array; v.first <- read_all reader ']' false
     | '"' -> v.kind <- text; v.text <- Some (read_text reader)
     | '-' | '0' .. '9' -> v.kind <- number; v.amount <- read_number reader
     | _ -> v.kind <- read_word reader);
  value

let rec look sum = function
  | No_value -> sum
  | Value v ->
    let sum = sum + v.kind + v.amount in
    let sum = match v.name with None -> sum | Some name -> sum + Bytes.length name in
    let sum = match v.text with
      | None -> sum
      | Some text -> sum + Char.code (Bytes.get text (Bytes.length text - 1)) in
    look (look sum v.first) v.following

let write_document records =
  let document = Buffer.create (records * 200) in
  Buffer.add_char document '[';
  for i = 0 to records - 1 do
    let number = random () in
    Printf.bprintf document
      "%s{\"id\": %d, \"name\": \"name of %d\", \"tags\": [\"one\", \"tag%d\", -%d], \
       \"place\": {\"x\": %d, \"y\": %d, \"known\": %b}, \"more\": null}"
      (if i = 0 then "" else ",\n") i number (number mod 100) (number mod 7) (number mod 640) (number mod 480)
      (number mod 2 = 0)
  done;
  Buffer.add_char document ']';
  Buffer.contents document

let json () =
  let document = write_document (argument 0) and sum = ref 0 in
  for _ = 1 to argument 1 do
    sum := look !sum (read_value { document; at = 0 })
  done;
  !sum

let () =
  let work = match Sys.argv.(1) with
    | "bintrees" -> bintrees
    | "gcbench" -> gcbench
    | "churn" -> churn
    | "deep" -> deep
    | "bytes" -> bytes
    | "lru" -> lru
    | "graph" -> graph
    | "json" -> json
    | name -> invalid_arg name in
  Printf.printf "%d\n" (work ())
