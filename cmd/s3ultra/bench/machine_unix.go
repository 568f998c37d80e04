//go:build unix

package bench

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// kernelName returns the kernel's name and release.
func kernelName() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return runtime.GOOS
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
}
