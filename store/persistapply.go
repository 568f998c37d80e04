package store

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/s3ultra/s3ultra/synth"
)

// applyLoop moves full segments of the journal to the index on disk until the
// journal is finished and all of it is there.
func (d *persist) applyLoop() {
	for stopped := false; !stopped; {
		select {
		case <-d.journal.full:
		case <-d.stop:
			stopped = true
		}
		if !stopped {
			d.journal.prepare()
		}
		for seg := d.journal.oldest(); seg != nil; seg = d.journal.oldest() {
			if !d.moveSegment(seg) {
				return
			}
		}
	}
}

// moveSegment applies a full segment and removes it. It reports false if that
// will never be possible; a start takes the journal as it is then.
func (d *persist) moveSegment(seg *journalSegment) bool {
	// The index on disk must not know what the journal may lose: replaying
	// then would make a state that never was.
	if d.journal.sync() != nil {
		return false
	}
	for warned := false; ; warned = true {
		free, ok := freeSpace(d.dir)
		if !ok || free >= seg.size {
			break
		}
		if !warned {
			d.warn(fmt.Sprintf("%d bytes are free on the disk of %s: writes will be refused until there is more", free, d.dir))
		}
		select {
		case <-d.stop:
			return false // the next start goes on here
		case <-time.After(retryPause):
		}
	}
	content, err := seg.bytes()
	if err == nil {
		err = d.guard(func() error { return d.apply(content, seg.used) })
	}
	if err != nil {
		_ = d.journal.fail(err)
		return false
	}
	d.journal.drop(seg)
	return true
}

// apply makes the changes of a segment's records before end in the index on
// disk. Doing it twice does no harm.
func (d *persist) apply(content []byte, end int64) error {
	t := &d.table
	defer t.reset()
	t.reset()
	for off := int64(segmentHeader); off < end; {
		record, next, ok, _ := nextRecord(content, off)
		if !ok {
			return fmt.Errorf("the write-ahead log is malformed at %d: %w", off, ErrDamaged)
		}
		if err := t.addRecord(record); err != nil {
			return err
		}
		off = next
	}
	return d.ingest(t)
}

// oldSegment is a segment found at a start.
type oldSegment struct {
	path    string
	number  uint64
	content []byte
	end     int64 // of the good records
	whole   bool  // it ends as it should
	marked  bool  // the segments before it are on the disk
}

// recover applies the journal that a killed process or a power loss left.
func (d *persist) recover() error {
	segments, err := d.oldSegments()
	if err != nil {
		return err
	}
	good, err := d.goodSegments(segments)
	if err != nil {
		return err
	}
	for _, seg := range good {
		if err := d.guard(func() error { return d.apply(seg.content, seg.end) }); err != nil {
			return err
		}
	}
	for _, seg := range segments {
		if err := os.Remove(seg.path); err != nil {
			return err
		}
	}
	return nil
}

// oldSegments reads the journal's files, oldest first, and puts them on the
// disk: the index must not get ahead of them.
func (d *persist) oldSegments() ([]oldSegment, error) {
	entries, err := os.ReadDir(d.journal.dir)
	if err != nil {
		return nil, err
	}
	var list []oldSegment
	for _, e := range entries {
		path := filepath.Join(d.journal.dir, e.Name())
		if strings.HasSuffix(e.Name(), preparedSuffix) {
			os.Remove(path)
			continue
		}
		name, ok := strings.CutSuffix(e.Name(), segmentSuffix)
		number, err := strconv.ParseUint(name, 16, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("the write-ahead log has a file %q that is none of its own: %w", e.Name(), ErrDamaged)
		}
		seg := oldSegment{path: path, number: number}
		if err := seg.read(); err != nil {
			return nil, err
		}
		list = append(list, seg)
	}
	slices.SortFunc(list, func(a, b oldSegment) int {
		if a.number < b.number {
			return -1
		}
		return 1
	})
	return list, nil
}

