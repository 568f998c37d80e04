package store

import (
	"errors"
	"fmt"
)

// The conditions a caller can tell apart with errors.Is. Each is named after
// the S3 error code it leads to where one exists; the store knows no HTTP.
var (
	// ErrBucketExists is returned by CreateBucket for a name in use.
	ErrBucketExists = errors.New("bucket exists")
	// ErrNoSuchBucket is returned for a missing bucket and for every write
	// through a *Bucket that was deleted meanwhile.
	ErrNoSuchBucket = errors.New("no such bucket")
	// ErrBucketNotEmpty is returned by DeleteBucket.
	ErrBucketNotEmpty = errors.New("bucket not empty")
	// ErrMemoryLimit is returned by whatever would take MemoryUsed past
	// Options.MemoryLimit. Nothing has changed then.
	ErrMemoryLimit = errors.New("memory limit reached")
	// ErrKeyTooLong is returned for a key of more than MaxKeyLen bytes.
	ErrKeyTooLong = errors.New("key too long")
	// ErrBodyTooLong is returned by a Writer given more than its declared size.
	ErrBodyTooLong = errors.New("body longer than declared")
	// ErrNoSuchVersion is returned by GetVersion.
	ErrNoSuchVersion = errors.New("no such version")
	// ErrDeleteMarker is returned by GetVersion for a version without bytes.
	ErrDeleteMarker = errors.New("version is a delete marker")
	// ErrNoSuchUpload is returned for an unknown, completed or aborted
	// multipart upload.
	ErrNoSuchUpload = errors.New("no such upload")
	// ErrNoParts is returned by Complete for an empty part list
	// (MalformedXML in S3).
	ErrNoParts = errors.New("no parts listed")
	// ErrInvalidPartOrder is returned by Complete unless part numbers ascend
	// strictly.
	ErrInvalidPartOrder = errors.New("part numbers do not ascend")
	// ErrSizeMismatch is returned by Complete when the listed parts do not add
	// up to CompleteOptions.Size.
	ErrSizeMismatch = errors.New("size of the parts differs from the size announced")
	// ErrDiskFull is returned by writes that the disk of Persistence.Dir has no
	// space for. Nothing has changed then, and writes succeed again once there
	// is space.
	ErrDiskFull = errors.New("no space left on the disk of the database")
	// ErrPersist is returned by writes when the database cannot take them.
	ErrPersist = errors.New("the database cannot be written")
	// ErrLocked is returned by Open for a directory that is in use.
	ErrLocked = errors.New("it is in use by another process")
	// ErrDamaged is returned by Open for a directory whose content is not what
	// was written.
	ErrDamaged = errors.New("it is damaged")
	// ErrMismatch is returned by Open for a database made with other settings.
	ErrMismatch = errors.New("it was made with other settings")
	// ErrNotSynth is returned by Attach for a bucket in memory mode.
	ErrNotSynth = errors.New("the bucket is not in synth mode")
	// ErrVersioned is returned by Attach for a bucket that has versioning.
	ErrVersioned = errors.New("the bucket has versioning")
	// ErrHasDatasets is returned by SetVersioning for a bucket with data sets.
	ErrHasDatasets = errors.New("the bucket has virtual data sets")
	// ErrBadMode is returned by ParseMode and ParseETagMode.
	ErrBadMode = errors.New("unknown mode")
)

// InvalidPartError is returned by Complete when the listed part Number was
// never uploaded, or was uploaded with another ETag or checksum.
type InvalidPartError struct {
	Number int
}

func (e *InvalidPartError) Error() string {
	return fmt.Sprintf("part %d is missing or differs from the one listed", e.Number)
}

// EntityTooSmallError is returned by Complete when a listed part other than
// the last holds fewer bytes than Options.MinPartSize.
type EntityTooSmallError struct {
	Size, Min int64 // bytes
	Number    int
}

func (e *EntityTooSmallError) Error() string {
	return fmt.Sprintf("part %d has %d bytes; at least %d are needed", e.Number, e.Size, e.Min)
}
