#include "textflag.h"

// The constants of mix.go and fill.go; DATA cannot name them, FuzzKernels compares the results.

// lane<>+8*i is i*gamma, the distance of a block's chain i from its first.
DATA lane<>+0(SB)/8, $0x0000000000000000
DATA lane<>+8(SB)/8, $0x9E3779B97F4A7C15
DATA lane<>+16(SB)/8, $0x3C6EF372FE94F82A
DATA lane<>+24(SB)/8, $0xDAA66D2C7DDF743F
DATA lane<>+32(SB)/8, $0x78DDE6E5FD29F054
DATA lane<>+40(SB)/8, $0x1715609F7C746C69
DATA lane<>+48(SB)/8, $0xB54CDA58FBBEE87E
DATA lane<>+56(SB)/8, $0x538454127B096493
GLOBL lane<>(SB), RODATA|NOPTR, $64

// apart<> is 8*gamma, the distance of a block from the next.
DATA apart<>+0(SB)/8, $0xF1BBCDCBFA53E0A8
GLOBL apart<>(SB), RODATA|NOPTR, $8

// mul<> is mul1, mul2, mul3 and their high halves.
DATA mul<>+0(SB)/8, $0xBF58476D1CE4E5B9
DATA mul<>+8(SB)/8, $0x94D049BB133111EB
DATA mul<>+16(SB)/8, $0xD3833E804F4C574B
DATA mul<>+24(SB)/8, $0x00000000BF58476D
DATA mul<>+32(SB)/8, $0x0000000094D049BB
DATA mul<>+40(SB)/8, $0x00000000D3833E80
GLOBL mul<>(SB), RODATA|NOPTR, $48

// START8 makes of the counters in y the states of eight chains, of which x is
// the first words; t is scratch, Z29 and Z30 are mul1 and mul2.
#define START8(x, y, t)     \
	VPSRLQ  $30, y, t   \
	VPXORQ  y, t, y     \
	VPMULLQ Z29, y, y   \
	VPSRLQ  $27, y, t   \
	VPXORQ  y, t, x     \
	VPMULLQ Z30, x, x   \
	VPSRLQ  $31, x, t   \
	VPXORQ  x, t, x     \
	VPSUBQ  x, y, y     \
	VPROLQ  $27, y, y

// NEXT8 writes the words in x and makes the next ones, in n; Z31 is mul3.
#define NEXT8(x, y, n, to)    \
	VMOVDQU64 x, to       \
	VPMULLQ   Z31, y, n   \
	VPSUBQ    x, y, y     \
	VPROLQ    $27, y, y

// func fillAVX512(dst []byte, z uint64)
// Four blocks a turn, so that the multiplies of one chain's steps overlap with
// the others', then the rest one by one.
TEXT ·fillAVX512(SB), NOSPLIT, $0-32
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	VPBROADCASTQ z+24(FP), Z0
	VPADDQ       lane<>(SB), Z0, Z0
	VPBROADCASTQ apart<>(SB), Z28
	VPBROADCASTQ mul<>+0(SB), Z29
	VPBROADCASTQ mul<>+8(SB), Z30
	VPBROADCASTQ mul<>+16(SB), Z31
	SUBQ         $2048, CX
	JL           rest

four:
	VMOVDQA64 Z0, Z1
	VPADDQ    Z28, Z0, Z2
	VPADDQ    Z28, Z2, Z3
	VPADDQ    Z28, Z3, Z4
	VPADDQ    Z28, Z4, Z0
	START8(Z5, Z1, Z9)
	START8(Z6, Z2, Z10)
	START8(Z7, Z3, Z11)
	START8(Z8, Z4, Z12)
#define ROW4(a, b, c, d, an, bn, cn, dn, at) \
	NEXT8(a, Z1, an, at(DI))            \
	NEXT8(b, Z2, bn, 512+at(DI))        \
	NEXT8(c, Z3, cn, 1024+at(DI))       \
	NEXT8(d, Z4, dn, 1536+at(DI))
	ROW4(Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, 0)
	ROW4(Z9, Z10, Z11, Z12, Z5, Z6, Z7, Z8, 64)
	ROW4(Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, 128)
	ROW4(Z9, Z10, Z11, Z12, Z5, Z6, Z7, Z8, 192)
	ROW4(Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, 256)
	ROW4(Z9, Z10, Z11, Z12, Z5, Z6, Z7, Z8, 320)
	ROW4(Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, 384)
	VMOVDQU64 Z9, 448(DI)
	VMOVDQU64 Z10, 960(DI)
	VMOVDQU64 Z11, 1472(DI)
	VMOVDQU64 Z12, 1984(DI)
	ADDQ      $2048, DI
	SUBQ      $2048, CX
	JGE       four

rest:
	ADDQ $2048, CX
	JE   done

