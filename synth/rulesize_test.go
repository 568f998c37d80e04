package synth

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
)

func TestParseSize(t *testing.T) {
	f := func(s string, want Size, text string) {
		t.Helper()
		got, err := ParseSize(s)
		if err != nil || got != want {
			t.Fatalf("unexpected size of %q; got %+v, %v; want %+v", s, got, err, want)
		}
		if got.String() != text {
			t.Fatalf("unexpected text of %q; got %q; want %q", s, got.String(), text)
		}
		if again, err := ParseSize(text); err != nil || again != got {
			t.Fatalf("unexpected size of %q; got %+v, %v; want %+v", text, again, err, got)
		}
	}
	f("322957", Size{Mean: 322957}, "322957")
	f(" 1.5 GiB ", Size{Mean: 3 << 29}, "1610612736")
	f("64MB", Size{Mean: 64e6}, "64000000")
	f("normal(140MiB, 65mib)", Size{Normal, 140 << 20, 65 << 20, 1, defaultMaxSize}, "normal(146800640, 68157440)")
	f("normal( 5 ,6, max=9, min=0)", Size{Normal, 5, 6, 0, 9}, "normal(5, 6, min=0, max=9)")
	f("lognormal(1KiB,0)", Size{Lognormal, 1024, 0, 1, defaultMaxSize}, "lognormal(1024, 0)")
	f("uniform(0,7)", Size{Uniform, 0, 0, 0, 7}, "uniform(0, 7)")
}

func TestParseSizeFails(t *testing.T) {
	for _, s := range []string{
		"", "x", "-1", "1K", "0.5", "1e3", "1/2", "99999999999999999999", "8388608TiB", "normal", "normal(", "normal()", "normal(1)", "normal(1,2", "normal(1,2,3)",
		"normal(min=1,2)", "normal(1,2,mean=3)", "uniform(2,1)", "uniform(1,2,min=3)", "zipf(1,2)", "lognormal(0,1)", "lognormal(1,1MiB)", "normal(5,1,min=3,max=2)", "1 2",
	} {
		if got, err := ParseSize(s); !errors.Is(err, ErrBadSize) {
			t.Errorf("unexpected result for %q; got %+v, %v; want ErrBadSize", s, got, err)
		}
	}
}

