//go:build !unix

package bench

import "runtime"

func kernelName() string { return runtime.GOOS }
