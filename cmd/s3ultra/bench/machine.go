package bench

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

// Machine is where a run was made; figures mean little without it.
type Machine struct {
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"` // as this process may use
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
}

func readMachine() Machine {
	m := Machine{
		CPU: cpuid.CPU.BrandName, Cores: runtime.NumCPU(), Kernel: kernelName(),
		Go: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0),
	}
	if m.CPU == "" {
		// Not every architecture tells its model.
		m.CPU = runtime.GOARCH
	}
	return m
}
