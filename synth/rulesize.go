package synth

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// ErrBadSize means a size or a distribution of sizes that cannot be.
var ErrBadSize = errors.New("bad size")

const (
	// maxObjectSize is what S3's largest multipart upload can hold: 10,000 parts of 5 GiB.
	maxObjectSize = 10_000 * 5 << 30

	// defaultMaxSize is where drawn sizes are cut unless a rule says otherwise: 5 TiB, S3's limit
	// of an object for most of its life.
	defaultMaxSize = 5 << 40

	// wordsPerDraw is how many words of the stream belong to one index; a draw takes up to six.
	// A power of two keeps the address of a draw a shift.
	wordsPerDraw = 8

	// maxMeanShare bounds sd at 2^16 times the mean of a lognormal distribution, which keeps the
	// logarithms in their fixed-point fields. Real sets stay below 10.
	maxMeanShare = 1 << 16
)

// Distribution is the law that the sizes of a data set follow.
type Distribution uint8

const (
	// Constant sizes are all Mean.
	Constant Distribution = iota

	// Normal sizes have the mean Mean and the standard deviation SD before they are clamped.
	Normal

	// Lognormal sizes likewise; Mean and SD are those of the sizes, not of their logarithms.
	Lognormal

	// Uniform sizes are any of Min to Max, both included.
	Uniform
)

func (d Distribution) String() string {
	switch d {
	case Constant:
		return "constant"
	case Normal:
		return "normal"
	case Lognormal:
		return "lognormal"
	case Uniform:
		return "uniform"
	default:
		return "unknown"
	}
}

// Size describes the sizes in bytes of a data set's objects. It is a comparable value; the zero
// Size is 0 bytes each.
type Size struct {
	Distribution Distribution

	// Mean and SD are for all but Uniform; SD only for Normal and Lognormal.
	Mean, SD int64

	// Min and Max clamp what Normal and Lognormal draw, and are the limits of Uniform.
	Min, Max int64
}

// ParseSize reads a description of sizes:
//
//	322957                                constant; 64MiB, 64MB, 1.5GiB are understood
//	normal(146600628, 68341808)           mean and standard deviation
//	lognormal(100KiB, 300KiB)             likewise, of the sizes
//	uniform(4KiB, 1MiB)                   smallest and largest
//	normal(140MiB, 65MiB, min=1MiB, max=1GiB)
//
// Without min and max, drawn sizes are clamped to 1 byte and 5 TiB. Errors wrap ErrBadSize.
func ParseSize(s string) (Size, error) {
	size, err := parseSize(s)
	if err != nil {
		return Size{}, fmt.Errorf("%w %q: %w", ErrBadSize, s, err)
	}
	return size, nil
}

func parseSize(s string) (Size, error) {
	name, args, called := strings.Cut(strings.TrimSpace(s), "(")
	if !called {
		n, err := parseBytes(name)
		size := Size{Mean: n}
		if err == nil {
			err = size.validate()
		}
		return size, err
	}
	size := Size{Min: 1, Max: defaultMaxSize}
	switch strings.TrimSpace(name) {
	case "normal":
		size.Distribution = Normal
	case "lognormal":
		size.Distribution = Lognormal
	case "uniform":
		size.Distribution = Uniform
	default:
		return Size{}, errors.New("write bytes, normal(mean, sd), lognormal(mean, sd) or uniform(min, max)")
	}
	args, closed := strings.CutSuffix(args, ")")
	if !closed {
		return Size{}, errors.New("the closing parenthesis is missing")
	}
	positional := []*int64{&size.Mean, &size.SD}
	if size.Distribution == Uniform {
		positional = []*int64{&size.Min, &size.Max}
	}
	for k, arg := range strings.Split(args, ",") {
		name, value, named := strings.Cut(arg, "=")
		name = strings.TrimSpace(name)
		var to *int64
		switch {
		case !named && k < len(positional):
			to, value = positional[k], arg
		case k < len(positional):
			return Size{}, fmt.Errorf("%s takes two numbers first", size.Distribution)
		case named && name == "min" && size.Distribution != Uniform:
			to = &size.Min
		case named && name == "max" && size.Distribution != Uniform:
			to = &size.Max
		default:
			return Size{}, fmt.Errorf("%s does not take %q", size.Distribution, strings.TrimSpace(arg))
		}
		n, err := parseBytes(value)
		if err != nil {
			return Size{}, err
		}
		*to = n
	}
	if strings.Count(args, ",") < len(positional)-1 {
		return Size{}, fmt.Errorf("%s takes two numbers first", size.Distribution)
	}
	return size, size.validate()
}

