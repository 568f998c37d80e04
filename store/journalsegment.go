package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime/debug"
)

// The form of a segment, numbers little-endian: the header (magic, number, and
// 1 once all segments before it were on the disk), then records: length and
// CRC-32C of the payload, payload. Zeros end it.
const (
	segmentMagic  = "s3ujrnl1"
	segmentHeader = 32
	recordHeader  = 8

	offsetNumber       = 8
	offsetPredecessors = 16

	segmentSuffix  = ".wal"
	preparedSuffix = ".new"
)

// errNoSpace is in the causes that diskError makes ErrDiskFull of.
var errNoSpace = errors.New("no space left")

// journalSegment is one file of the journal, mapped into memory where the
// system can do that.
type journalSegment struct {
	file   *os.File
	mem    []byte // nil: the file is written with system calls
	path   string
	number uint64
	size   int64
	used   int64
	synced bool // it is full and on the disk
	buf    []byte
}

// createSegment makes an empty segment whose space on the disk is allocated.
func createSegment(path string, number uint64, size int64) (s *journalSegment, err error) {
	if free, ok := freeSpace(filepath.Dir(path)); ok && free < size+diskReserve {
		return nil, fmt.Errorf("%w: %d bytes are free", errNoSpace, free)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	s = &journalSegment{file: f, path: path, number: number, size: size, used: segmentHeader}
	defer func() {
		if err != nil {
			s.remove()
		}
	}()
	if err := allocate(f, size); err != nil {
		return nil, err
	}
	s.mem = mapFile(f, size) // nil if the file system cannot
	header := make([]byte, segmentHeader)
	copy(header, segmentMagic)
	binary.LittleEndian.PutUint64(header[offsetNumber:], number)
	if err := s.put(header, 0); err != nil {
		return nil, err
	}
	// The name and the allocation are on the disk before anything relies on
	// them.
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return s, syncDir(filepath.Dir(path))
}

// write appends a record. After an error the segment is as before.
func (s *journalSegment) write(record []byte) error {
	var header [recordHeader]byte
	binary.LittleEndian.PutUint32(header[:4], uint32(len(record)))
	binary.LittleEndian.PutUint32(header[4:], crc32.Checksum(record, castagnoli))
	if s.mem == nil {
		s.buf = append(append(s.buf[:0], header[:]...), record...)
		if err := s.put(s.buf, s.used); err != nil {
			return err
		}
	} else {
		// The header last: half a record is none.
		if err := s.put(record, s.used+recordHeader); err != nil {
			return err
		}
		if err := s.put(header[:], s.used); err != nil {
			return err
		}
	}
	s.used += recordHeader + int64(len(record))
	return nil
}

// put writes b at off, inside of the segment.
func (s *journalSegment) put(b []byte, off int64) (err error) {
	if s.mem == nil {
		_, err := s.file.WriteAt(b, off)
		return spaceError(err)
	}
	// A file system that gives no space or cannot read a page after all raises
	// a fault here; it must not end the process.
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			err = fmt.Errorf("%w (fault: %v)", errNoSpace, r)
		}
	}()
	copy(s.mem[off:], b)
	return nil
}

// sync puts the first used bytes on the disk.
func (s *journalSegment) sync(used int64) error {
	if s.mem != nil {
		return syncMemory(s.mem, used)
	}
	return s.file.Sync()
}

// markPredecessors notes that the segments before are on the disk.
func (s *journalSegment) markPredecessors() {
	// Without the mark a fault there is taken for less than it is; not worth
	// failing for.
	_ = s.put([]byte{1}, offsetPredecessors)
}

func (s *journalSegment) rename(path string) error {
	if err := os.Rename(s.path, path); err != nil {
		return err
	}
	s.path = path
	return syncDir(filepath.Dir(path))
}

// remove closes and deletes the file.
func (s *journalSegment) remove() {
	if s.mem != nil {
		unmapFile(s.mem)
		s.mem = nil
	}
	s.file.Close()
	os.Remove(s.path)
}

// bytes is the segment's content, for reading.
func (s *journalSegment) bytes() ([]byte, error) {
	if s.mem != nil {
		return s.mem[:s.used], nil
	}
	b := make([]byte, s.used)
	_, err := s.file.ReadAt(b, 0)
	return b, err
}

// nextRecord returns the record at off of a segment's content and where the
// next one is; ok is false at the end. whole is false if the end is not zeros:
// a record that was being written, or damage.
func nextRecord(content []byte, off int64) (record []byte, next int64, ok, whole bool) {
	if off+recordHeader > int64(len(content)) {
		return nil, off, false, true
	}
	n := int64(binary.LittleEndian.Uint32(content[off:]))
	sum := binary.LittleEndian.Uint32(content[off+4:])
	if n == 0 {
		return nil, off, false, sum == 0
	}
	next = off + recordHeader + n
	if next > int64(len(content)) {
		return nil, off, false, false
	}
	record = content[off+recordHeader : next]
	if crc32.Checksum(record, castagnoli) != sum {
		return nil, off, false, false
	}
	return record, next, true, true
}

// syncDir puts the names in a directory on the disk.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// fillZeros allocates space by writing it.
func fillZeros(f *os.File, size int64) error {
	zeros := make([]byte, min(size, 1<<20))
	for off := int64(0); off < size; off += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(size-off, int64(len(zeros)))], off); err != nil {
			return spaceError(err)
		}
	}
	return nil
}
