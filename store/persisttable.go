package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// rowTable is a list of row changes that go to the index on disk as one sorted
// table. Sorting some 100,000 at once and writing the table takes half of the
// time that the skip list of a memtable takes, and the change is atomic. It
// also does without the memtables' memory.
type rowTable struct {
	rows   []tableRow
	clears []tableClear
	sorted bool // rows ascend strictly
	// Scratch.
	spare []tableRow
	order []rowOrder
}

// tableRow is a row to be set or deleted.
type tableRow struct {
	key, value []byte
	deleted    bool
}

// tableClear clears all rows with a prefix that come before rows[at].
type tableClear struct {
	prefix []byte
	at     int
}

// reset empties t.
func (t *rowTable) reset() {
	clear(t.rows)
	clear(t.spare[:cap(t.spare)])
	t.rows, t.clears, t.sorted = t.rows[:0], t.clears[:0], true
}

// add appends a change; key and value must stay until t is written.
func (t *rowTable) add(r tableRow) {
	if n := len(t.rows); n > 0 && t.sorted && bytes.Compare(t.rows[n-1].key, r.key) >= 0 {
		t.sorted = false
	}
	t.rows = append(t.rows, r)
}

// addRecord appends the changes of a record of the journal.
func (t *rowTable) addRecord(record []byte) error {
	for len(record) > 0 {
		change, key, value, rest, ok := nextChange(record)
		if !ok {
			return fmt.Errorf("a record is malformed: %w", ErrDamaged)
		}
		switch record = rest; change {
		case changeSet:
			t.add(tableRow{key: key, value: value})
		case changeDelete:
			t.add(tableRow{key: key, deleted: true})
		case changeClear:
			t.clears = append(t.clears, tableClear{prefix: key, at: len(t.rows)})
		}
	}
	return nil
}

// settle sorts the rows and leaves the last change of each key.
func (t *rowTable) settle() {
	for _, c := range t.clears {
		// Within one table a cleared range does not reach the table's rows.
		n := 0
		for i, r := range t.rows {
			if i < c.at && bytes.HasPrefix(r.key, c.prefix) {
				r = tableRow{}
			} else {
				n++
			}
			t.rows[i] = r
		}
		t.sorted = t.sorted && n == len(t.rows)
	}
	if t.sorted {
		return
	}
	order := t.sort()
	kept := t.spare[:0]
	for i, o := range order {
		r := t.rows[o.at]
		if r.key != nil && (i+1 == len(order) || !bytes.Equal(r.key, t.rows[order[i+1].at].key)) {
			kept = append(kept, r)
		}
	}
	t.rows, t.spare, t.sorted = kept, t.rows, true
}

// rowOrder stands for a row while rows are sorted: most comparisons need only
// the first 8 bytes that keys do not share, and moves are short.
type rowOrder struct {
	head uint64 // big-endian
	at   int32
}

// sort returns the rows in order of keys, those of a key in their own order.
func (t *rowTable) sort() []rowOrder {
	shared := t.rows[0].key
	for _, r := range t.rows {
		if r.key != nil && !bytes.HasPrefix(r.key, shared) {
			shared = shared[:commonPrefixLen(shared, r.key)]
		}
	}
	order := t.order[:0]
	for i, r := range t.rows {
		o := rowOrder{at: int32(i)}
		if r.key != nil {
			var head [8]byte
			copy(head[:], r.key[len(shared):])
			o.head = binary.BigEndian.Uint64(head[:])
		}
		order = append(order, o)
	}
	slices.SortFunc(order, func(a, b rowOrder) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		if c := bytes.Compare(t.rows[a.at].key, t.rows[b.at].key); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	t.order = order
	return order
}

// ingest makes the changes of t in the index on disk, where they are durable
// when it returns.
func (d *persist) ingest(t *rowTable) error {
	t.settle()
	if len(t.rows) == 0 && len(t.clears) == 0 {
		return nil
	}
	// The suffix gets what a kill leaves removed at the next start.
	path := filepath.Join(d.dir, dirJournal, "table"+preparedSuffix)
	if err := d.writeTable(path, t); err != nil {
		return err
	}
	return d.db.Ingest(context.Background(), []string{path})
}

func (d *persist) writeTable(path string, t *rowTable) error {
	f, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	// Close writes the end of the table, syncs and closes the file.
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f), d.opts.MakeWriterOptions(0, d.db.TableFormat()))
	for _, r := range t.rows {
		if r.deleted {
			err = w.Delete(r.key)
		} else {
			err = w.Set(r.key, r.value)
		}
		if err != nil {
			w.Close()
			return err
		}
	}
	prefixes := make([][]byte, 0, len(t.clears))
	for _, c := range t.clears {
		prefixes = append(prefixes, c.prefix)
	}
	slices.SortFunc(prefixes, bytes.Compare)
	for _, p := range slices.CompactFunc(prefixes, bytes.Equal) {
		if err := w.DeleteRange(p, prefixEnd(p)); err != nil {
			w.Close()
			return err
		}
	}
	return w.Close()
}