// byteUnits are the suffixes that parseBytes takes, lower case.
var byteUnits = map[string]int64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// parseBytes reads a number of bytes, as the flags of the server do: 64MiB = 64 x 2^20, 64MB =
// 64 x 10^6; K, M and G alone are refused as half of the world takes them for the other.
func parseBytes(s string) (int64, error) {
	s = strings.TrimSpace(s)
	end := strings.LastIndexAny(s, "0123456789.") + 1
	factor, ok := byteUnits[strings.ToLower(strings.TrimSpace(s[end:]))]
	if !ok {
		return 0, fmt.Errorf("%q is not a number of bytes; units are KiB, MiB, GiB, TiB, KB, MB, GB, TB", s)
	}
	// 20 digits hold every int64; longer ones would only cost time.
	if strings.Trim(s[:end], "0123456789.") != "" || end > 20 {
		return 0, fmt.Errorf("%q is not a number of bytes", s)
	}
	v, ok := new(big.Rat).SetString(s[:end])
	if !ok {
		return 0, fmt.Errorf("%q is not a number of bytes", s)
	}
	v.Mul(v, new(big.Rat).SetInt64(factor))
	if !v.IsInt() || !v.Num().IsInt64() {
		return 0, fmt.Errorf("%q is not a whole number of bytes below 2^63", s)
	}
	return v.Num().Int64(), nil
}

// validate returns why the sizes cannot be, or nil.
func (s Size) validate() error {
	for _, n := range []int64{s.Mean, s.SD, s.Min, s.Max} {
		if n < 0 || n > maxObjectSize {
			return fmt.Errorf("%d is not in 0 to %d bytes", n, int64(maxObjectSize))
		}
	}
	switch {
	case s.Distribution > Uniform:
		return fmt.Errorf("unknown distribution %d", s.Distribution)
	case s.Distribution != Constant && s.Min > s.Max:
		return fmt.Errorf("the smallest size %d is above the largest %d", s.Min, s.Max)
	case s.Distribution == Lognormal && s.Mean < 1:
		return errors.New("the mean of a lognormal distribution is above 0")
	case s.Distribution == Lognormal && s.SD/maxMeanShare >= s.Mean:
		return fmt.Errorf("the deviation of a lognormal distribution is below %d times its mean", int64(maxMeanShare))
	default:
		return nil
	}
}

// String returns what ParseSize reads back as the same Size.
func (s Size) String() string {
	switch s.Distribution {
	case Constant:
		return strconv.FormatInt(s.Mean, 10)
	case Uniform:
		return fmt.Sprintf("uniform(%d, %d)", s.Min, s.Max)
	default:
		text := fmt.Sprintf("%s(%d, %d", s.Distribution, s.Mean, s.SD)
		if s.Min != 1 {
			text += fmt.Sprintf(", min=%d", s.Min)
		}
		if s.Max != defaultMaxSize {
			text += fmt.Sprintf(", max=%d", s.Max)
		}
		return text + ")"
	}
}

// sizer draws sizes. All its arithmetic is on integers: floating point would do, but a compiler
// may fuse a multiplication and an addition on one architecture and not on another, and replicas
// must agree on every byte.
type sizer struct {
	Size

	// stream is the h of the words that draws are made of, see Fill.
	stream uint64

	// For Lognormal: mean and standard deviation of the binary logarithm, with 32 fraction bits.
	logMean, logSD int64
}

func newSizer(s Size, stream uint64) sizer {
	z := sizer{Size: s, stream: stream}
	if s.Distribution == Lognormal {
		z.logMean, z.logSD = lognormalParameters(s.Mean, s.SD)
	}
	return z
}

// word returns word k of the draw of index i.
func (z *sizer) word(i int64, k uint64) uint64 {
	return mix(z.stream + (uint64(i)*wordsPerDraw+k+1)*gamma)
}

// at returns the size of the object with index i.
func (z *sizer) at(i int64) int64 {
	var size int64
	switch z.Distribution {
	case Constant:
		return z.Mean
	case Uniform:
		hi, _ := bits.Mul64(z.word(i, 0), uint64(z.Max-z.Min)+1)
		return z.Min + int64(hi)
	case Normal:
		size = z.Mean + scale(z.SD, z.deviate(i))
	default:
		size = exp2(z.logMean + scale(z.logSD, z.deviate(i)))
	}
	return min(max(size, z.Min), z.Max)
}

// deviate returns a standard normal deviate with 32 fraction bits: the sum of twelve uniform
// 32-bit numbers less its mean (Irwin-Hall), whose variance is 1. It stays within 6 deviations,
// and its distribution within 0.0024 of the normal one.
func (z *sizer) deviate(i int64) int64 {
	var sum int64
	for k := range uint64(6) {
		w := z.word(i, k)
		sum += int64(w>>32) + int64(w&math.MaxUint32)
	}
	return sum - 6<<32
}

