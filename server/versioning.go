package server

import (
	"encoding/xml"
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
)

// getBucketVersioning is GetBucketVersioning. A bucket on which versioning was
// never set has no Status.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html
func (r *request) getBucketVersioning() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	doc := append([]byte(xmlHeader), "<VersioningConfiguration"+xmlNamespace+">"...)
	if status := b.Versioning().String(); status != "" {
		doc = appendElement(doc, "Status", status)
	}
	return r.sendXML(appendEnd(doc, "VersioningConfiguration"))
}

// versioningConfiguration is the body of PutBucketVersioning.
type versioningConfiguration struct {
	XMLName   xml.Name `xml:"VersioningConfiguration"`
	Status    string   `xml:"Status"`
	MFADelete string   `xml:"MfaDelete"`
}

// putBucketVersioning is PutBucketVersioning, without MFA delete.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html
func (r *request) putBucketVersioning() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	text, err := r.receiveDocument(maxSmallDocument)
	if err != nil {
		return err
	}
	state, err := parseVersioning(text)
	if err != nil {
		return err
	}
	if err := b.SetVersioning(state); err != nil {
		return err
	}
	return r.sendNothing(200)
}

func parseVersioning(text []byte) (store.Versioning, error) {
	var conf versioningConfiguration
	if err := unmarshalXML(text, &conf); err != nil {
		return 0, errMalformedXML.because(fmt.Errorf("cannot parse VersioningConfiguration: %w", err))
	}
	switch conf.MFADelete {
	case "", "Disabled":
	case "Enabled":
		return 0, errNotImplemented.because(errors.New("MFA delete"))
	default:
		return 0, errMalformedXML.because(fmt.Errorf("unknown MfaDelete %q", conf.MFADelete))
	}
	for _, state := range [...]store.Versioning{store.VersioningEnabled, store.VersioningSuspended} {
		if conf.Status == state.String() {
			return state, nil
		}
	}
	return 0, errMalformedXML.because(fmt.Errorf("unknown Status %q", conf.Status))
}
