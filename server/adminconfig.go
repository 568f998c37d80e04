package server

import (
	"net/http"
	"runtime"
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// adminConfigDocument is what /config answers: every setting but keys.
type adminConfigDocument struct {
	Build struct {
		Version   string `json:"version"`
		Commit    string `json:"commit"`
		GoVersion string `json:"go_version"`
		Platform  string `json:"platform"`
	} `json:"build"`
	Mode          string               `json:"mode"`
	Seed          uint64               `json:"seed"`
	Pattern       string               `json:"pattern"`
	Buckets       []adminConfigBucket  `json:"buckets"`
	Region        string               `json:"region"`
	Domains       []string             `json:"domains"`
	KeyPairs      int                  `json:"key_pairs"`
	SkipSigVerify bool                 `json:"skip_sig_verify"`
	VerifyPayload bool                 `json:"verify_payload"`
	MaxSkew       string               `json:"max_skew"`
	ETag          string               `json:"etag"`
	SHA256        string               `json:"sha256"` // as in use, so not auto
	KeepSmall     int64                `json:"keep_small"`
	MinPartSize   int64                `json:"min_part_size"`
	MemoryLimit   int64                `json:"memory_limit"`
	DBPath        string               `json:"db_path"`
	PersistData   bool                 `json:"persist_data"`
	SyncInterval  string               `json:"sync_interval"`
	Datasets      []adminConfigDataset `json:"datasets"`
	Journal       int                  `json:"journal"`
	AccessLog     string               `json:"access_log"`
	AccessFormat  string               `json:"access_log_format"`
	Listeners     []string             `json:"listeners"`
	HeadTimeout   string               `json:"head_timeout"`
	StallTimeout  string               `json:"stall_timeout"`
	Shutdown      string               `json:"shutdown_timeout"`
}

type adminConfigBucket struct {
	Name string `json:"name"`
	Mode string `json:"mode"`
}

type adminConfigDataset struct {
	Name    string `json:"name"`
	Bucket  string `json:"bucket"`
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

func (a *Admin) config(w http.ResponseWriter, _ *http.Request) {
	c := &a.srv.cfg
	doc := adminConfigDocument{
		Mode: c.Mode.String(), Seed: c.Seed, Pattern: c.Pattern.String(), Buckets: []adminConfigBucket{},
		Region: c.Region, Domains: a.srv.domains, KeyPairs: len(c.Credentials),
		SkipSigVerify: c.SkipSigVerify, VerifyPayload: c.VerifyPayload, MaxSkew: c.MaxSkew.String(),
		ETag: "md5", SHA256: a.srv.sha.name(), KeepSmall: c.KeepSmall, MinPartSize: c.MinPartSize, MemoryLimit: c.MemoryLimit,
		DBPath: c.DBPath, PersistData: c.PersistData, SyncInterval: syncIntervalName(c.SyncInterval),
		Datasets: []adminConfigDataset{},
		Journal:  max(c.Journal, 0), AccessLog: c.AccessLog.Path, AccessFormat: c.AccessLog.Format.String(),
		Listeners: a.srv.listening(), HeadTimeout: c.HeadTimeout.String(), StallTimeout: c.StallTimeout.String(),
		Shutdown: c.ShutdownTimeout.String(),
	}
	if c.ETag == store.ETagFast {
		doc.ETag = "fast"
	}
	doc.Build.Version, doc.Build.Commit = c.Version, c.Commit
	doc.Build.GoVersion, doc.Build.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	for _, b := range c.Buckets {
		doc.Buckets = append(doc.Buckets, adminConfigBucket{b.Name, b.Mode.String()})
	}
	for _, d := range a.srv.Datasets() {
		doc.Datasets = append(doc.Datasets, adminConfigDataset{Name: d.Name, Bucket: d.Bucket, Objects: d.Objects, Bytes: d.Bytes})
	}
	writeJSON(w, http.StatusOK, doc)
}

// syncIntervalName is the text of a sync interval that the command line takes.
func syncIntervalName(d time.Duration) string {
	switch d {
	case store.SyncAlways:
		return "always"
	case store.SyncNone:
		return "none"
	}
	return d.String()
}