// scale returns sd * z / 2^32, truncated towards 0. sd is not negative.
func scale(sd, z int64) int64 {
	hi, lo := bits.Mul64(uint64(sd), uint64(max(z, -z)))
	v := int64(hi<<32 | lo>>32)
	if z < 0 {
		return -v
	}
	return v
}

// exp2Roots are 2^(2^-k) for k = 1 to 32, with 62 fraction bits, rounded.
var exp2Roots = [32]uint64{
	0x5A827999FCEF3242, 0x4C1BF828C6DC54B8, 0x45CAE0F1F545EB73, 0x42D561B3E6243D8A,
	0x4166C34C5615D0EC, 0x40B268F9DE0183BA, 0x4058F6A7ECCCD5B6, 0x402C6BE96AF2FB58,
	0x4016321B687027A8, 0x400B18178BA33B14, 0x40058BCE410147E8, 0x4002C5D7BFF71DAF,
	0x400162E807EE7E5B, 0x4000B1730DF6A524, 0x400058B9497B8152, 0x40002C5C955DD701,
	0x4000162E46D6F26C, 0x40000B1722757B1B, 0x4000058B90FD3E0C, 0x400002C5C86F3F26,
	0x40000162E433C79B, 0x400000B17218EDD0, 0x40000058B90C3968, 0x4000002C5C860D54,
	0x400000162E4302D2, 0x4000000B17218073, 0x400000058B90BFFC, 0x40000002C5C85FEF,
	0x4000000162E42FF3, 0x40000000B17217F9, 0x4000000058B90BFC, 0x400000002C5C85FE,
}

// exp2 returns 2^(x / 2^32) rounded down to an integer (with an
// error below 2^-56 of it before that), 0 if x is negative, and at most 2^62.
func exp2(x int64) int64 {
	if x < 0 {
		return 0
	}
	if x >= 62<<32 {
		return 1 << 62
	}
	r := uint64(1) << 62
	for f := uint32(x); f != 0; {
		k := bits.LeadingZeros32(f)
		f &^= 1 << (31 - k)
		hi, lo := bits.Mul64(r, exp2Roots[k])
		r = hi<<2 | lo>>62
	}
	return int64(r >> (62 - x>>32))
}

// lognormalParameters returns mean and standard deviation of log2 of the sizes, with 32 fraction
// bits, for a mean and a standard deviation of the sizes:
//
//	q = 1 + (sd/mean)^2,  logMean = log2(mean) - log2(q)/2,  logSD = sqrt(log2(q) / ln 2)
//
// math/big computes the same bits everywhere.
func lognormalParameters(mean, sd int64) (logMean, logSD int64) {
	m, s := bigFloat().SetInt64(mean), bigFloat().SetInt64(sd)
	q := bigFloat().Quo(s, m)
	q.Mul(q, q).Add(q, big.NewFloat(1))
	lq := bigLog2(q)
	lm := bigLog2(m)
	lm.Sub(lm, bigFloat().Quo(lq, big.NewFloat(2)))
	ln2, _, _ := big.ParseFloat("0.693147180559945309417232121458176568075500134360255", 10, bigPrecision, big.ToNearestEven)
	ls := bigFloat().Sqrt(lq.Quo(lq, ln2))
	return fixed32(lm), fixed32(ls)
}

const (
	// log2Bits is how many fraction bits bigLog2 finds. logSD is the root of such a logarithm, so
	// its 32 bits need 64 of them; the rest is margin.
	log2Bits = 96

	// bigPrecision is the mantissa of the big floats here. Each squaring in bigLog2 loses a bit.
	bigPrecision = 2*log2Bits + 32
)

func bigFloat() *big.Float { return new(big.Float).SetPrec(bigPrecision) }

// bigLog2 returns log2(x) for x >= 1, to log2Bits: the exponent, then one bit by each squaring of
// the mantissa.
func bigLog2(x *big.Float) *big.Float {
	mant := bigFloat()
	exp := x.MantExp(mant) - 1
	mant.Mul(mant, big.NewFloat(2)) // in [1, 2)
	sum := bigFloat().SetInt64(int64(exp))
	for bit := -1; bit >= -log2Bits; bit-- {
		mant.Mul(mant, mant)
		if mant.Cmp(big.NewFloat(2)) >= 0 {
			mant.Quo(mant, big.NewFloat(2))
			sum.Add(sum, bigFloat().SetMantExp(big.NewFloat(1), bit))
		}
	}
	return sum
}

// fixed32 returns x * 2^32 rounded to the nearest integer.
func fixed32(x *big.Float) int64 {
	v := bigFloat().SetMantExp(x, 32)
	half := big.NewFloat(0.5)
	if v.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := v.Add(v, half).Int64()
	return n
}
