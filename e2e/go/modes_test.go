package e2e

import "os"

// modes are those to test: both, or memory alone against another server.
func modes() []string {
	if os.Getenv("E2E_ENDPOINT") != "" {
		return []string{"memory"}
	}
	return []string{"synth", "memory"}
}
