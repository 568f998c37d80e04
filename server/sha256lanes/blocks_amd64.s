#include "textflag.h"

// k<> is the constants of the 64 rounds, FIPS 180-4 section 4.2.2, two to a line.
DATA k<>+0(SB)/8, $0x71374491428A2F98
DATA k<>+8(SB)/8, $0xE9B5DBA5B5C0FBCF
DATA k<>+16(SB)/8, $0x59F111F13956C25B
DATA k<>+24(SB)/8, $0xAB1C5ED5923F82A4
DATA k<>+32(SB)/8, $0x12835B01D807AA98
DATA k<>+40(SB)/8, $0x550C7DC3243185BE
DATA k<>+48(SB)/8, $0x80DEB1FE72BE5D74
DATA k<>+56(SB)/8, $0xC19BF1749BDC06A7
DATA k<>+64(SB)/8, $0xEFBE4786E49B69C1
DATA k<>+72(SB)/8, $0x240CA1CC0FC19DC6
DATA k<>+80(SB)/8, $0x4A7484AA2DE92C6F
DATA k<>+88(SB)/8, $0x76F988DA5CB0A9DC
DATA k<>+96(SB)/8, $0xA831C66D983E5152
DATA k<>+104(SB)/8, $0xBF597FC7B00327C8
DATA k<>+112(SB)/8, $0xD5A79147C6E00BF3
DATA k<>+120(SB)/8, $0x1429296706CA6351
DATA k<>+128(SB)/8, $0x2E1B213827B70A85
DATA k<>+136(SB)/8, $0x53380D134D2C6DFC
DATA k<>+144(SB)/8, $0x766A0ABB650A7354
DATA k<>+152(SB)/8, $0x92722C8581C2C92E
DATA k<>+160(SB)/8, $0xA81A664BA2BFE8A1
DATA k<>+168(SB)/8, $0xC76C51A3C24B8B70
DATA k<>+176(SB)/8, $0xD6990624D192E819
DATA k<>+184(SB)/8, $0x106AA070F40E3585
DATA k<>+192(SB)/8, $0x1E376C0819A4C116
DATA k<>+200(SB)/8, $0x34B0BCB52748774C
DATA k<>+208(SB)/8, $0x4ED8AA4A391C0CB3
DATA k<>+216(SB)/8, $0x682E6FF35B9CCA4F
DATA k<>+224(SB)/8, $0x78A5636F748F82EE
DATA k<>+232(SB)/8, $0x8CC7020884C87814
DATA k<>+240(SB)/8, $0xA4506CEB90BEFFFA
DATA k<>+248(SB)/8, $0xC67178F2BEF9A3F7
GLOBL k<>(SB), RODATA|NOPTR, $256

// swap<> turns the words of 16 bytes from SHA-256's big-endian order.
DATA swap<>+0(SB)/8, $0x0405060700010203
DATA swap<>+8(SB)/8, $0x0C0D0E0F08090A0B
GLOBL swap<>(SB), RODATA|NOPTR, $16

// The macros serve registers of 16 lanes and of 8. T0 to T6 are scratch, T7 is
// swap<> in every quarter; each function defines them.

// WORDS makes four words of all lanes of four registers that LOAD filled with 16
// bytes of each: it transposes 4x4 words in each quarter.
#define WORDS(r0, r1, r2, r3) \
	VPUNPCKLDQ  r1, r0, T0 \
	VPUNPCKHDQ  r1, r0, T1 \
	VPUNPCKLDQ  r3, r2, T2 \
	VPUNPCKHDQ  r3, r2, T3 \
	VPUNPCKLQDQ T2, T0, r0 \
	VPUNPCKHQDQ T2, T0, r1 \
	VPUNPCKLQDQ T3, T1, r2 \
	VPUNPCKHQDQ T3, T1, r3 \
	VPSHUFB     T7, r0, r0 \
	VPSHUFB     T7, r1, r1 \
	VPSHUFB     T7, r2, r2 \
	VPSHUFB     T7, r3, r3

