package bench

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel end the child if this process is killed and
// cannot.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
