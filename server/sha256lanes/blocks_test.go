package sha256lanes

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// plainBlocks is a blocksFunc of crypto/sha256, for CPUs without another one.
// It spoils the lanes that are not in use, as it may.
func plainBlocks(state *[8][Width]uint32, data *[Width]*byte, n, used int) {
	for i := range Width {
		if i >= used {
			for word := range state {
				state[word][i] = 0xDEAD
			}
			continue
		}
		h := Hash{one: sha256.New().(resumable)}
		if err := h.load(); err != nil {
			panic(err)
		}
		for word := range h.mid {
			h.mid[word] = state[word][i]
		}
		if err := h.store(0); err != nil {
			panic(err)
		}
		h.one.Write(bytesAt(data[i], n*blockSize))
		if err := h.load(); err != nil {
			panic(err)
		}
		for word, v := range h.mid {
			state[word][i] = v
		}
	}
}

// kernels are the blocksFuncs that this CPU can run.
func kernels() map[string]blocksFunc {
	m := map[string]blocksFunc{"plain": plainBlocks}
	if k := kernel(); k != nil {
		m["vector"] = k
	}
	return m
}

// FuzzBlocks compares every number of lanes, at odd alignments, with sums of
// crypto/sha256.
func FuzzBlocks(f *testing.F) {
	for used := 1; used <= Width; used++ {
		f.Add(uint64(used), uint8(used), uint8(1))
	}
	f.Add(uint64(20), uint8(16), uint8(255))
	f.Add(uint64(21), uint8(8), uint8(255))
	f.Fuzz(func(t *testing.T, seed uint64, lanes, blocks uint8) {
		used, n := 1+int(lanes)%Width, 1+int(blocks)
		for name, kernel := range kernels() {
			rng := rand.New(rand.NewPCG(seed, 1))
			var state [8][Width]uint32
			var data [Width]*byte
			var sums [Width]Hash
			for i := range sums {
				room := make([]byte, rng.IntN(64)+n*blockSize)
				text := room[len(room)-n*blockSize:]
				for j := 0; j < len(text); j += 8 {
					binary.LittleEndian.PutUint64(text[j:], rng.Uint64())
				}
				data[i] = &text[0]
				sums[i].one = sha256.New().(resumable)
				sums[i].one.Write(text[:blockSize]) // Any state will do.
				if err := sums[i].load(); err != nil {
					t.Fatal(err)
				}
				for word, v := range sums[i].mid {
					state[word][i] = v
				}
				sums[i].one.Write(text)
			}
			kernel(&state, &data, n, used)
			for i := range used {
				if err := sums[i].load(); err != nil {
					t.Fatal(err)
				}
				for word, want := range sums[i].mid {
					if got := state[word][i]; got != want {
						t.Fatalf("%s, %d lanes, %d blocks: unexpected word %d of lane %d; got %#x; want %#x", name, used, n, word, i, got, want)
					}
				}
			}
		}
	})
}

func BenchmarkBlocks(b *testing.B) {
	kernel := kernel()
	if kernel == nil {
		b.Skip("no kernel for this CPU")
	}
	var state [8][Width]uint32
	var data [Width]*byte
	for i := range data {
		data[i] = &make([]byte, maxBlocks*blockSize)[0]
	}
	for _, used := range []int{2, 4, 8, 9, 16} {
		b.Run(lanesName(used), func(b *testing.B) {
			b.SetBytes(int64(used * maxBlocks * blockSize))
			b.ReportAllocs()
			for b.Loop() {
				kernel(&state, &data, maxBlocks, used)
			}
		})
	}
}