// TestSizesGolden pins drawn sizes: they are part of what replicas, of any architecture and
// version, agree on. testdata/sizes.py is an independent computation of the same rows.
func TestSizesGolden(t *testing.T) {
	f := func(size string, seed uint64, want ...int64) {
		t.Helper()
		s, err := ParseSize(size)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		r := testRule("train/img_{i}_of_{n}.npz", 0, maxCount, 0)
		r.Size, r.Seed = s, seed
		d := mustDataset(t, r)
		var got []int64
		for _, i := range []int64{0, 1, 2, 50_203_281, maxCount - 1} {
			got = append(got, d.Size(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("unexpected sizes of %s, seed %d; got %v; want %v", size, seed, got, want)
		}
	}
	f("322957", 1, 322957, 322957, 322957, 322957, 322957)
	f("uniform(4KiB,1MiB)", 0, 628931, 226349, 512608, 502001, 603013)
	f("normal(146600628, 68341808)", 0, 99117851, 29708929, 83650491, 50012915, 295474340)
	f("normal(146600628, 68341808)", 1, 289580795, 155661107, 201718202, 123027605, 186554756)
	f("normal(2828486, 71311, min=2800000, max=2850000)", 0, 2800000, 2800000, 2800000, 2800000, 2850000)
	f("lognormal(100KiB, 300KiB)", 0, 11283, 2416, 8003, 3792, 882811)
	f("lognormal(3590848512, 1)", 7, 3590848511, 3590848509, 3590848510, 3590848510, 3590848511)
	f("lognormal(3, 3000, min=0)", 7, 0, 0, 0, 0, 0)
}

func TestLognormalParameters(t *testing.T) {
	f := func(mean, sd int64) {
		t.Helper()
		q := 1 + float64(sd)/float64(mean)*float64(sd)/float64(mean)
		wantMean, wantSD := math.Log2(float64(mean))-math.Log2(q)/2, math.Sqrt(math.Log(q))/math.Ln2
		m, s := lognormalParameters(mean, sd)
		if math.Abs(float64(m)/(1<<32)-wantMean) > 1e-9 || math.Abs(float64(s)/(1<<32)-wantSD) > 1e-7 {
			t.Errorf("unexpected parameters of %d, %d; got %v, %v; want %v, %v", mean, sd, float64(m)/(1<<32), float64(s)/(1<<32), wantMean, wantSD)
		}
	}
	f(1, 0)
	f(1, 1)
	f(100<<10, 300<<10)
	f(3, 3*maxMeanShare-1)
	f(maxObjectSize, 1<<20)
	f(maxObjectSize, maxObjectSize)
}

func TestExp2(t *testing.T) {
	root := new(big.Float).SetPrec(256).SetInt64(2)
	for k, got := range exp2Roots {
		root.Sqrt(root)
		scaled := new(big.Float).SetPrec(256).SetMantExp(root, 62)
		want, _ := scaled.Add(scaled, big.NewFloat(0.5)).Uint64()
		if got != want {
			t.Errorf("unexpected root %d; got %#x; want %#x", k, got, want)
		}
	}
	for _, x := range []float64{0, 0.25, 1, 1.5, 10.7, 31.999, 45.123} {
		got, want := float64(exp2(int64(x*(1<<32)))), math.Exp2(x)
		if math.Abs(got-want) > 1+want*1e-8 {
			t.Errorf("unexpected 2^%v; got %v; want %v", x, got, want)
		}
	}
	if exp2(-1) != 0 || exp2(math.MaxInt64) != 1<<62 {
		t.Errorf("unexpected limits; got %d and %d; want 0 and 2^62", exp2(-1), exp2(math.MaxInt64))
	}
}

// TestSizeMoments checks mean, deviation and limits of a hundred thousand draws.
func TestSizeMoments(t *testing.T) {
	f := func(size string, mean, sd float64) {
		t.Helper()
		s, err := ParseSize(size)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		r := testRule("{i}", 0, 200_000, 0)
		r.Size = s
		d := mustDataset(t, r)
		var sum, squares float64
		for i := range d.Len() {
			v := d.Size(i)
			if v < s.Min || v > s.Max {
				t.Fatalf("unexpected size; got %d; want %d to %d", v, s.Min, s.Max)
			}
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
		n := float64(d.Len())
		gotMean := sum / n
		gotSD := math.Sqrt(squares/n - gotMean*gotMean)
		if math.Abs(gotMean-mean) > 5*sd/math.Sqrt(n) || math.Abs(gotSD-sd) > 0.02*sd {
			t.Errorf("unexpected moments of %s; got %.0f, %.0f; want %.0f, %.0f", size, gotMean, gotSD, mean, sd)
		}
		if total, exact := d.TotalBytes(); !exact || float64(total) != sum {
			t.Errorf("unexpected total of %s; got %d, %v; want %.0f", size, total, exact, sum)
		}
	}
	f("normal(1000000, 100000)", 1e6, 1e5)
	f("lognormal(1000000, 300000)", 1e6, 3e5)
	f("uniform(0, 1000000)", 5e5, 1e6/math.Sqrt(12))
}

func TestTotalBytes(t *testing.T) {
	f := func(count int64, size string, want float64, wantExact bool) {
		t.Helper()
		s, err := ParseSize(size)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		r := testRule("{i}", 5, count, 0)
		r.Size = s
		got, exact := mustDataset(t, r).TotalBytes()
		if exact != wantExact || math.Abs(float64(got)-want) > want*1e-3 {
			t.Errorf("unexpected total of %d * %s; got %d, %v; want %.0f, %v", count, size, got, exact, want, wantExact)
		}
	}
	f(50_203_282, "322957", 50_203_282*322957, true)
	f(50_203_282, "normal(1000, 100)", 50_203_282*1000, false)
	f(1<<40, "5TiB", math.MaxInt64, true)
	f(1<<40, "normal(5TiB, 1)", math.MaxInt64, false)
}