// ROUND is one round, section 6.2.2 step 3, with word w and the i-th constant
// from AX on. It leaves the new a in h and the new e in d. The immediates of
// VPTERNLOGD are the truth tables of x^y^z, Ch and Maj.
#define ROUND(i, w, a, b, c, d, e, f, g, h) \
	VPADDD.BCST (4*i)(AX), w, T0  \
	VPRORD      $6, e, T1         \
	VPRORD      $11, e, T2        \
	VPRORD      $25, e, T3        \
	VMOVDQA32   e, T4             \
	VPADDD      T0, h, h          \
	VPTERNLOGD  $0xCA, g, f, T4   \
	VPTERNLOGD  $0x96, T3, T2, T1 \
	VPADDD      T4, h, h          \
	VPADDD      T1, h, h          \
	VPRORD      $2, a, T1         \
	VPRORD      $13, a, T2        \
	VPRORD      $22, a, T3        \
	VMOVDQA32   a, T4             \
	VPADDD      h, d, d           \
	VPTERNLOGD  $0xE8, c, b, T4   \
	VPTERNLOGD  $0x96, T3, T2, T1 \
	VPADDD      T4, h, h          \
	VPADDD      T1, h, h

// NEXT replaces word t by word t+16, step 1, from the words t+1, t+9 and t+14.
#define NEXT(w, w1, w9, w14) \
	VPRORD     $7, w1, T1        \
	VPRORD     $18, w1, T2       \
	VPSRLD     $3, w1, T3        \
	VPADDD     w9, w, w          \
	VPTERNLOGD $0x96, T3, T2, T1 \
	VPRORD     $17, w14, T4      \
	VPRORD     $19, w14, T5      \
	VPSRLD     $10, w14, T6      \
	VPADDD     T1, w, w          \
	VPTERNLOGD $0x96, T6, T5, T4 \
	VPADDD     T4, w, w

// LOAD16 reads the block at CX of the lanes i, i+4, i+8 and i+12 into the
// quarters of r0 to r3, 16 bytes into each; x0 to x3 are the same registers.
#define LOAD16(i, r0, x0, r1, x1, r2, x2, r3, x3) \
	MOVQ         (8*i)(SI), R8             \
	MOVQ         (8*i+32)(SI), R9          \
	MOVQ         (8*i+64)(SI), R10         \
	MOVQ         (8*i+96)(SI), R11         \
	VMOVDQU32    0(R8)(CX*1), x0           \
	VMOVDQU32    16(R8)(CX*1), x1          \
	VMOVDQU32    32(R8)(CX*1), x2          \
	VMOVDQU32    48(R8)(CX*1), x3          \
	VINSERTI32X4 $1, 0(R9)(CX*1), r0, r0   \
	VINSERTI32X4 $1, 16(R9)(CX*1), r1, r1  \
	VINSERTI32X4 $1, 32(R9)(CX*1), r2, r2  \
	VINSERTI32X4 $1, 48(R9)(CX*1), r3, r3  \
	VINSERTI32X4 $2, 0(R10)(CX*1), r0, r0  \
	VINSERTI32X4 $2, 16(R10)(CX*1), r1, r1 \
	VINSERTI32X4 $2, 32(R10)(CX*1), r2, r2 \
	VINSERTI32X4 $2, 48(R10)(CX*1), r3, r3 \
	VINSERTI32X4 $3, 0(R11)(CX*1), r0, r0  \
	VINSERTI32X4 $3, 16(R11)(CX*1), r1, r1 \
	VINSERTI32X4 $3, 32(R11)(CX*1), r2, r2 \
	VINSERTI32X4 $3, 48(R11)(CX*1), r3, r3

// LOAD8 is LOAD16 for the lanes i and i+4.
#define LOAD8(i, r0, x0, r1, x1, r2, x2, r3, x3) \
	MOVQ         (8*i)(SI), R8            \
	MOVQ         (8*i+32)(SI), R9         \
	VMOVDQU32    0(R8)(CX*1), x0          \
	VMOVDQU32    16(R8)(CX*1), x1         \
	VMOVDQU32    32(R8)(CX*1), x2         \
	VMOVDQU32    48(R8)(CX*1), x3         \
	VINSERTI32X4 $1, 0(R9)(CX*1), r0, r0  \
	VINSERTI32X4 $1, 16(R9)(CX*1), r1, r1 \
	VINSERTI32X4 $1, 32(R9)(CX*1), r2, r2 \
	VINSERTI32X4 $1, 48(R9)(CX*1), r3, r3

#define T0 Z8
#define T1 Z9
#define T2 Z10
#define T3 Z11
#define T4 Z12
#define T5 Z13
#define T6 Z14
#define T7 Z15

// func blocks16(state *[8][Width]uint32, data *[Width]*byte, n int)
TEXT ·blocks16(SB), NOSPLIT, $0-24
	MOVQ            state+0(FP), DI
	MOVQ            data+8(FP), SI
	MOVQ            n+16(FP), DX
	XORQ            CX, CX
	VBROADCASTI32X4 swap<>(SB), T7
	VMOVDQU32       0(DI), Z0
	VMOVDQU32       64(DI), Z1
	VMOVDQU32       128(DI), Z2
	VMOVDQU32       192(DI), Z3
	VMOVDQU32       256(DI), Z4
	VMOVDQU32       320(DI), Z5
	VMOVDQU32       384(DI), Z6
	VMOVDQU32       448(DI), Z7

