package sha256lanes

import "runtime"

// maxBlocks bounds a step, in blocks of 64 bytes: the scheduler cannot
// interrupt it, and who waits for a free lane waits for its end. 16 KiB a lane
// take 0.1 ms, beside which the microsecond between steps does not show.
const maxBlocks = 256

// worker hashes what is in its lanes, on a goroutine that lives while there is
// something. Between two steps lanes that are done are given to who waits.
type worker struct {
	lanes *Lanes
	run   func()       // loop: a go statement would allocate a method value
	in    [Width]*Hash // the first used
	data  [Width]*byte
	state [8][Width]uint32
	used  int
	freed int // lanes since the last admit
}

func newWorker(l *Lanes) *worker {
	w := &worker{lanes: l}
	w.run = w.loop
	return w
}

func (w *worker) loop() {
	for w.admit() {
		if w.used < min(Width, int(w.lanes.open.Load())) {
			// Whoever can run now may be about to join.
			runtime.Gosched()
			w.admit()
		}
		if w.used < company {
			w.dismiss()
		} else {
			w.step()
		}
	}
}

// admit fills lanes from the queue. If there is nothing to hash it retires the
// worker and returns false.
func (w *worker) admit() bool {
	l := w.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free += w.freed
	w.freed = 0
	for w.used < Width && l.first != nil {
		w.seat(l.next())
		l.free--
	}
	if w.used > 0 {
		return true
	}
	l.working--
	l.free -= Width
	l.idle = append(l.idle, w)
	return false
}

// seat puts h into a lane.
func (w *worker) seat(h *Hash) {
	for word, v := range h.mid {
		w.state[word][w.used] = v
	}
	w.in[w.used] = h
	w.used++
}

// release takes the hash out of lane i, puts the last one there, and lets the
// first one's owner go on: it is not ours afterwards.
func (w *worker) release(i int) {
	h := w.in[i]
	w.used--
	w.freed++
	for word := range h.mid {
		h.mid[word] = w.state[word][i]
		w.state[word][i] = w.state[word][w.used]
	}
	w.in[i], w.in[w.used] = w.in[w.used], nil
	h.done <- struct{}{}
}

// dismiss sends all back unfinished.
func (w *worker) dismiss() {
	for w.used > 0 {
		w.release(w.used - 1)
	}
}

// step hashes as much as every lane has, and releases who has no more.
func (w *worker) step() {
	n := maxBlocks
	for i, h := range w.in[:w.used] {
		w.data[i] = &h.todo[0]
		n = min(n, len(h.todo)/blockSize)
	}
	for i := w.used; i < Width; i++ {
		w.data[i] = w.data[0]
	}
	w.lanes.blocks(&w.state, &w.data, n, w.used)
	clear(w.data[:]) // An idle worker keeps nobody's buffer.
	for i := w.used - 1; i >= 0; i-- {
		h := w.in[i]
		if h.todo = h.todo[n*blockSize:]; len(h.todo) == 0 {
			w.release(i)
		}
	}
}