one:
	VMOVDQA64 Z0, Z1
	VPADDQ    Z28, Z0, Z0
	START8(Z5, Z1, Z9)
	NEXT8(Z5, Z1, Z9, (DI))
	NEXT8(Z9, Z1, Z5, 64(DI))
	NEXT8(Z5, Z1, Z9, 128(DI))
	NEXT8(Z9, Z1, Z5, 192(DI))
	NEXT8(Z5, Z1, Z9, 256(DI))
	NEXT8(Z9, Z1, Z5, 320(DI))
	NEXT8(Z5, Z1, Z9, 384(DI))
	VMOVDQU64 Z9, 448(DI)
	ADDQ      $512, DI
	SUBQ      $512, CX
	JNE       one

done:
	VZEROUPPER
	RET

// MUL4 multiplies the four words in x by m modulo 2^64, mh being m>>32, into p:
// lo(x)*lo(m) + ((hi(x)*lo(m) + lo(x)*hi(m)) << 32). VPMULUDQ reads low halves
// only. t is scratch; p may be x.
#define MUL4(x, m, mh, p, t, u)  \
	VPSHUFD  $0xB1, x, t     \
	VPMULUDQ m, t, t         \
	VPMULUDQ mh, x, u        \
	VPADDQ   t, u, t         \
	VPSLLQ   $32, t, t       \
	VPMULUDQ m, x, p         \
	VPADDQ   t, p, p

// TURN4 rotates y left by 27 bits.
#define TURN4(y, t)        \
	VPSLLQ $27, y, t   \
	VPSRLQ $37, y, y   \
	VPOR   t, y, y

// START4 is START8 for four chains.
#define START4(x, y, t, u)          \
	VPSRLQ $30, y, t            \
	VPXOR  y, t, y              \
	MUL4(y, Y10, Y13, y, t, u)  \
	VPSRLQ $27, y, t            \
	VPXOR  y, t, x              \
	MUL4(x, Y11, Y14, x, t, u)  \
	VPSRLQ $31, x, t            \
	VPXOR  x, t, x              \
	VPSUBQ x, y, y              \
	TURN4(y, t)

// NEXT4 is NEXT8 for four chains; x becomes the next words.
#define NEXT4(x, y, t, u, to)       \
	VMOVDQU x, to               \
	VPSUBQ  x, y, x             \
	MUL4(y, Y12, Y15, y, t, u)  \
	TURN4(x, t)

// func fillAVX2(dst []byte, z uint64)
// A block a turn, its chains 0 to 3 and 4 to 7 side by side.
TEXT ·fillAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	VPBROADCASTQ z+24(FP), Y0
	VPADDQ       lane<>+32(SB), Y0, Y1
	VPADDQ       lane<>(SB), Y0, Y0
	VPBROADCASTQ mul<>+0(SB), Y10
	VPBROADCASTQ mul<>+8(SB), Y11
	VPBROADCASTQ mul<>+16(SB), Y12
	VPBROADCASTQ mul<>+24(SB), Y13
	VPBROADCASTQ mul<>+32(SB), Y14
	VPBROADCASTQ mul<>+40(SB), Y15

loop:
	VMOVDQA Y0, Y3
	VMOVDQA Y1, Y5
	START4(Y2, Y3, Y6, Y7)
	START4(Y4, Y5, Y8, Y9)
	// NEXT4 leaves the next words where the other half of the state was.
	NEXT4(Y2, Y3, Y6, Y7, (DI))
	NEXT4(Y4, Y5, Y8, Y9, 32(DI))
	NEXT4(Y3, Y2, Y6, Y7, 64(DI))
	NEXT4(Y5, Y4, Y8, Y9, 96(DI))
	NEXT4(Y2, Y3, Y6, Y7, 128(DI))
	NEXT4(Y4, Y5, Y8, Y9, 160(DI))
	NEXT4(Y3, Y2, Y6, Y7, 192(DI))
	NEXT4(Y5, Y4, Y8, Y9, 224(DI))
	NEXT4(Y2, Y3, Y6, Y7, 256(DI))
	NEXT4(Y4, Y5, Y8, Y9, 288(DI))
	NEXT4(Y3, Y2, Y6, Y7, 320(DI))
	NEXT4(Y5, Y4, Y8, Y9, 352(DI))
	NEXT4(Y2, Y3, Y6, Y7, 384(DI))
	NEXT4(Y4, Y5, Y8, Y9, 416(DI))
	VMOVDQU Y3, 448(DI)
	VMOVDQU Y5, 480(DI)
	VPBROADCASTQ apart<>(SB), Y6
	VPADDQ  Y6, Y0, Y0
	VPADDQ  Y6, Y1, Y1
	ADDQ    $512, DI
	SUBQ    $512, CX
	JNE     loop
	VZEROUPPER
	RET
