// SPDX-License-Identifier: Apache-2.0
//
// The server of bench/latency in Go, with its meter: as server.c and meter.c.
package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	values      = 5
	cells       = 20
	recordBytes = 8 + 24 + cells*48
	reads       = 4
	replaced    = 4
	checked     = 2000
)

type cell struct {
	next   *cell
	values [values]int64
}

type record struct {
	cells        *cell
	key, version int64
}

// ---- the meter ----

const (
	warm = iota
	capacityPhase
	firstLoad
	longer          = 5
	planted         = 5
	headStart       = 10000000
	clockMonotonic  = 1
	timerIsAbsolute = 1
)

type server struct {
	// Outside of the heap: as in C, the collector has nothing to do with them.
	starts, ends []int64
	next         int
	done, took   int64
	bits         uint64

	random, checksum, wrong int64
	other                   int64
}

var (
	servers      []*server
	mib, stop    int64
	least        int
	milliseconds [firstLoad + 1]int64
	folder       string
	percent      []int
	phase        = warm - 1
	phaseBegin   int64
	capacity     float64
	barrier      turnstile

	// The clock of the witness, by Go's own quick one.
	began  = time.Now()
	origin = readSystemClock()
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "meter:", err)
		os.Exit(2)
	}
}

func readSystemClock() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func readClock() int64 { return origin + int64(time.Since(began)) }

// time.Sleep() is late by up to a millisecond.
func waitUntil(moment int64) {
	until := syscall.NsecToTimespec(moment)
	for readClock() < moment {
		syscall.Syscall6(syscall.SYS_CLOCK_NANOSLEEP, clockMonotonic, timerIsAbsolute,
			uintptr(unsafe.Pointer(&until)), 0, 0, 0)
	}
}

// All servers wait in it; the last one plans the next phase.
type turnstile struct {
	mutex   sync.Mutex
	all     *sync.Cond
	waiting int
	turn    int
}

func (t *turnstile) wait(plan func()) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.waiting++
	if t.waiting == len(servers) {
		plan()
		t.waiting = 0
		t.turn++
		t.all.Broadcast()
		return
	}
	for turn := t.turn; turn == t.turn; {
		t.all.Wait()
	}
}

func numbers(count int) []int64 {
	bytes, err := syscall.Mmap(-1, 0, 8*count, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	check(err)
	return unsafe.Slice((*int64)(unsafe.Pointer(&bytes[0])), count)
}

func release(of []int64) {
	if len(of) > 0 {
		check(syscall.Munmap(bytesOf(of)))
	}
}

func bytesOf(of []int64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&of[0])), 8*len(of)) }

func (s *server) draw() float64 {
	s.bits ^= s.bits << 13
	s.bits ^= s.bits >> 7
	s.bits ^= s.bits << 17
	return (float64(s.bits>>11) + 1) / 9007199254740992.0
}

func (s *server) schedule(rate float64, count int) {
	moment := 0.0
	release(s.starts)
	release(s.ends)
	s.starts, s.ends, s.next = numbers(count), numbers(count), 0
	for i := range s.starts {
		moment += -math.Log(s.draw()) / rate * 1e9
		s.starts[i] = int64(moment)
		s.ends[i] = -1
	}
}

func planLoad(load int) {
	rate := capacity * float64(percent[load]) / 100 / float64(len(servers))
	usual := int(rate*float64(milliseconds[firstLoad])/1000) + 1
	count := least / len(servers)
	if count > longer*usual {
		count = longer * usual
	}
	if count < usual {
		count = usual
	}
	for _, s := range servers {
		s.schedule(rate, count)
	}
	begin, end := readClock()+headStart, int64(0)
	for _, s := range servers {
		for i := range s.starts {
			s.starts[i] += begin
		}
		if last := s.starts[count-1]; last > end {
			end = last
		}
	}
	fmt.Println("load", percent[load], begin, end)
}

func writeLoad(load int) {
	for i, s := range servers {
		file, err := os.Create(fmt.Sprintf("%s/%d-%d", folder, percent[load], i))
		check(err)
		_, err = file.Write(bytesOf(s.starts))
		check(err)
		_, err = file.Write(bytesOf(s.ends))
		check(err)
		check(file.Close())
	}
}

func planPhase() {
	if phase == capacityPhase {
		for _, s := range servers {
			capacity += float64(s.done) * 1e9 / float64(s.took)
		}
		fmt.Printf("capacity %.0f\n", capacity)
	} else if phase >= firstLoad {
		writeLoad(phase - firstLoad)
	}
	phase++
	if phase >= firstLoad {
		if phase < firstLoad+len(percent) {
			planLoad(phase - firstLoad)
		}
		return
	}
	for _, s := range servers {
		s.done = 0
	}
	phaseBegin = readClock()
}

