package synth

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrBadRule means a rule that describes no data set.
var ErrBadRule = errors.New("bad data set")

const (
	// maxCount bounds the objects of a rule, and its first index. 2^40 is twenty thousand times
	// the largest MLPerf run; it keeps indexes to 13 digits and sums of positions far from 2^63.
	maxCount = 1 << 40

	// maxFolders bounds {f}: choosing a folder by position is a binary search over them, and a
	// million is a hundred times what file systems are advised to have.
	maxFolders = 1 << 20

	// maxKeyBytes is S3's limit of a key: docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
	maxKeyBytes = 1024

	// DefaultBucket is where presets are unless told otherwise.
	DefaultBucket = "mlperf"
)

// DefaultLastModified is the time of objects whose rule names none. It is fixed, so that all
// servers with the same rules give the same answers.
func DefaultLastModified() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

// Rule describes Count objects of one bucket that exist without having been written. Compile a
// Rule into a Dataset with NewDataset. Its bytes are those of any synthetic object of that name.
type Rule struct {
	// Name is for messages and metrics; it need not be unique.
	Name string

	// Bucket is the bucket's name, which the server creates if need be.
	Bucket string

	// Key is the template of the keys, at most 1,024 bytes when filled in:
	//
	//	{i}       the index, First to First+Count-1, padded with zeros to the digits of Count
	//	{i:08}    padded to 8 digits
	//	{i:d}     not padded
	//	{n}       Count, with the same formats, not padded by default
	//	{f}       the index modulo Folders, padded to the digits of Folders, or as formatted
	//	{{ }}     a brace
	//
	// train/img_{i}_of_{n}.npz names what DLIO's data generator writes, train/{f}/img_{i}_of_{n}.npz
	// what it writes with num_subfolders_train. Where the digits of {i} or {f} vary, the text that
	// follows must not begin with a digit.
	Key string

	// First is the lowest index, 0 to 2^40.
	First int64

	// Count is how many objects there are, 1 to 2^40.
	Count int64

	// Folders is the modulus of {f}, up to 2^20; 0 if the key has no {f}.
	Folders int64

	// Size describes the sizes. Each index draws its own, from Seed and Key alone, so the bucket
	// and the other rules do not change them.
	Size Size

	// Seed varies the sizes, not the bytes.
	Seed uint64

	// ContentType is the media type, or "" for the server's default.
	ContentType string

	// LastModified is the time of all objects; the zero time is DefaultLastModified.
	LastModified time.Time

	// origin says where the rule was read, such as "line 4", or is empty.
	origin string
}

// Origin says where a parsed rule was read, such as "line 4" of a file, or is empty.
func (r *Rule) Origin() string { return r.origin }

// describe names the rule in messages.
func (r *Rule) describe() string {
	name := r.Name
	if name == "" {
		name = r.Key
	}
	if r.origin == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q (%s)", name, r.origin)
}

// validate checks all but the key template, which NewDataset compiles.
func (r *Rule) validate() error {
	if r.Bucket == "" || strings.Contains(r.Bucket, "/") {
		return fmt.Errorf("bucket %q is not a bucket name", r.Bucket)
	}
	if r.Key == "" {
		return errors.New("key is missing")
	}
	if !utf8.ValidString(r.Key) {
		return fmt.Errorf("key %q is not UTF-8", r.Key)
	}
	if r.Count < 1 || r.Count > maxCount {
		return fmt.Errorf("count %d is not in 1 to %d", r.Count, int64(maxCount))
	}
	if r.First < 0 || r.First > maxCount {
		return fmt.Errorf("first %d is not in 0 to %d", r.First, int64(maxCount))
	}
	if r.Folders < 0 || r.Folders > maxFolders {
		return fmt.Errorf("folders %d is not in 0 to %d", r.Folders, maxFolders)
	}
	for k := range len(r.ContentType) {
		// Anything else would have to be quoted in a header, or end it.
		if c := r.ContentType[k]; c < ' ' || c > '~' {
			return fmt.Errorf("content-type %q has the byte 0x%02x", r.ContentType, c)
		}
	}
	// Years of four digits are all that ISO 8601 and HTTP dates write.
	if t := r.LastModified; !t.IsZero() && (t.Unix() < 0 || t.UTC().Year() > 9999) {
		return fmt.Errorf("last-modified %v is not in 1970 to 9999", t)
	}
	if err := r.Size.validate(); err != nil {
		return fmt.Errorf("%w %q: %w", ErrBadSize, r.Size, err)
	}
	return nil
}
