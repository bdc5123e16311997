// SPDX-License-Identifier: Apache-2.0
//
// The programs of bench/gc, by Go's collector: workloads NAME THREADS ARGUMENT....
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

var arguments []int

type random struct{ state int }

func (r *random) next() int {
	r.state = (r.state*1103515245 + 12345) & 0x7fffffff
	return r.state >> 8
}

// ---- bintrees ----

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	t := &tree{}
	if depth > 0 {
		t.left = grow(depth - 1)
		t.right = grow(depth - 1)
	}
	return t
}

func (t *tree) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

func bintrees() int {
	depth := arguments[0]
	sum := grow(depth + 1).count()
	kept := grow(depth)
	for d := 4; d <= depth; d += 2 {
		for i := 0; i < 1<<(depth-d+4); i++ {
			sum += grow(d).count()
		}
	}
	return sum + kept.count()
}

// ---- gcbench ----

type node struct {
	left, right *node
	i, j        int32
}

func (n *node) fillDown(depth int) {
	if depth == 0 {
		return
	}
	n.left = &node{}
	n.right = &node{}
	n.left.fillDown(depth - 1)
	n.right.fillDown(depth - 1)
}

func buildUp(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	left := buildUp(depth - 1)
	right := buildUp(depth - 1)
	return &node{left: left, right: right}
}

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func size(depth int) int { return 1<<(depth+1) - 1 }

func gcbench() int {
	depth := arguments[0]
	stretch := depth + 2
	sum := buildUp(stretch).count()
	kept := &node{}
	numbers := make([]float64, 500000)
	kept.fillDown(depth + 1)
	for i := 0; i < len(numbers)/2; i++ {
		numbers[i] = 1 / float64(i+1)
	}
	for d := 4; d <= depth; d += 2 {
		for i := 0; i < 2*size(stretch)/size(d); i++ {
			n := &node{}
			n.fillDown(d)
			sum += n.count()
			sum += buildUp(d).count()
		}
	}
	if numbers[999] != 1.0/1000 {
		sum++
	}
	return sum + kept.count()
}

// ---- churn ----

type item struct {
	next         *item
	number, step int
}

func churn() int {
	r := random{1}
	table := make([]*item, arguments[0])
	sum := 0
	for i := 0; i < arguments[1]; i++ {
		slot := r.next() % len(table)
		old := table[slot]
		table[slot] = &item{old, i & 127, i}
		if old != nil {
			old.next = nil
		}
	}
	for _, first := range table {
		for it := first; it != nil; it = it.next {
			sum += it.number + it.step&1
		}
	}
	return sum
}

// ---- deep ----

type cell struct {
	next   *cell
	number int
}

//go:noinline
func makeCell(next *cell, number int) *cell { return &cell{next, number} }

func build(depth int, sum *int) *cell {
	if depth == 0 {
		return nil
	}
	for i := 0; i < arguments[2]; i++ {
		*sum += makeCell(nil, depth+i).number & 1
	}
	rest := build(depth-1, sum)
	return makeCell(rest, depth&63)
}

func deep() int {
	sum := 0
	for i := 0; i < arguments[1]; i++ {
		for c := build(arguments[0], &sum); c != nil; c = c.next {
			sum += c.number
		}
	}
	return sum
}

// ---- bytes ----

func arrays() int {
	r := random{1}
	table := make([][]byte, arguments[1])
	sum := 0
	for i := 0; i < arguments[0]; i++ {
		chance := r.next()
		power := 16 << (chance % 12)
		size := power + (chance>>4)%power
		array := make([]byte, size)
		array[0] = byte(i & 127)
		array[size-1] = byte(size & 127)
		chance = r.next()
		if chance%8 != 0 {
			sum += int(array[size-1])
			continue
		}
		slot := (chance >> 3) % len(table)
		if table[slot] != nil {
			sum += int(table[slot][0])
		}
		table[slot] = array
	}
	return sum
}

// ---- lru ----

type entry struct {
	chain, newer, older *entry
	key, value          []byte
}

type cache struct {
	buckets        []*entry
	newest, oldest *entry
	used           int
}

func makeKey(number int) []byte {
	var digits [24]byte
	length := 0
	for {
		digits[length] = byte('0' + number%10)
		length++
		number /= 10
		if number == 0 {
			break
		}
	}
	key := make([]byte, 4+length)
	copy(key, "key:")
	copy(key[4:], digits[:length])
	return key
}

