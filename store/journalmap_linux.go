package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate reserves space on the disk, so that writing later cannot fail for
// want of it.
func allocate(f *os.File, size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP):
			return fillZeros(f, size)
		default:
			return spaceError(err)
		}
	}
}

// mapFile maps f for writing through to the page cache; nil if the file system
// cannot do that.
func mapFile(f *os.File, size int64) []byte {
	mem, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return mem
}

func unmapFile(mem []byte) { _ = unix.Munmap(mem) } // cannot fail for a mapping made by us

// syncMemory puts the first n bytes of a mapping on the disk.
func syncMemory(mem []byte, n int64) error {
	return unix.Msync(mem[:n], unix.MS_SYNC)
}

// freeSpace is what is free for us in the file system of dir, in bytes.
func freeSpace(dir string) (free int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// spaceError marks the errors that say that there is no space.
func spaceError(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return errors.Join(errNoSpace, err)
	}
	return err
}