block16:
	LOAD16(0, Z16, X16, Z20, X20, Z24, X24, Z28, X28)
	LOAD16(1, Z17, X17, Z21, X21, Z25, X25, Z29, X29)
	LOAD16(2, Z18, X18, Z22, X22, Z26, X26, Z30, X30)
	LOAD16(3, Z19, X19, Z23, X23, Z27, X27, Z31, X31)
	WORDS(Z16, Z17, Z18, Z19)
	WORDS(Z20, Z21, Z22, Z23)
	WORDS(Z24, Z25, Z26, Z27)
	WORDS(Z28, Z29, Z30, Z31)
	LEAQ k<>(SB), AX
	MOVQ $3, BX

rounds16:
	ROUND(0, Z16, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	NEXT(Z16, Z17, Z25, Z30)
	ROUND(1, Z17, Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z6)
	NEXT(Z17, Z18, Z26, Z31)
	ROUND(2, Z18, Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z5)
	NEXT(Z18, Z19, Z27, Z16)
	ROUND(3, Z19, Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z4)
	NEXT(Z19, Z20, Z28, Z17)
	ROUND(4, Z20, Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3)
	NEXT(Z20, Z21, Z29, Z18)
	ROUND(5, Z21, Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z2)
	NEXT(Z21, Z22, Z30, Z19)
	ROUND(6, Z22, Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z1)
	NEXT(Z22, Z23, Z31, Z20)
	ROUND(7, Z23, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z0)
	NEXT(Z23, Z24, Z16, Z21)
	ROUND(8, Z24, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	NEXT(Z24, Z25, Z17, Z22)
	ROUND(9, Z25, Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z6)
	NEXT(Z25, Z26, Z18, Z23)
	ROUND(10, Z26, Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z5)
	NEXT(Z26, Z27, Z19, Z24)
	ROUND(11, Z27, Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z4)
	NEXT(Z27, Z28, Z20, Z25)
	ROUND(12, Z28, Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3)
	NEXT(Z28, Z29, Z21, Z26)
	ROUND(13, Z29, Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z2)
	NEXT(Z29, Z30, Z22, Z27)
	ROUND(14, Z30, Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z1)
	NEXT(Z30, Z31, Z23, Z28)
	ROUND(15, Z31, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z0)
	NEXT(Z31, Z16, Z24, Z29)
	ADDQ $64, AX
	DECQ BX
	JNZ  rounds16

	ROUND(0, Z16, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	ROUND(1, Z17, Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z6)
	ROUND(2, Z18, Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z5)
	ROUND(3, Z19, Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z4)
	ROUND(4, Z20, Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3)
	ROUND(5, Z21, Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z2)
	ROUND(6, Z22, Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z1)
	ROUND(7, Z23, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z0)
	ROUND(8, Z24, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	ROUND(9, Z25, Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z6)
	ROUND(10, Z26, Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z5)
	ROUND(11, Z27, Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z4)
	ROUND(12, Z28, Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3)
	ROUND(13, Z29, Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z2)
	ROUND(14, Z30, Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z1)
	ROUND(15, Z31, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z0)

	VPADDD    0(DI), Z0, Z0
	VPADDD    64(DI), Z1, Z1
	VPADDD    128(DI), Z2, Z2
	VPADDD    192(DI), Z3, Z3
	VPADDD    256(DI), Z4, Z4
	VPADDD    320(DI), Z5, Z5
	VPADDD    384(DI), Z6, Z6
	VPADDD    448(DI), Z7, Z7
	VMOVDQU32 Z0, 0(DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)
	VMOVDQU32 Z4, 256(DI)
	VMOVDQU32 Z5, 320(DI)
	VMOVDQU32 Z6, 384(DI)
	VMOVDQU32 Z7, 448(DI)
	ADDQ $64, CX
	DECQ DX
	JNZ  block16
	VZEROUPPER
	RET

#undef T0
#undef T1
#undef T2
#undef T3
#undef T4
#undef T5
#undef T6
#undef T7

#define T0 Y8
#define T1 Y9
#define T2 Y10
#define T3 Y11
#define T4 Y12
#define T5 Y13
#define T6 Y14
#define T7 Y15

// func blocks8(state *[8][Width]uint32, data *[Width]*byte, n int)
TEXT ·blocks8(SB), NOSPLIT, $0-24
	MOVQ            state+0(FP), DI
	MOVQ            data+8(FP), SI
	MOVQ            n+16(FP), DX
	XORQ            CX, CX
	VBROADCASTI32X4 swap<>(SB), T7
	VMOVDQU32       0(DI), Y0
	VMOVDQU32       64(DI), Y1
	VMOVDQU32       128(DI), Y2
	VMOVDQU32       192(DI), Y3
	VMOVDQU32       256(DI), Y4
	VMOVDQU32       320(DI), Y5
	VMOVDQU32       384(DI), Y6
	VMOVDQU32       448(DI), Y7

block8:
	LOAD8(0, Y16, X16, Y20, X20, Y24, X24, Y28, X28)
	LOAD8(1, Y17, X17, Y21, X21, Y25, X25, Y29, X29)
	LOAD8(2, Y18, X18, Y22, X22, Y26, X26, Y30, X30)
	LOAD8(3, Y19, X19, Y23, X23, Y27, X27, Y31, X31)
	WORDS(Y16, Y17, Y18, Y19)
	WORDS(Y20, Y21, Y22, Y23)
	WORDS(Y24, Y25, Y26, Y27)
	WORDS(Y28, Y29, Y30, Y31)
	LEAQ k<>(SB), AX
	MOVQ $3, BX

rounds8:
	ROUND(0, Y16, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	NEXT(Y16, Y17, Y25, Y30)
	ROUND(1, Y17, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	NEXT(Y17, Y18, Y26, Y31)
	ROUND(2, Y18, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5)
	NEXT(Y18, Y19, Y27, Y16)
	ROUND(3, Y19, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4)
	NEXT(Y19, Y20, Y28, Y17)
	ROUND(4, Y20, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3)
	NEXT(Y20, Y21, Y29, Y18)
	ROUND(5, Y21, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2)
	NEXT(Y21, Y22, Y30, Y19)
	ROUND(6, Y22, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1)
	NEXT(Y22, Y23, Y31, Y20)
	ROUND(7, Y23, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0)
	NEXT(Y23, Y24, Y16, Y21)
	ROUND(8, Y24, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	NEXT(Y24, Y25, Y17, Y22)
	ROUND(9, Y25, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	NEXT(Y25, Y26, Y18, Y23)
	ROUND(10, Y26, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5)
	NEXT(Y26, Y27, Y19, Y24)
	ROUND(11, Y27, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4)
	NEXT(Y27, Y28, Y20, Y25)
	ROUND(12, Y28, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3)
	NEXT(Y28, Y29, Y21, Y26)
	ROUND(13, Y29, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2)
	NEXT(Y29, Y30, Y22, Y27)
	ROUND(14, Y30, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1)
	NEXT(Y30, Y31, Y23, Y28)
	ROUND(15, Y31, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0)
	NEXT(Y31, Y16, Y24, Y29)
	ADDQ $64, AX
	DECQ BX
	JNZ  rounds8

	ROUND(0, Y16, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	ROUND(1, Y17, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	ROUND(2, Y18, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5)
	ROUND(3, Y19, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4)
	ROUND(4, Y20, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3)
	ROUND(5, Y21, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2)
	ROUND(6, Y22, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1)
	ROUND(7, Y23, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0)
	ROUND(8, Y24, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	ROUND(9, Y25, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	ROUND(10, Y26, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5)
	ROUND(11, Y27, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4)
	ROUND(12, Y28, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3)
	ROUND(13, Y29, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2)
	ROUND(14, Y30, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1)
	ROUND(15, Y31, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0)

	VPADDD    0(DI), Y0, Y0
	VPADDD    64(DI), Y1, Y1
	VPADDD    128(DI), Y2, Y2
	VPADDD    192(DI), Y3, Y3
	VPADDD    256(DI), Y4, Y4
	VPADDD    320(DI), Y5, Y5
	VPADDD    384(DI), Y6, Y6
	VPADDD    448(DI), Y7, Y7
	VMOVDQU32 Y0, 0(DI)
	VMOVDQU32 Y1, 64(DI)
	VMOVDQU32 Y2, 128(DI)
	VMOVDQU32 Y3, 192(DI)
	VMOVDQU32 Y4, 256(DI)
	VMOVDQU32 Y5, 320(DI)
	VMOVDQU32 Y6, 384(DI)
	VMOVDQU32 Y7, 448(DI)
	ADDQ $64, CX
	DECQ DX
	JNZ  block8
	VZEROUPPER
	RET

#undef T0
#undef T1
#undef T2
#undef T3
#undef T4
#undef T5
#undef T6
#undef T7