func makeValue(length int, first byte) []byte {
	value := make([]byte, length)
	for i := range value {
		value[i] = first + byte(i&15)
	}
	return value
}

func hash(key []byte) int {
	h := uint32(2166136261)
	for _, b := range key {
		h = (h ^ uint32(b)) * 16777619
	}
	return int(h >> 1)
}

func (c *cache) find(key []byte) *entry {
	e := c.buckets[hash(key)%len(c.buckets)]
	for e != nil && !bytes.Equal(e.key, key) {
		e = e.chain
	}
	return e
}

func (c *cache) unlink(e *entry) {
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.newest = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.oldest = e.newer
	}
}

func (c *cache) linkNewest(e *entry) {
	e.newer = nil
	e.older = c.newest
	if c.newest != nil {
		c.newest.newer = e
	} else {
		c.oldest = e
	}
	c.newest = e
}

func (c *cache) evict() {
	last := c.oldest
	link := &c.buckets[hash(last.key)%len(c.buckets)]
	c.unlink(last)
	for *link != last {
		link = &(*link).chain
	}
	*link = last.chain
	c.used--
}

func (c *cache) insert(key, value []byte) {
	link := &c.buckets[hash(key)%len(c.buckets)]
	e := &entry{chain: *link, key: key, value: value}
	*link = e
	c.linkNewest(e)
	c.used++
	if c.used > len(c.buckets) {
		c.evict()
	}
}

func lru() int {
	r := random{1}
	size := arguments[0]
	c := &cache{buckets: make([]*entry, size)}
	sum := 0
	for i := 0; i < arguments[1]; i++ {
		a := r.next() % (4 * size)
		least := a
		for k := 0; k < 2; k++ {
			if other := r.next() % (4 * size); other < least {
				least = other
			}
		}
		key := makeKey(least)
		if e := c.find(key); e != nil {
			sum += len(e.value) + int(e.value[0])
			c.unlink(e)
			c.linkNewest(e)
		} else {
			c.insert(key, makeValue(16+a%240, byte('a'+i%8)))
		}
	}
	return sum + c.used
}

// ---- graph ----

type edge struct {
	to     *vertex
	weight int
}

type vertex struct {
	out           [4]*edge
	number, round int
}

func shuffle(nodes []*vertex, r *random) {
	for range nodes {
		a := nodes[r.next()%len(nodes)]
		b := nodes[r.next()%len(nodes)]
		k := r.next() % 4
		first, second := a.out[k], b.out[k]
		if a == b {
			continue
		}
		a.out[k] = &edge{second.to, first.weight + 1}
		b.out[k] = &edge{first.to, second.weight}
	}
}

func walk(nodes []*vertex, round int) int {
	stack := make([]*vertex, len(nodes))
	depth, sum := 1, 0
	stack[0] = nodes[0]
	nodes[0].round = round
	for depth > 0 {
		depth--
		for _, e := range stack[depth].out {
			to := e.to
			sum += e.weight
			if to.round == round {
				continue
			}
			to.round = round
			sum += to.number & 15
			stack[depth] = to
			depth++
		}
	}
	return sum
}

func graph() int {
	r := random{1}
	nodes := make([]*vertex, arguments[0])
	sum := 0
	for i := range nodes {
		nodes[i] = &vertex{number: i, round: -1}
	}
	for _, n := range nodes {
		for k := range n.out {
			n.out[k] = &edge{nodes[r.next()%len(nodes)], k}
		}
	}
	for round := 0; round < arguments[1]; round++ {
		shuffle(nodes, &r)
		sum += walk(nodes, round)
	}
	return sum
}

// ---- json ----

const (
	nothing = iota
	isFalse
	isTrue
	number
	text
	array
	object
)

type value struct {
	next, first  *value
	name, text   []byte
	kind, amount int
}

type reader struct {
	document []byte
	at       int
}

func (r *reader) skipSpace() {
	for r.document[r.at] == ' ' || r.document[r.at] == '\n' {
		r.at++
	}
}

func (r *reader) readText() []byte {
	r.at++
	from := r.at
	for r.document[r.at] != '"' {
		r.at++
	}
	made := make([]byte, r.at-from)
	copy(made, r.document[from:r.at])
	r.at++
	return made
}