func (s *oldSegment) read() error {
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if s.content, err = os.ReadFile(s.path); err != nil {
		return err
	}
	s.end = segmentHeader
	if len(s.content) < segmentHeader || string(s.content[:len(segmentMagic)]) != segmentMagic ||
		binary.LittleEndian.Uint64(s.content[offsetNumber:]) != s.number {
		// Killed while it was made, or nothing of it reached the disk. If more
		// was there, the mark in the next one tells.
		return nil
	}
	s.marked = s.content[offsetPredecessors] != 0
	for {
		_, next, ok, whole := nextRecord(s.content, s.end)
		if !ok {
			s.whole = whole
			return nil
		}
		s.end = next
	}
}

// goodSegments returns the segments to be applied and sets where each ends.
// What was on the disk for certain must be whole. Of the rest a power loss may
// have left anything: it counts up to the first fault.
func (d *persist) goodSegments(list []oldSegment) ([]oldSegment, error) {
	tail := 0 // the first that may not have been on the disk
	for i, seg := range list {
		d.journal.number = max(d.journal.number, seg.number)
		if seg.marked {
			tail = i
		}
	}
	for _, seg := range list[:tail] {
		if !seg.whole {
			return nil, fmt.Errorf("the write-ahead log %s is bad at %d: %w", seg.path, seg.end, ErrDamaged)
		}
	}
	for i := tail; i < len(list)-1; i++ {
		if !list[i].whole {
			list = list[:i+1]
		}
	}
	cut := false
	for {
		i, off := d.missingBody(list[tail:])
		if i < 0 {
			break
		}
		list = list[:tail+i+1]
		list[tail+i].end, cut = off, true
	}
	if n := len(list); n > 0 && (cut || !list[n-1].whole) {
		d.warn(fmt.Sprintf("the write-ahead log ends at %d of %s: writes of the last moments before the machine stopped are lost", list[n-1].end, list[n-1].path))
	}
	return list, nil
}

// missingBody finds the first record that needs a body which is not there: it
// outran the body to the disk before the power went. A body that a later record
// makes needless may be missing. It returns the segment and the offset in it;
// -1 if there is none.
func (d *persist) missingBody(list []oldSegment) (segment int, off int64) {
	type need struct {
		segment int
		off     int64
		files   []*bodyFile
	}
	live := make(map[string]need)
	for i, seg := range list {
		for off := int64(segmentHeader); off < seg.end; {
			record, next, _, _ := nextRecord(seg.content, off)
			for len(record) > 0 {
				change, key, value, rest, ok := nextChange(record)
				if !ok {
					break // apply reports it
				}
				record = rest
				delete(live, string(key))
				switch change {
				case changeSet:
					if files := rowFiles(key, value); len(files) > 0 {
						live[string(key)] = need{i, off, files}
					}
				case changeClear:
					for k := range live {
						if strings.HasPrefix(k, string(key)) {
							delete(live, k)
						}
					}
				}
			}
			off = next
		}
	}
	segment = -1
	for _, n := range live {
		if segment >= 0 && (n.segment > segment || n.segment == segment && n.off >= off) {
			continue
		}
		if slices.ContainsFunc(n.files, func(f *bodyFile) bool { return !d.bodies.present(f) }) {
			segment, off = n.segment, n.off
		}
	}
	return segment, off
}

// rowFiles returns the files that a row refers to.
func rowFiles(key, value []byte) (files []*bodyFile) {
	if len(key) == 0 {
		return nil
	}
	var body []bodyPiece
	switch key[0] {
	case rowObject:
		var r versionRow
		if parseVersion(value, new(synth.Names), nil, &r) == nil {
			body = r.body
		}
	case rowPart:
		_, body, _ = parsePartRow(value)
	}
	for _, p := range body {
		if p.file != nil {
			files = append(files, p.file)
		}
	}
	return files
}
