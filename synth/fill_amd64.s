#include "textflag.h"

// The constants of fill.go; DATA cannot name them, FuzzKernels compares the results.

// lane<>+8*i is i*gamma, the distance of word i from word 0.
DATA lane<>+0(SB)/8, $0x0000000000000000
DATA lane<>+8(SB)/8, $0x9E3779B97F4A7C15
DATA lane<>+16(SB)/8, $0x3C6EF372FE94F82A
DATA lane<>+24(SB)/8, $0xDAA66D2C7DDF743F
DATA lane<>+32(SB)/8, $0x78DDE6E5FD29F054
DATA lane<>+40(SB)/8, $0x1715609F7C746C69
DATA lane<>+48(SB)/8, $0xB54CDA58FBBEE87E
DATA lane<>+56(SB)/8, $0x538454127B096493
GLOBL lane<>(SB), RODATA|NOPTR, $64

// step<> is 4*gamma and 8*gamma, what one register of AVX2 or AVX-512 advances.
DATA step<>+0(SB)/8, $0x78DDE6E5FD29F054
DATA step<>+8(SB)/8, $0xF1BBCDCBFA53E0A8
GLOBL step<>(SB), RODATA|NOPTR, $16

// mul<> is mul1, mul1>>32, mul2, mul2>>32.
DATA mul<>+0(SB)/8, $0xBF58476D1CE4E5B9
DATA mul<>+8(SB)/8, $0x00000000BF58476D
DATA mul<>+16(SB)/8, $0x94D049BB133111EB
DATA mul<>+24(SB)/8, $0x0000000094D049BB
GLOBL mul<>(SB), RODATA|NOPTR, $32

// MIX8 turns the eight counters in x into words; t is scratch, Z30 and Z31 are mul1 and mul2.
#define MIX8(x, t)        \
	VPSRLQ  $30, x, t \
	VPXORQ  x, t, x   \
	VPMULLQ Z30, x, x \
	VPSRLQ  $27, x, t \
	VPXORQ  x, t, x   \
	VPMULLQ Z31, x, x \
	VPSRLQ  $31, x, t \
	VPXORQ  x, t, x

// func fillAVX512(dst []byte, x uint64)
// Four registers a turn; the CPU overlaps turns by itself, eight are no faster.
TEXT ·fillAVX512(SB), NOSPLIT, $0-32
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	VPBROADCASTQ x+24(FP), Z0
	VPADDQ       lane<>(SB), Z0, Z0
	VPBROADCASTQ step<>+8(SB), Z29
	VPBROADCASTQ mul<>+0(SB), Z30
	VPBROADCASTQ mul<>+16(SB), Z31

loop:
	VPADDQ    Z29, Z0, Z1
	VPADDQ    Z29, Z1, Z2
	VPADDQ    Z29, Z2, Z3
	VPADDQ    Z29, Z3, Z4
	MIX8(Z0, Z5)
	MIX8(Z1, Z6)
	MIX8(Z2, Z7)
	MIX8(Z3, Z8)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VMOVDQA64 Z4, Z0
	ADDQ      $256, DI
	SUBQ      $256, CX
	JNE       loop
	VZEROUPPER
	RET

// MUL4 multiplies the four words in x by m modulo 2^64, mh being m>>32:
// lo(x)*lo(m) + ((hi(x)*lo(m) + lo(x)*hi(m)) << 32). VPMULUDQ reads low halves only.
#define MUL4(x, m, mh, t, u)   \
	VPSRLQ   $32, x, t     \
	VPMULUDQ m, t, t       \
	VPMULUDQ mh, x, u      \
	VPADDQ   t, u, t       \
	VPSLLQ   $32, t, t     \
	VPMULUDQ m, x, x       \
	VPADDQ   t, x, x

// MIX4 turns the four counters in x into words; t and u are scratch.
#define MIX4(x, t, u)           \
	VPSRLQ $30, x, t        \
	VPXOR  x, t, x          \
	MUL4(x, Y12, Y13, t, u) \
	VPSRLQ $27, x, t        \
	VPXOR  x, t, x          \
	MUL4(x, Y14, Y15, t, u) \
	VPSRLQ $31, x, t        \
	VPXOR  x, t, x

// func fillAVX2(dst []byte, x uint64)
// Half a block, four registers, a turn.
TEXT ·fillAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	VPBROADCASTQ x+24(FP), Y0
	VPADDQ       lane<>(SB), Y0, Y0
	VPBROADCASTQ step<>+0(SB), Y11
	VPBROADCASTQ mul<>+0(SB), Y12
	VPBROADCASTQ mul<>+8(SB), Y13
	VPBROADCASTQ mul<>+16(SB), Y14
	VPBROADCASTQ mul<>+24(SB), Y15

loop:
	VPADDQ  Y11, Y0, Y1
	VPADDQ  Y11, Y1, Y2
	VPADDQ  Y11, Y2, Y3
	VPADDQ  Y11, Y3, Y10
	MIX4(Y0, Y4, Y5)
	MIX4(Y1, Y6, Y7)
	MIX4(Y2, Y8, Y9)
	MIX4(Y3, Y4, Y5)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	VMOVDQA Y10, Y0
	ADDQ    $128, DI
	SUBQ    $128, CX
	JNE     loop
	VZEROUPPER
	RET