func (r *reader) readNumber() int {
	amount, sign := 0, 1
	if r.document[r.at] == '-' {
		sign = -1
		r.at++
	}
	for r.document[r.at] >= '0' && r.document[r.at] <= '9' {
		amount = amount*10 + int(r.document[r.at]-'0')
		r.at++
	}
	return sign * amount
}

func (r *reader) readWord() int {
	switch r.document[r.at] {
	case 't':
		r.at += 4
		return isTrue
	case 'f':
		r.at += 5
		return isFalse
	}
	r.at += 4
	return nothing
}

func (r *reader) readAll(end byte, named bool) *value {
	var first, last *value
	r.at++
	for r.skipSpace(); r.document[r.at] != end; r.skipSpace() {
		var name []byte
		if named {
			name = r.readText()
			r.at++
		}
		v := r.readValue()
		v.name = name
		if last == nil {
			first = v
		} else {
			last.next = v
		}
		last = v
		r.skipSpace()
		if r.document[r.at] == ',' {
			r.at++
		}
	}
	r.at++
	return first
}

func (r *reader) readValue() *value {
	v := &value{}
	r.skipSpace()
	switch c := r.document[r.at]; {
	case c == '{':
		v.kind = object
		v.first = r.readAll('}', true)
	case c == '[':
		v.kind = array
		v.first = r.readAll(']', false)
	case c == '"':
		v.kind = text
		v.text = r.readText()
	case c == '-' || c >= '0' && c <= '9':
		v.kind = number
		v.amount = r.readNumber()
	default:
		v.kind = r.readWord()
	}
	return v
}

func look(v *value) int {
	sum := 0
	for ; v != nil; v = v.next {
		sum += v.kind + v.amount + len(v.name)
		if v.text != nil {
			sum += int(v.text[len(v.text)-1])
		}
		sum += look(v.first)
	}
	return sum
}

func writeDocument(records int) []byte {
	r := random{1}
	var to bytes.Buffer
	to.WriteByte('[')
	for i := 0; i < records; i++ {
		n := r.next()
		if i != 0 {
			to.WriteString(",\n")
		}
		fmt.Fprintf(&to, `{"id": %d, "name": "name of %d", "tags": ["one", "tag%d", -%d], `+
			`"place": {"x": %d, "y": %d, "known": %t}, "more": null}`,
			i, n, n%100, n%7, n%640, n%480, n%2 == 0)
	}
	to.WriteByte(']')
	return to.Bytes()
}

func json() int {
	document := writeDocument(arguments[0])
	sum := 0
	for i := 0; i < arguments[1]; i++ {
		r := reader{document, 0}
		sum += look(r.readValue())
	}
	return sum
}

// ---- chains ----

const chainNodes = 100

func makeChain(first int) *cell {
	var chain *cell
	for i := 0; i < chainNodes; i++ {
		chain = &cell{chain, (first + i) & 127}
	}
	return chain
}

func (c *cell) sum() int {
	sum := 0
	for ; c != nil; c = c.next {
		sum += c.number
	}
	return sum
}

func chains() int {
	kept, rounds, sum := arguments[0], arguments[1], 0
	stay, die := make([]*cell, kept), make([]*cell, kept)
	for round := 0; round <= rounds; round++ {
		for i := range die {
			if round == 0 {
				stay[i] = makeChain(i)
			} else {
				sum += die[i].number
			}
			die[i] = makeChain(i + round)
		}
	}
	for i := range die {
		sum += stay[i].sum() + die[i].sum()
	}
	return sum
}

func main() {
	work := map[string]func() int{"bintrees": bintrees, "gcbench": gcbench, "churn": churn, "deep": deep,
		"bytes": arrays, "lru": lru, "graph": graph, "json": json, "chains": chains}[os.Args[1]]
	threads, _ := strconv.Atoi(os.Args[2])
	for _, word := range os.Args[3:] {
		n, _ := strconv.Atoi(word)
		arguments = append(arguments, n)
	}
	results := make(chan int)
	for i := 0; i < threads; i++ {
		go func() { results <- work() }()
	}
	sum := 0
	for i := 0; i < threads; i++ {
		sum += <-results
	}
	fmt.Println(sum)
}
