#include "textflag.h"

DATA low<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA low<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL low<>(SB), RODATA|NOPTR, $16

DATA nine<>+0(SB)/8, $0x0909090909090909
DATA nine<>+8(SB)/8, $0x0909090909090909
GLOBL nine<>(SB), RODATA|NOPTR, $16

DATA zero<>+0(SB)/8, $0x3030303030303030
DATA zero<>+8(SB)/8, $0x3030303030303030
GLOBL zero<>(SB), RODATA|NOPTR, $16

// 'a' - '0' - 10
DATA letter<>+0(SB)/8, $0x2727272727272727
DATA letter<>+8(SB)/8, $0x2727272727272727
GLOBL letter<>(SB), RODATA|NOPTR, $16

// func putHex(dst *[32]byte, src *[16]byte)
TEXT ·putHex(SB), NOSPLIT, $0-16
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI

	// Two loads: src was mostly written as two words just before.
	MOVQ       (SI), X0
	MOVQ       8(SI), X1
	PUNPCKLQDQ X1, X0

	// X0 and X2 become the 32 digits, X3 and X4 a mask of those above 9.
	MOVOU     low<>(SB), X5
	MOVO      X0, X1
	PSRLW     $4, X0
	PAND      X5, X0
	PAND      X5, X1
	MOVO      X0, X2
	PUNPCKLBW X1, X0
	PUNPCKHBW X1, X2
	MOVOU     nine<>(SB), X5
	MOVO      X0, X3
	MOVO      X2, X4
	PCMPGTB   X5, X3
	PCMPGTB   X5, X4

	MOVOU letter<>(SB), X5
	PAND  X5, X3
	PAND  X5, X4
	MOVOU zero<>(SB), X5
	PADDB X5, X0
	PADDB X5, X2
	PADDB X3, X0
	PADDB X4, X2
	MOVOU X0, (DI)
	MOVOU X2, 16(DI)
	RET
