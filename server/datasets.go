package server

import (
	"errors"
	"fmt"
	"time"

	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// DatasetInfo sums up the rules of one name in one bucket, such as the 16 of a
// checkpoint. A rule without a name goes by its key.
type DatasetInfo struct {
	Name, Bucket string
	Objects      int64
	Bytes        int64 // sum of the sizes
	Exact        bool  // Bytes is
}

// compileDatasets checks and compiles the rules of cfg. Errors wrap
// synth.ErrBadRule.
func compileDatasets(cfg Config) ([]*synth.Set, error) {
	for k := range cfg.Datasets {
		r := &cfg.Datasets[k]
		if err := ValidBucketName(r.Bucket); err != nil {
			return nil, fmt.Errorf("%w %s: %w", synth.ErrBadRule, ruleName(r), err)
		}
		for _, b := range cfg.Buckets {
			if b.Name == r.Bucket && b.Mode != store.Synth {
				return nil, fmt.Errorf("%w %s: bucket %q is to have mode %v; data sets need mode %v", synth.ErrBadRule, ruleName(r), b.Name, b.Mode, store.Synth)
			}
		}
	}
	return synth.NewSets(cfg.Datasets)
}

// ruleName names a rule in messages.
func ruleName(r *synth.Rule) string {
	name := r.Name
	if name == "" {
		name = r.Key
	}
	if r.Origin() == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q (%s)", name, r.Origin())
}

// addDatasets makes the objects of the sets exist, and their buckets. The
// buckets date from their oldest objects: what every server with the same rules
// answers must not tell when it was started.
func (s *Server) addDatasets(sets []*synth.Set) error {
	for _, set := range sets {
		oldest := set.Datasets()[0].ModTime()
		for _, d := range set.Datasets() {
			oldest = min(oldest, d.ModTime())
		}
		_, err := s.store.CreateBucket(set.Bucket(), store.Synth, time.UnixMilli(oldest))
		if err != nil && !errors.Is(err, store.ErrBucketExists) {
			return fmt.Errorf("cannot create bucket %q: %w", set.Bucket(), err)
		}
		if err := s.store.Bucket([]byte(set.Bucket())).Attach(set, datasetMeta); err != nil {
			return err
		}
	}
	return nil
}

// datasetMeta is the metadata of a data set's objects, in the form that
// appendMetadata gives it.
func datasetMeta(d *synth.Dataset) string {
	if d.ContentType() == "" {
		return ""
	}
	return string(appendMetaHeader([]byte{0}, []byte("Content-Type"), []byte(d.ContentType())))
}

// Datasets tells what data sets there are, by bucket, in the order of the
// rules.
func (s *Server) Datasets() []DatasetInfo {
	var list []DatasetInfo
	for _, b := range s.store.Buckets() {
		at := make(map[string]int)
		for _, d := range b.Datasets() {
			name := d.Name()
			if name == "" {
				name = d.Rule().Key
			}
			k, ok := at[name]
			if !ok {
				k = len(list)
				at[name] = k
				list = append(list, DatasetInfo{Name: name, Bucket: b.Name(), Exact: true})
			}
			list[k].Objects += d.Len()
			list[k].Bytes += min(d.Bytes, 1<<63-1-list[k].Bytes)
			list[k].Exact = list[k].Exact && d.Exact
		}
	}
	return list
}
