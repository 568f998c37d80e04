package server

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

func TestParsePostPolicy(t *testing.T) {
	row := func(doc string, ok bool) {
		t.Helper()
		_, err := parsePostPolicy([]byte(base64.StdEncoding.EncodeToString([]byte(doc))))
		var api *apiError
		switch {
		case ok && err != nil:
			t.Errorf("unexpected error for %s; got %v", doc, err)
		case !ok && (!errors.As(err, &api) || api.Code != "InvalidPolicyDocument"):
			t.Errorf("unexpected error for %s; got %v; want InvalidPolicyDocument", doc, err)
		}
	}
	with := func(condition string) string {
		return `{"expiration": "2030-01-01T00:00:00Z", "conditions": [` + condition + `]}`
	}
	row(with(""), true)
	row(with(`{"acl": "private"}, ["eq", "$key", "a"], ["STARTS-WITH", "$key", ""], ["content-length-range", 0, 5368709120]`), true)
	row(with(`["content-length-range", "1", "2"]`), true)
	row(`{"expiration": "2030-01-01T00:00:00.123Z", "conditions": [], "comment": 1}`, true)
	row(`{"expiration": "2030-01-01 00:00:00+00:00", "conditions": []}`, false)
	row(`{"expiration": 2030, "conditions": []}`, false)
	row(`{"EXPIRATION": "2030-01-01T00:00:00Z", "conditions": []}`, false)
	row(`{"expiration": "2030-01-01T00:00:00Z", "CONDITIONS": []}`, false)
	row(`{"expiration": "2030-01-01T00:00:00Z", "conditions": {}}`, false)
	row(`{"expiration": "2030-01-01T00:00:00Z", "conditions": null}`, false)
	row(`{"conditions": []}`, false)
	row(`null`, false)
	row(`[]`, false)
	row(``, false)
	row(with("")+"x", false)
	row(with(`{}`), false)
	row(with(`null`), false)
	row(with(`[]`), false)
	row(with(`"eq"`), false)
	row(with(`{"a": "b", "c": "d"}`), false)
	row(with(`{"a": 1}`), false)
	row(with(`["eq", "$key"]`), false)
	row(with(`["eq", "key", "a"]`), false)
	row(with(`["eq", "$", "a"]`), false)
	row(with(`["eq", "$key", 1]`), false)
	row(with(`["ends-with", "$key", "a"]`), false)
	row(with(`[1, "$key", "a"]`), false)
	row(with(`["content-length-range", -1, 0]`), false)
	row(with(`["content-length-range", 0, 1.5]`), false)
	row(with(`["content-length-range", 0, 1e3]`), false)
	row(with(`["content-length-range", 0, null]`), false)
	row(with(`["content-length-range", 0, 9223372036854775808]`), false)
	if _, err := parsePostPolicy([]byte("{}")); err == nil {
		t.Error("unexpected policy that is not base64")
	}
}

func TestPostPolicyTime(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &postPolicy{expiration: at, conditions: []policyCondition{{field: "bucket", value: "b"}}}
	f := new(postForm)
	if err := p.check(f, "b", at.Add(-1)); err != nil {
		t.Errorf("unexpected error before the expiration: %v", err)
	}
	if err := p.check(f, "b", at); err == nil {
		t.Error("unexpected success at the expiration")
	}
}

// FuzzPostForm feeds arbitrary bodies to the form reader: whatever they are, it
// neither panics nor takes fields beyond its limits, and what it accepts has a
// file and a final boundary.
func FuzzPostForm(f *testing.F) {
	part := func(name, value string) string {
		return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"f\"\r\n\r\n" + value + "\r\n"
	}
	f.Add([]byte(part("key", "${filename}")+part("file", "abc")+"--B--\r\n"), 3)
	f.Add([]byte(part("key", "a")+part("file", "abc\r\n--Bx\r\n")+part("late", "x")+"--B--"), 5000)
	f.Add([]byte("\r\n--B\nContent-Disposition: form-data; name=file\n\nx\n--B--\n"), 1)
	f.Add([]byte(part("file", "a")+part("file", "b")+"--B--"), 7)
	f.Add([]byte(part("file", "abc")+"--B"), 2)
	f.Add([]byte(part("file", "abc")+"--B\r\n"), 7)
	f.Fuzz(func(t *testing.T, body []byte, block int) {
		if block < 1 || block > 1<<16 {
			return
		}
		form, err := readPostForm(strings.NewReader(string(body)), "B", int64(len(body)), make([]byte, block))
		if err != nil {
			return
		}
		size := 0
		for _, field := range form.fields {
			size += len(field.Name) + len(field.Value)
		}
		if size > maxFormFields {
			t.Errorf("unexpected size of the fields; got %d; want at most %d", size, maxFormFields)
		}
		var file []byte
		var scratch [100]byte
		for err == nil {
			var n int
			n, err = form.file.Read(scratch[:])
			file = append(file, scratch[:n]...)
		}
		if form.finish() == nil && (!strings.Contains(string(body), "--B--") || !strings.Contains(string(body), string(file))) {
			t.Errorf("unexpected form accepted: %q", body)
		}
	})
}

func TestPolicyConditionString(t *testing.T) {
	c := policyCondition{field: "key", value: `a"b`, prefix: true}
	if got, want := c.String(), `["starts-with", "$key", "a\"b"]`; got != want {
		t.Errorf("unexpected text; got %s; want %s", got, want)
	}
	f := &postForm{fields: []sigv4.Field{{Name: []byte("key"), Value: []byte(`a"bc`)}}}
	if !c.holds(f, "") {
		t.Error("unexpected failure of the condition")
	}
}
