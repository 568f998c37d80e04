package server

import (
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tag is one tag of an object or a bucket.
type tag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

// The bounds of tags: how many an object and a bucket may have, and how many
// characters key and value.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
const (
	maxObjectTags = 10
	maxBucketTags = 50
	maxTagKey     = 128
	maxTagValue   = 256
)

// maxTagDocument fits maxBucketTags tags of the longest characters, each written
// as a reference.
const maxTagDocument = 256 << 10

// taggingHeader carries the tags of a write. An object's Meta has them under
// that name: each tag's key and value, each after its length in two bytes.
const taggingHeader = "x-amz-tagging"

// tagging is the document of tags.
type tagging struct {
	XMLName xml.Name `xml:"Tagging"`
	TagSet  *struct {
		Tags []struct {
			Key   *string `xml:"Key"`
			Value *string `xml:"Value"`
		} `xml:"Tag"`
	} `xml:"TagSet"`
}

// parseTagging reads a document of at most limit tags. They come back sorted by
// key.
func parseTagging(text []byte, limit int, tooMany string) ([]tag, error) {
	var doc tagging
	if err := unmarshalXML(text, &doc); err != nil {
		return nil, errMalformedXML.because(fmt.Errorf("cannot parse Tagging: %w", err))
	}
	if doc.TagSet == nil {
		return nil, errMalformedXML.because(fmt.Errorf("no TagSet"))
	}
	tags := make([]tag, 0, len(doc.TagSet.Tags))
	for _, t := range doc.TagSet.Tags {
		if t.Key == nil || t.Value == nil {
			return nil, errMalformedXML.because(fmt.Errorf("a tag without key or value"))
		}
		tags = append(tags, tag{*t.Key, *t.Value})
	}
	if len(tags) > limit {
		return nil, errBadRequest.saying(tooMany)
	}
	return tags, checkTags(tags)
}

// parseObjectTagging reads the document of an object's tags.
func parseObjectTagging(text []byte) ([]tag, error) {
	return parseTagging(text, maxObjectTags, tooManyObjectTags)
}

const tooManyObjectTags = "Object tags cannot be greater than 10"

// parseTagHeader reads the tags in a header, which are written as the query of a
// URL.
func parseTagHeader(value []byte) ([]tag, error) {
	malformed := invalidArgument(taggingHeader, string(value),
		"The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.")
	var tags []tag
	for _, piece := range strings.Split(string(value), "&") {
		if piece == "" {
			continue
		}
		key, text, _ := strings.Cut(piece, "=")
		key, err := url.QueryUnescape(key)
		if err != nil {
			return nil, malformed.because(err)
		}
		if text, err = url.QueryUnescape(text); err != nil {
			return nil, malformed.because(err)
		}
		if slices.ContainsFunc(tags, func(t tag) bool { return t.Key == key }) {
			return nil, malformed
		}
		tags = append(tags, tag{key, text})
	}
	if len(tags) > maxObjectTags {
		return nil, errBadRequest.saying(tooManyObjectTags)
	}
	return tags, checkTags(tags)
}

// checkTags holds tags to AWS's rules and sorts them by key.
func checkTags(tags []tag) error {
	slices.SortFunc(tags, func(a, b tag) int { return strings.Compare(a.Key, b.Key) })
	for i, t := range tags {
		switch {
		case t.Key == "" || utf8.RuneCountInString(t.Key) > maxTagKey || !tagText(t.Key):
			return errInvalidTag.saying("The TagKey you have provided is invalid").with("TagKey", t.Key)
		case utf8.RuneCountInString(t.Value) > maxTagValue || !tagText(t.Value):
			return errInvalidTag.saying("The TagValue you have provided is invalid").with("TagKey", t.Key).with("TagValue", t.Value)
		case strings.HasPrefix(t.Key, "aws:"):
			return errInvalidTag.saying("System tags cannot be added/updated by requester").with("TagKey", t.Key)
		case i > 0 && tags[i-1].Key == t.Key:
			return errInvalidTag.saying("Cannot provide multiple Tags with the same key").with("TagKey", t.Key)
		}
	}
	return nil
}

// tagText tells whether a tag may have that text: letters, digits, spaces and
// some signs.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_S3Tag.html
func tagText(s string) bool {
	for _, c := range s {
		if c == utf8.RuneError || !unicode.In(c, unicode.L, unicode.Z, unicode.N) && !strings.ContainsRune("_.:/=+-@", c) {
			return false
		}
	}
	return true
}

// appendTagging appends the document of tags.
func appendTagging(dst []byte, tags []tag) []byte {
	dst = append(dst, "<Tagging"+xmlNamespace+"><TagSet>"...)
	for _, t := range tags {
		dst = append(dst, "<Tag>"...)
		dst = appendElement(dst, "Key", t.Key)
		dst = appendElement(dst, "Value", t.Value)
		dst = append(dst, "</Tag>"...)
	}
	return append(dst, "</TagSet></Tagging>"...)
}

// appendMetaTags adds tags to a Meta that has none.
func appendMetaTags(meta []byte, tags []tag) []byte {
	if len(tags) == 0 {
		return meta
	}
	var text []byte
	for _, t := range tags {
		text = binary.LittleEndian.AppendUint16(text, uint16(len(t.Key)))
		text = append(text, t.Key...)
		text = binary.LittleEndian.AppendUint16(text, uint16(len(t.Value)))
		text = append(text, t.Value...)
	}
	if len(meta) == 0 {
		meta = append(meta, 0)
	}
	return appendMetaHeader(meta, []byte(taggingHeader), text)
}

// metaTags returns the tags in a Meta string.
func metaTags(meta string) (tags []tag) {
	m := readMetadata(meta)
	for name, value := m.next(); name != nil; name, value = m.next() {
		if string(name) != taggingHeader {
			continue
		}
		for len(value) > 0 {
			var key, text []byte
			key, value = cutField(value)
			text, value = cutField(value)
			tags = append(tags, tag{string(key), string(text)})
		}
	}
	return tags
}

// countTags counts the tags in the value of a Meta's entry.
func countTags(value []byte) (n int) {
	for ; len(value) > 0; n++ {
		_, value = cutField(value)
		_, value = cutField(value)
	}
	return n
}

// withTags appends a Meta string with other tags.
func withTags(dst []byte, meta string, tags []tag) []byte {
	start := len(dst)
	if meta != "" {
		dst = append(dst, meta[0])
	}
	m := readMetadata(meta)
	for name, value := m.next(); name != nil; name, value = m.next() {
		if string(name) != taggingHeader {
			dst = appendMetaHeader(dst, name, value)
		}
	}
	if len(dst) == start+1 {
		dst = dst[:start] // nothing but the flags
	}
	return appendMetaTags(dst, tags)
}
