package store

import (
	"fmt"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
)

// checkSettings compares the settings that objects depend on with those the
// database was made with, or stores them in a new one.
func (d *persist) checkSettings(opt Options, p Persistence) error {
	settings := []struct{ name, value string }{
		{"format", formatVersion},
		{"seed", strconv.FormatUint(opt.Seed, 10)},
		{"pattern", p.Pattern},
	}
	stored, err := d.readSettings()
	if err != nil {
		return err
	}
	b := d.db.NewBatch()
	defer b.Close()
	for _, s := range settings {
		old, ok := stored[s.name]
		if ok && old != s.value {
			return fmt.Errorf("%w: its %s is %s, not %s", ErrMismatch, s.name, old, s.value)
		}
		_ = b.Set(append([]byte{rowSetting}, s.name...), []byte(s.value), nil)
	}
	// What is there keeps its bytes whatever the bound of new objects is.
	if keep := strconv.FormatInt(opt.KeepSmall, 10); opt.KeepSmall >= 0 { // else it is an Archive
		if old, ok := stored["keep-small"]; ok && old != keep {
			d.warn(fmt.Sprintf("--keep-small was %s when the database was last used and is %s now: objects already there keep or lack their bytes as before", old, keep))
		}
		_ = b.Set(append([]byte{rowSetting}, "keep-small"...), []byte(keep), nil)
	}
	if stored["data"] == "true" && !p.Data {
		return fmt.Errorf("%w: it holds bodies of memory-mode objects; start with --persist-data", ErrMismatch)
	}
	_ = b.Set(append([]byte{rowSetting}, "data"...), []byte(strconv.FormatBool(p.Data)), nil)
	return d.guard(func() error {
		if err := d.db.Apply(b, pebble.NoSync); err != nil {
			return err
		}
		return d.db.Flush()
	})
}

// readSettings returns the settings rows.
func (d *persist) readSettings() (map[string]string, error) {
	m := make(map[string]string)
	err := d.scan([]byte{rowSetting}, func(key, value []byte) error {
		m[string(key[1:])] = string(value)
		return nil
	})
	if len(m) > 0 && m["format"] != formatVersion && err == nil {
		err = fmt.Errorf("%w: its format is %q, this program writes %s", ErrMismatch, m["format"], formatVersion)
	}
	return m, err
}
