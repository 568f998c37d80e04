package synth

import (
	"bytes"
	"testing"
)

// FuzzKernels compares the kernels at every alignment, and guards what lies around dst.
func FuzzKernels(f *testing.F) {
	f.Add(uint64(0), uint8(0), uint8(0))
	f.Add(uint64(1), uint8(1), uint8(1))
	f.Add(uint64(1<<64-1), uint8(63), uint8(64))
	f.Add(uint64(gamma), uint8(8), uint8(255))
	f.Fuzz(func(t *testing.T, z uint64, blocks, align uint8) {
		n := (int(blocks)%64 + 1) * blockBytes
		want := wantFill(n, z-gamma, 0)
		for name, fill := range kernels() {
			room := bytes.Repeat([]byte{0xA5}, int(align)+n+64)
			fill(room[align:int(align)+n], z)
			if got := room[align : int(align)+n]; !bytes.Equal(got, want) {
				t.Errorf("unexpected words of %s from counter %#x, %d bytes at alignment %d", name, z, n, align)
			}
			before, after := room[:align], room[int(align)+n:]
			if !bytes.Equal(before, bytes.Repeat([]byte{0xA5}, len(before))) ||
				!bytes.Equal(after, bytes.Repeat([]byte{0xA5}, len(after))) {
				t.Errorf("unexpected write of %s outside %d bytes at alignment %d", name, n, align)
			}
		}
	})
}

func BenchmarkKernels(b *testing.B) {
	for name, fill := range kernels() {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 128<<10)
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				fill(dst, 1)
			}
		})
	}
}
