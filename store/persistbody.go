package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
)

// bodyFile is the file of one body, or piece of one, above bodySpill.
type bodyFile struct {
	id   uint64
	size int64
	crc  uint32 // CRC-32C of the content
}

// bodyStore keeps large bodies as files, one each, below data/: written once in
// whole blocks from memory where they are anyway, never copied again, and gone
// with one unlink. As values of the index they would be copied by each merge.
// All methods may run concurrently.
type bodyStore struct {
	dir     string
	journal *journal
	next    atomic.Uint64 // the last id given

	mu      sync.Mutex // guards all below
	written []uint64   // not on the disk yet
	doomed  []doomedBody
}

// doomedBody is a body nothing in memory refers to. The record that says so
// ends before pos; until that is on the disk, a power loss would bring back
// what refers to the file.
type doomedBody struct {
	id  uint64
	pos uint64
}

func (s *bodyStore) init(dir string, j *journal) {
	s.dir, s.journal = dir, j
}

// path spreads the files over 256 directories: fsync of a directory and its
// lock in the kernel are shared by all files in it.
func (s *bodyStore) path(id uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%02x", byte(id)), strconv.FormatUint(id, 16))
}

// savedFile is the file that holds d, nil if none does.
func (d *Data) savedFile() *bodyFile {
	if d.large == nil {
		return nil
	}
	return d.large.file.Load()
}

// save writes the pieces of d that are large and have no file yet. With sync
// they are on the disk when it returns. The caller holds a reference to d.
func (s *bodyStore) save(d *Data, sync bool) error {
	for _, p := range d.pieces() {
		if p.size <= bodySpill || p.savedFile() != nil {
			continue
		}
		f := &bodyFile{id: s.next.Add(1), size: p.size}
		if err := s.write(f, p, sync); err != nil {
			os.Remove(s.path(f.id))
			return diskError("write a body", err)
		}
		if !p.large.file.CompareAndSwap(nil, f) {
			os.Remove(s.path(f.id)) // another copy was faster
			continue
		}
		if !sync {
			s.mu.Lock()
			s.written = append(s.written, f.id)
			s.mu.Unlock()
		}
	}
	return nil
}

func (s *bodyStore) write(f *bodyFile, d *Data, sync bool) error {
	if free, ok := freeSpace(s.dir); ok && free < d.size+bodyReserve {
		return fmt.Errorf("%w: %d bytes are free", errNoSpace, free)
	}
	path := s.path(f.id)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		}
	}
	if err != nil {
		return spaceError(err)
	}
	defer file.Close()
	for off := int64(0); off < d.size; {
		b := d.Slice(off, segmentSize)
		f.crc = crc32.Update(f.crc, castagnoli, b)
		if _, err := file.Write(b); err != nil {
			return spaceError(err)
		}
		off += int64(len(b))
	}
	if !sync {
		return nil
	}
	if err := file.Sync(); err != nil {
		return spaceError(err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	return syncDir(s.dir) // the directory may be new
}

// sync puts the files written so far on the disk.
func (s *bodyStore) sync() error {
	s.mu.Lock()
	list := s.written
	s.written = nil
	s.mu.Unlock()
	dirs := make(map[string]bool)
	for _, id := range list {
		path := s.path(id)
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed since
		}
		if err != nil {
			return err
		}
		err = file.Sync()
		file.Close()
		if err != nil {
			return err
		}
		dirs[filepath.Dir(path)] = true
	}
	for dir := range dirs {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	if len(dirs) > 0 {
		return syncDir(s.dir)
	}
	return nil
}

// doom says that nothing in memory refers to a file any more.
func (s *bodyStore) doom(f *bodyFile) {
	s.mu.Lock()
	s.doomed = append(s.doomed, doomedBody{id: f.id, pos: s.journal.pos.Load()})
	s.mu.Unlock()
}

// waiting tells whether there are files to be removed.
func (s *bodyStore) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.doomed) > 0
}

// removeDoomed removes the files that nothing on the disk refers to either.
func (s *bodyStore) removeDoomed() {
	synced := s.journal.synced.Load()
	s.mu.Lock()
	list := s.doomed
	n := 0
	for n < len(list) && list[n].pos <= synced {
		n++
	}
	s.doomed = append([]doomedBody(nil), list[n:]...)
	s.mu.Unlock()
	for _, d := range list[:n] {
		os.Remove(s.path(d.id)) // if that fails, the next start does it
	}
}

// read returns the body in f as Data with one reference. Errors: ErrDamaged,
// ErrMemoryLimit.
func (s *Store) readBody(f *bodyFile) (*Data, error) {
	path := s.persist.bodies.path(f.id)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("a body is missing (%v): %w", err, ErrDamaged)
	}
	defer file.Close()
	w, err := s.NewWriter(Memory, f.size)
	if err != nil {
		return nil, err
	}
	crc := uint32(0)
	for w.Size() < f.size {
		b := w.Next(segmentSize)
		if _, err := io.ReadFull(file, b); err != nil {
			w.Abort()
			return nil, fmt.Errorf("the body %s is cut off (%v): %w", path, err, ErrDamaged)
		}
		crc = crc32.Update(crc, castagnoli, b)
		if err := w.Advance(len(b)); err != nil {
			w.Abort()
			return nil, err
		}
	}
	d := w.Finish()
	if crc != f.crc {
		d.Release()
		return nil, fmt.Errorf("the body %s is not what was written: %w", path, ErrDamaged)
	}
	d.large.file.Store(f)
	return d, nil
}

// present tells whether the file of a row is there with its length.
func (s *bodyStore) present(f *bodyFile) bool {
	info, err := os.Stat(s.path(f.id))
	return err == nil && info.Size() == f.size
}

// sweep removes the files that are not in use, after a start, and sets where
// ids go on.
func (s *bodyStore) sweep(used map[uint64]*Data) error {
	last := uint64(0)
	dirs, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		files, err := os.ReadDir(filepath.Join(s.dir, dir.Name()))
		if err != nil {
			return err
		}
		for _, e := range files {
			id, err := strconv.ParseUint(e.Name(), 16, 64)
			if err != nil {
				continue // not ours
			}
			last = max(last, id)
			if used[id] == nil {
				os.Remove(s.path(id))
			}
		}
	}
	s.next.Store(last)
	return nil
}