func (s *server) plant() {
	distance := len(s.starts) / (planted + 1)
	if stop != 0 && distance != 0 && s.next%distance == 0 && s.next/distance <= planted {
		waitUntil(readClock() + stop*1000000)
	}
}

func (s *server) isOver() bool {
	usual, enough := milliseconds[phase]*1000000, int64(0)
	if phase == capacityPhase {
		enough = int64(least / len(servers))
	}
	s.took = readClock() - phaseBegin
	return s.took >= usual && (s.done >= enough || s.took >= longer*usual)
}

func (s *server) nextRequest() bool {
	if phase < warm {
		barrier.wait(planPhase)
	}
	for phase < firstLoad {
		if !s.isOver() {
			s.done++
			return true
		}
		barrier.wait(planPhase)
	}
	for ; phase != firstLoad+len(percent); barrier.wait(planPhase) {
		if s.next > 0 {
			s.ends[s.next-1] = readClock()
		}
		if s.next < len(s.starts) {
			waitUntil(s.starts[s.next])
			s.next++
			s.plant()
			return true
		}
	}
	return false
}

// ---- the server ----

func (s *server) nextRandom() int64 {
	s.random = (s.random*1103515245 + 12345) & 0x7fffffff
	return s.random >> 8
}

func makeRecord(key, version int64) *record {
	var list *cell
	for at := int64(cells - 1); at >= 0; at-- {
		c := &cell{next: list}
		for i := range c.values {
			c.values[i] = key + 7*version + 3*at + int64(i)
		}
		list = c
	}
	return &record{list, key, version}
}

func copyBackwards(list *cell, more int64) *cell {
	var copied *cell
	for ; list != nil; list = list.next {
		c := &cell{next: copied}
		for i := range c.values {
			c.values[i] = list.values[i] + more
		}
		copied = c
	}
	return copied
}

func addUp(list *cell) int64 {
	sum := int64(0)
	for at := int64(1); list != nil; list, at = list.next, at+1 {
		for _, value := range list.values {
			sum += at * value
		}
	}
	return sum
}

func readRecord(r *record) int64 {
	first := copyBackwards(r.cells, r.version)
	return addUp(copyBackwards(first, r.key))
}

func (s *server) answer(table []*record) int64 {
	sum := int64(0)
	for i := 0; i < reads; i++ {
		sum += readRecord(table[s.nextRandom()%int64(len(table))])
	}
	for i := 0; i < replaced; i++ {
		key := s.nextRandom() % int64(len(table))
		table[key] = makeRecord(key, table[key].version+1)
	}
	return sum
}

func countWrong(r *record, key int64) int64 {
	wrong, at := int64(0), int64(0)
	if r.key != key {
		wrong++
	}
	for c := r.cells; c != nil; c, at = c.next, at+1 {
		for i, value := range c.values {
			if value != key+7*r.version+3*at+int64(i) {
				wrong++
			}
		}
	}
	if at != cells {
		wrong++
	}
	return wrong
}

func (s *server) serve() {
	table := make([]*record, (mib<<20)/recordBytes/int64(len(servers)))
	for key := range table {
		table[key] = makeRecord(int64(key), 0)
	}
	for i := 0; i < checked; i++ {
		s.checksum += s.answer(table)
	}
	for s.nextRequest() {
		s.other = s.answer(table)
	}
	for key, r := range table {
		s.wrong += countWrong(r, int64(key))
	}
}

// SERVERS MIB WARM CAPACITY LOAD STOP LEAST FOLDER PERCENT...
func main() {
	number := func(at int) int64 {
		value, err := strconv.ParseInt(os.Args[at], 10, 64)
		check(err)
		return value
	}
	mib = number(2)
	for i := range milliseconds {
		milliseconds[i] = number(3 + i)
	}
	stop, least, folder = number(6), int(number(7)), os.Args[8]
	for at := 9; at < len(os.Args); at++ {
		percent = append(percent, int(number(at)))
	}
	barrier.all = sync.NewCond(&barrier.mutex)
	for i := int64(0); i < number(1); i++ {
		servers = append(servers, &server{random: 1 + i, bits: 88172645463325252 + uint64(i)})
	}
	var all sync.WaitGroup
	for _, s := range servers {
		all.Add(1)
		go func(s *server) {
			defer all.Done()
			s.serve()
		}(s)
	}
	all.Wait()
	checksum, wrong := int64(0), int64(0)
	for _, s := range servers {
		checksum += s.checksum
		wrong += s.wrong
	}
	fmt.Printf("checksum %d\nwrong %d\n", checksum, wrong)
	_, err := io.ReadAll(os.Stdin)
	check(err)
}
