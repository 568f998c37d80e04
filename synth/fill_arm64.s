#include "textflag.h"

// START makes of the counter z the state of a chain, of which x is the first
// word; R4 and R5 are mul1 and mul2, R7 is gamma.
#define START(x, y, z)          \
	EOR z>>30, z, y         \
	MUL R4, y, y            \
	EOR y>>27, y, x         \
	MUL R5, x, x            \
	EOR x>>31, x, x         \
	SUB x, y, y             \
	ROR $37, y, y           \
	ADD R7, z, z

// NEXT goes on from the word x to the next, n; R6 is mul3.
#define NEXT(x, y, n)           \
	MUL R6, y, n            \
	SUB x, y, y             \
	ROR $37, y, y

// func fillARM64(dst []byte, z uint64)
// Two chains at a time: their words are neighbours, so one instruction stores
// both. The constants are those of mix.go and fill.go; FuzzKernels compares.
TEXT ·fillARM64(SB), NOSPLIT, $0-32
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD z+24(FP), R3
	MOVD $0xBF58476D1CE4E5B9, R4
	MOVD $0x94D049BB133111EB, R5
	MOVD $0xD3833E804F4C574B, R6
	MOVD $0x9E3779B97F4A7C15, R7

block:
	MOVD $4, R2

pair:
	START(R8, R9, R3)
	START(R10, R11, R3)
	STP  (R8, R10), (R0)
	NEXT(R8, R9, R12)
	NEXT(R10, R11, R13)
	STP  (R12, R13), 64(R0)
	NEXT(R12, R9, R8)
	NEXT(R13, R11, R10)
	STP  (R8, R10), 128(R0)
	NEXT(R8, R9, R12)
	NEXT(R10, R11, R13)
	STP  (R12, R13), 192(R0)
	NEXT(R12, R9, R8)
	NEXT(R13, R11, R10)
	STP  (R8, R10), 256(R0)
	NEXT(R8, R9, R12)
	NEXT(R10, R11, R13)
	STP  (R12, R13), 320(R0)
	NEXT(R12, R9, R8)
	NEXT(R13, R11, R10)
	STP  (R8, R10), 384(R0)
	MUL  R6, R9, R12
	MUL  R6, R11, R13
	STP  (R12, R13), 448(R0)
	ADD  $16, R0
	SUBS $1, R2
	BNE  pair
	ADD  $448, R0
	SUBS $512, R1
	BNE  block
	RET
