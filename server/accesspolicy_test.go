package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// policyText is a policy of statements, each with the members given.
func policyText(statements ...string) string {
	return `{"Version":"2012-10-17","Statement":[` + strings.Join(statements, ",") + `]}`
}

// grant is a statement for everybody on bkt.
func grant(effect, actions, resources, more string) string {
	return fmt.Sprintf(`{"Effect":%q,"Principal":"*","Action":%s,"Resource":%s%s}`, effect, actions, resources, more)
}

const (
	wholeBucket = `["arn:aws:s3:::bkt","arn:aws:s3:::bkt/*"]`
	allObjects  = `"arn:aws:s3:::bkt/*"`
	theBucket   = `"arn:aws:s3:::bkt"`
)

// setPolicy replaces the policy of bkt.
func (f *fixture) setPolicy(t testing.TB, text string) {
	t.Helper()
	f.do(t, "PUT", "/bkt?policy", text).want(204)
}

// asAnybody sends a request without a signature.
func (f *fixture) asAnybody(t testing.TB, method, target, body string, header ...string) *reply {
	t.Helper()
	return f.send(t, call{method: method, target: target, body: body, header: header, anonymous: true})
}

func TestBucketPolicyDocument(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.do(t, "GET", "/bkt?policy", "").wantError(404, "NoSuchBucketPolicy")
		f.do(t, "GET", "/bkt?policyStatus", "").wantError(404, "NoSuchBucketPolicy")
		f.do(t, "DELETE", "/bkt?policy", "").want(204)
		f.do(t, "PUT", "/none?policy", policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""))).wantError(404, "NoSuchBucket")
		f.do(t, "GET", "/none?policy", "").wantError(404, "NoSuchBucket")
		text := "{ \"Statement\" :\n" + grant("Allow", `"s3:GetObject"`, allObjects, `,"Sid":"é"`) + "\t}\n"
		f.setPolicy(t, text)
		f.do(t, "GET", "/bkt?policy", "").wantBody(200, text).wantHeader("Content-Type: application/json")
		status := func(want string) {
			t.Helper()
			if got := f.do(t, "GET", "/bkt?policyStatus", "").want(200).element("IsPublic"); got != want {
				t.Errorf("unexpected IsPublic; got %s; want %s", got, want)
			}
		}
		status("true")
		f.setPolicy(t, policyText(grant("Deny", `"s3:*"`, allObjects, "")))
		status("false")
		f.setPolicy(t, policyText(grant("Allow", `"s3:*"`, allObjects, `,"Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}`)))
		status("false")
		f.setPolicy(t, policyText(grant("Allow", `"s3:*"`, allObjects, `,"Condition":{"Null":{"aws:SourceIp":"false"}}`)))
		status("true")
		f.setPolicy(t, policyText(grant("Allow", `"s3:*"`, allObjects, `,"Condition":{"StringLike":{"aws:Referer":"http://a/*"}}`)))
		status("true")
		f.setPolicy(t, policyText(strings.Replace(grant("Allow", `"s3:*"`, allObjects, ""), `"*"`, `{"AWS":"arn:aws:iam::123456789012:root"}`, 1)))
		status("false")
		f.do(t, "DELETE", "/bkt?policy", "").want(204)
		f.do(t, "GET", "/bkt?policy", "").wantError(404, "NoSuchBucketPolicy")
		// Nobody but the owner has to do with it, whatever it says.
		f.setPolicy(t, policyText(grant("Allow", `"*"`, wholeBucket, "")))
		f.asAnybody(t, "GET", "/bkt?policy", "").wantError(403, "AccessDenied")
		f.asAnybody(t, "PUT", "/bkt?policy", "{}").wantError(403, "AccessDenied")
		f.asAnybody(t, "DELETE", "/bkt?policy", "").wantError(403, "AccessDenied")
		f.do(t, "POST", "/bkt?policy", "").wantError(405, "MethodNotAllowed")
	})
}

func TestMalformedPolicy(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	ok := grant("Allow", `"s3:GetObject"`, allObjects, "")
	row := func(text, message string) {
		t.Helper()
		doc := f.do(t, "PUT", "/bkt?policy", text).wantError(400, "MalformedPolicy")
		if !strings.Contains(doc.Message, message) {
			t.Errorf("unexpected message for %.200s; got %q; want %q", text, doc.Message, message)
		}
	}
	row("", "valid JSON")
	row("null", "valid JSON")
	row("[]", "valid JSON")
	row(policyText(ok)+"x", "valid JSON")
	row(`{"Version":"2012-10-17"}`, "Statement")
	row(policyText(), "Statement is empty")
	row(policyText(`"x"`), "valid JSON")
	row(strings.Replace(policyText(ok), "2012", "2013", 1), "version")
	row(strings.Replace(policyText(ok), "Version", "version", 1), "Unknown field version")
	row(policyText(strings.Replace(ok, "Effect", "effect", 1)), "Unknown field effect")
	row(policyText(strings.Replace(ok, `"Effect":"Allow",`, "", 1)), "Effect")
	row(policyText(strings.Replace(ok, `"Allow"`, `"allow"`, 1)), "Invalid effect")
	row(policyText(strings.Replace(ok, `"Principal":"*",`, "", 1)), "Missing required field Principal")
	row(policyText(strings.Replace(ok, `"*"`, `"me"`, 1)), "Invalid principal")
	row(policyText(strings.Replace(ok, `"*"`, `{}`, 1)), "Invalid principal")
	row(policyText(strings.Replace(ok, `"Principal"`, `"NotPrincipal"`, 1)), "Allow with NotPrincipal")
	row(policyText(strings.Replace(ok, `"*"`, `{"Me":"*"}`, 1)), "Invalid principal")
	row(policyText(strings.Replace(ok, `"*"`, `{"AWS":[]}`, 1)), "Principal")
	row(policyText(grant("Allow", `[]`, allObjects, "")), "Action")
	row(policyText(grant("Allow", `7`, allObjects, "")), "Action")
	row(policyText(grant("Allow", `"s3:GetObjects"`, allObjects, "")), "invalid action")
	row(policyText(grant("Allow", `"GetObject"`, allObjects, "")), "invalid action")
	row(policyText(grant("Allow", `"ec2:*"`, allObjects, "")), "invalid action")
	row(policyText(grant("Allow", `"s3:GetObject"`, theBucket, "")), "Action does not apply")
	row(policyText(grant("Allow", `["s3:GetObject","s3:ListBucket"]`, allObjects, "")), "Action does not apply")
	row(policyText(grant("Allow", `"s3:GetObject"`, `"arn:aws:s3:::other/*"`, "")), "invalid resource")
	row(policyText(grant("Allow", `"s3:GetObject"`, `"bkt/*"`, "")), "invalid resource")
	row(policyText(grant("Allow", `"s3:GetObject"`, `"*"`, "")), "invalid resource")
	row(policyText(strings.Replace(ok, `,"Resource"`, `,"Nothing"`, 1)), "Unknown field Nothing")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"NotResource":"x"`)), "both Resource and NotResource")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Condition":[]`)), "Condition")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Condition":{"StringIs":{"s3:prefix":"a"}}`)), "Invalid Condition type")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Condition":{"StringEquals":{"prefix":"a"}}`)), "invalid condition key")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Condition":{"StringEquals":{"s3:prefix":{}}}`)), "Condition values")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Condition":{"StringNotEquals":{"s3:prefix":null}}`)), "Condition values")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Condition":{"IpAddress":{"aws:SourceIp":"here"}}`)), "Invalid IP")
	row(policyText(grant("Allow", `"s3:GetObject"`, allObjects, `,"Sid":"`+letters(20<<10)+`"`)), "maximum allowed document size")
	f.do(t, "GET", "/bkt?policy", "").wantError(404, "NoSuchBucketPolicy")
	// What AWS takes is taken, however little of it concerns this server.
	for _, text := range []string{
		`{"Statement":` + ok + `}`,
		strings.Replace(policyText(ok), "2012-10-17", "2008-10-17", 1),
		policyText(strings.Replace(ok, `"*"`, `{"AWS":["arn:aws:iam::123456789012:user/x","*"],"Service":"logging.s3.amazonaws.com"}`, 1)),
		policyText(grant("Deny", `"s3:*"`, wholeBucket, `,"Condition":{"Bool":{"aws:SecureTransport":false},"NumericLessThan":{"s3:TlsVersion":1.2}}`)),
		policyText(grant("Allow", `"s3:put*"`, `"arn:aws:s3:::*/home/${aws:username}/*"`, `,"Condition":{"ForAnyValue:StringLike":{"s3:RequestObjectTagKeys":["a","b"]}}`)),
		policyText(`{"Effect":"Deny","NotPrincipal":{"AWS":"arn:aws:iam::123456789012:root"},"NotAction":"s3:GetObject","NotResource":"arn:aws:s3:::bkt/a"}`),
	} {
		if !json.Valid([]byte(text)) {
			t.Fatalf("bad row %s", text)
		}
		f.setPolicy(t, text)
	}
}

// TestAnonymousAccess holds what each policy lets anybody do to what is asked.
func TestAnonymousAccess(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/dir/k", "in dir")
	f.put(t, "/bkt/top", "at the top")
	f.put(t, "/other/k", "of another")
	const all = "list-dir list versions uploads location head get get-top get-none head-none put delete delete-many copy copy-other multipart form acl"
	tries := map[string]func() *reply{
		"list":      func() *reply { return f.asAnybody(t, "GET", "/bkt?list-type=2", "") },
		"list-dir":  func() *reply { return f.asAnybody(t, "GET", "/bkt?prefix=dir%2F&delimiter=%2F", "") },
		"versions":  func() *reply { return f.asAnybody(t, "GET", "/bkt?versions", "") },
		"uploads":   func() *reply { return f.asAnybody(t, "GET", "/bkt?uploads", "") },
		"location":  func() *reply { return f.asAnybody(t, "GET", "/bkt?location", "") },
		"head":      func() *reply { return f.asAnybody(t, "HEAD", "/bkt", "") },
		"acl":       func() *reply { return f.asAnybody(t, "GET", "/bkt?acl", "") },
		"get":       func() *reply { return f.asAnybody(t, "GET", "/bkt/dir/k", "") },
		"get-top":   func() *reply { return f.asAnybody(t, "GET", "/bkt/top", "") },
		"get-none":  func() *reply { return f.asAnybody(t, "GET", "/bkt/dir/none", "") },
		"head-none": func() *reply { return f.asAnybody(t, "HEAD", "/bkt/dir/none", "") },
		"put":       func() *reply { return f.asAnybody(t, "PUT", "/bkt/dir/new", "new") },
		"delete":    func() *reply { return f.asAnybody(t, "DELETE", "/bkt/dir/new", "") },
		"delete-many": func() *reply {
			return f.asAnybody(t, "POST", "/bkt?delete", "<Delete><Object><Key>dir/new</Key></Object></Delete>")
		},
		"copy":       func() *reply { return f.asAnybody(t, "PUT", "/bkt/dir/new", "", "x-amz-copy-source: bkt/dir/k") },
		"copy-other": func() *reply { return f.asAnybody(t, "PUT", "/bkt/dir/new", "", "x-amz-copy-source: other/k") },
		"multipart":  func() *reply { return f.asAnybody(t, "POST", "/bkt/dir/new?uploads", "") },
		"form": func() *reply {
			c := post("/bkt", form(field{"key", "dir/new", ""}, field{"file", "x", ""}))
			return f.send(t, c)
		},
	}
	const download, upload = "location list list-dir head get get-top get-none head-none", "location uploads put delete delete-many multipart form"
	// row requires that the tries named get through and all others are refused.
	row := func(name, policy, want string) {
		t.Helper()
		if policy == "" {
			f.do(t, "DELETE", "/bkt?policy", "").want(204)
		} else {
			f.setPolicy(t, policy)
		}
		for _, try := range strings.Fields(all) {
			r := tries[try]()
			denied := r.status == 403 || strings.Contains(r.body, "<Code>AccessDenied</Code>")
			if want := strings.Contains(" "+want+" ", " "+try+" "); denied == want || r.status >= 500 || r.status == 400 || r.status == 405 {
				t.Errorf("%s: unexpected reply to %s; got %v; want allowed %v", name, try, r, want)
			}
		}
		f.do(t, "GET", "/bkt/top", "").wantBody(200, "at the top")
	}
	row("no policy", "", "")
	// The policies that MinIO's client writes.
	row("download", policyText(grant("Allow", `["s3:GetBucketLocation","s3:ListBucket"]`, theBucket, ""), grant("Allow", `["s3:GetObject"]`, allObjects, "")), download)
	row("upload", policyText(grant("Allow", `["s3:GetBucketLocation","s3:ListBucketMultipartUploads"]`, theBucket, ""),
		grant("Allow", `["s3:AbortMultipartUpload","s3:DeleteObject","s3:ListMultipartUploadParts","s3:PutObject"]`, allObjects, "")), upload)
	row("download of a directory", policyText(grant("Allow", `["s3:ListBucket"]`, theBucket, `,"Condition":{"StringEquals":{"s3:prefix":["dir/"]}}`),
		grant("Allow", `["s3:GetObject"]`, `"arn:aws:s3:::bkt/dir/*"`, "")), "list-dir get")
	row("everything", policyText(grant("Allow", `"s3:*"`, wholeBucket, "")), strings.Replace(all, "copy-other ", "", 1))
	row("everything, also so", policyText(strings.Replace(grant("Allow", `"*"`, `["arn:aws:s3:::b?t*"]`, ""), `"*"`, `{"AWS":["*"]}`, 1)), strings.Replace(all, "copy-other ", "", 1))
	row("somebody", policyText(strings.Replace(grant("Allow", `"s3:*"`, wholeBucket, ""), `"*"`, `{"AWS":"arn:aws:iam::123456789012:root"}`, 1)), "")
	row("objects", policyText(grant("Allow", `"s3:getobject"`, allObjects, "")), "get get-top")
	row("deny wins", policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""), grant("Deny", `"s3:Get*"`, `"arn:aws:s3:::bkt/dir/*"`, "")), "get-top")
	row("but for an action", policyText(`{"Effect":"Allow","Principal":"*","NotAction":"s3:GetObject","Resource":`+wholeBucket+`}`),
		"list list-dir versions uploads location head put delete delete-many multipart form acl")
	row("but for a resource", policyText(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","NotResource":"arn:aws:s3:::bkt/dir/*"}`), "get-top")
	row("not those", policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""), `{"Effect":"Deny","NotPrincipal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::bkt/top"}`), "get")
	condition := func(effect, text string) string {
		return policyText(grant("Allow", `"s3:ListBucket"`, theBucket, ""), grant(effect, `"s3:GetObject"`, allObjects, `,"Condition":`+text))
	}
	reads, lists := "list list-dir head get get-top get-none head-none", "list list-dir head"
	row("address", condition("Allow", `{"IpAddress":{"aws:SourceIp":["10.0.0.0/8","127.0.0.1"]}}`), reads)
	row("another address", condition("Allow", `{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}`), lists)
	row("not that address", condition("Allow", `{"NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}}`), reads)
	row("over TLS", condition("Allow", `{"Bool":{"aws:SecureTransport":"true"}}`), lists)
	row("without TLS", condition("Allow", `{"Bool":{"aws:SecureTransport":"false"}}`), reads)
	row("referer", condition("Allow", `{"StringLike":{"aws:Referer":"http://*"}}`), lists)
	row("no referer", condition("Allow", `{"StringNotLike":{"aws:Referer":"http://*"}}`), reads)
	row("referer if any", condition("Allow", `{"StringLikeIfExists":{"aws:Referer":"http://*"}}`), reads)
	row("null", condition("Allow", `{"Null":{"aws:Referer":true}}`), reads)
	row("two keys", condition("Allow", `{"Null":{"aws:Referer":true},"Bool":{"aws:SecureTransport":"true"}}`), lists)
	// What is not evaluated never allows, and denies.
	unknown := `{"StringEquals":{"aws:PrincipalOrgID":"o-1"}}`
	row("unknown condition", condition("Allow", unknown), lists)
	row("unknown condition of a denial", policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""), grant("Deny", `"s3:GetObject"`, `"arn:aws:s3:::bkt/dir/*"`, `,"Condition":`+unknown)), "get-top")
	row("unknown and unmet condition of a denial", policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""),
		grant("Deny", `"s3:GetObject"`, `"arn:aws:s3:::bkt/*"`, `,"Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-1"},"Bool":{"aws:SecureTransport":"true"}}`)), "get get-top")
	row("variable", policyText(grant("Allow", `"s3:GetObject"`, `"arn:aws:s3:::bkt/${aws:username}/*"`, "")), "")
}

// What anonymous requests do is as whole as what signed ones do.
func TestAnonymousOperations(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.setPolicy(t, policyText(grant("Allow", `"s3:*"`, wholeBucket, "")))
		body := letters(10_000)
		f.asAnybody(t, "PUT", "/bkt/k", body).want(200)
		f.asAnybody(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", body))
		f.send(t, call{method: "PUT", target: "/bkt/k", body: body, anonymous: true, stream: sigv4.PayloadStreamingUnsignedTrailer}).want(200)
		f.send(t, call{method: "PUT", target: "/bkt/k", body: body, anonymous: true, stream: sigv4.PayloadStreamingSigned}).wantError(403, "AccessDenied")
		f.asAnybody(t, "PUT", "/bkt/k", body, "x-amz-content-sha256: "+strings.Repeat("0", 64)).wantError(400, "XAmzContentSHA256Mismatch")
		id := f.asAnybody(t, "POST", "/bkt/m?uploads", "").want(200).element("UploadId")
		etag := f.asAnybody(t, "PUT", "/bkt/m?partNumber=1&uploadId="+id, body).want(200).header.Get("ETag")
		f.asAnybody(t, "GET", "/bkt/m?uploadId="+id, "").want(200)
		f.asAnybody(t, "POST", "/bkt/m?uploadId="+id, "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"+etag+"</ETag></Part></CompleteMultipartUpload>").want(200)
		// A wrong signature is no anonymous request, and no bucket no public one.
		f.send(t, call{method: "GET", target: "/bkt/k", cred: &sigv4.Credential{AccessKey: "nobody", SecretKey: "x"}}).wantError(403, "InvalidAccessKeyId")
		f.asAnybody(t, "GET", "/none/k", "").wantError(403, "AccessDenied")
		f.asAnybody(t, "GET", "/", "").wantError(403, "AccessDenied")
		f.asAnybody(t, "PUT", "/new-bucket", "").wantError(403, "AccessDenied")
		f.asAnybody(t, "PUT", "/bkt", "").wantError(403, "AccessDenied")
		f.asAnybody(t, "PUT", "/bkt/k", "", "x-amz-copy-source: none/k").wantError(403, "AccessDenied")
		// Nor does a copy tell which keys there are.
		f.asAnybody(t, "PUT", "/bkt/k", "", "x-amz-copy-source: bkt/none").wantError(404, "NoSuchKey")
		f.setPolicy(t, policyText(grant("Allow", `["s3:PutObject","s3:GetObject*"]`, allObjects, "")))
		f.asAnybody(t, "PUT", "/bkt/k", "", "x-amz-copy-source: bkt/none").wantError(403, "AccessDenied")
		f.asAnybody(t, "PUT", "/bkt/k", "", "x-amz-copy-source: bkt/none?versionId=null").wantError(403, "AccessDenied")
		// Tags need an action of their own.
		f.setPolicy(t, policyText(grant("Allow", `"s3:PutObject"`, allObjects, "")))
		f.asAnybody(t, "PUT", "/bkt/k", body, "x-amz-tagging: a=b").wantError(403, "AccessDenied")
		f.send(t, post("/bkt", form(field{"key", "k", ""}, field{"tagging", "<Tagging><TagSet/></Tagging>", ""}, field{"file", "x", ""}))).wantError(403, "AccessDenied")
		f.setPolicy(t, policyText(grant("Allow", `"s3:PutObject*"`, allObjects, "")))
		f.asAnybody(t, "PUT", "/bkt/k", body, "x-amz-tagging: a=b").want(200)
		// A version is another matter than the object.
		f.setPolicy(t, policyText(grant("Allow", `["s3:GetObject","s3:DeleteObject"]`, allObjects, "")))
		f.asAnybody(t, "GET", "/bkt/k?versionId=null", "").wantError(403, "AccessDenied")
		f.asAnybody(t, "DELETE", "/bkt/k?versionId=null", "").wantError(403, "AccessDenied")
		r := f.asAnybody(t, "POST", "/bkt?delete", "<Delete><Object><Key>k</Key><VersionId>null</VersionId></Object></Delete>").want(200)
		if r.element("Code") != "AccessDenied" {
			t.Errorf("unexpected reply %v", r)
		}
		f.do(t, "HEAD", "/bkt/k", "").want(200)
	})
}

func TestPublicAccessBlock(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	block := func(policy, restrict string) {
		t.Helper()
		f.do(t, "PUT", "/bkt?publicAccessBlock", `<PublicAccessBlockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><BlockPublicPolicy>`+policy+
			`</BlockPublicPolicy><RestrictPublicBuckets>`+restrict+`</RestrictPublicBuckets></PublicAccessBlockConfiguration>`).want(200)
	}
	public := policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""))
	f.put(t, "/bkt/k", "x")
	f.setPolicy(t, public)
	block("true", "false")
	r := f.do(t, "GET", "/bkt?publicAccessBlock", "").want(200)
	if r.element("BlockPublicPolicy") != "true" || r.element("BlockPublicAcls") != "false" {
		t.Errorf("unexpected reply %v", r)
	}
	f.do(t, "PUT", "/bkt?policy", public).wantError(403, "AccessDenied")
	f.setPolicy(t, policyText(grant("Deny", `"s3:*"`, allObjects, "")))
	block("false", "false")
	f.setPolicy(t, public)
	f.asAnybody(t, "GET", "/bkt/k", "").want(200)
	block("false", "true")
	f.asAnybody(t, "GET", "/bkt/k", "").wantError(403, "AccessDenied")
	f.do(t, "GET", "/bkt/k", "").want(200)
	f.do(t, "DELETE", "/bkt?publicAccessBlock", "").want(204)
	f.asAnybody(t, "GET", "/bkt/k", "").want(200)
	f.do(t, "GET", "/bkt?publicAccessBlock", "").wantError(404, "NoSuchPublicAccessBlockConfiguration")
	f.do(t, "PUT", "/bkt?publicAccessBlock", "<Other/>").wantError(400, "MalformedXML")
}

func TestOwnershipAndACL(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	f.put(t, "/bkt/k", "x")
	rule := func(ownership string) string {
		return "<OwnershipControls><Rule><ObjectOwnership>" + ownership + "</ObjectOwnership></Rule></OwnershipControls>"
	}
	f.do(t, "PUT", "/bkt?ownershipControls", rule("BucketOwnerEnforced")).want(200)
	if got := f.do(t, "GET", "/bkt?ownershipControls", "").want(200).element("ObjectOwnership"); got != "BucketOwnerEnforced" {
		t.Errorf("unexpected ownership %q", got)
	}
	f.do(t, "PUT", "/bkt?ownershipControls", rule("Mine")).wantError(400, "MalformedXML")
	f.do(t, "PUT", "/bkt?ownershipControls", "<OwnershipControls/>").wantError(400, "MalformedXML")
	f.do(t, "DELETE", "/bkt?ownershipControls", "").want(204)
	for _, target := range []string{"/bkt?acl", "/bkt/k?acl"} {
		f.do(t, "PUT", target, "", "x-amz-acl: private").want(200)
		f.do(t, "PUT", target, f.do(t, "GET", target, "").want(200).body).want(200)
		f.do(t, "PUT", target, "", "x-amz-acl: public-read").wantError(501, "NotImplemented")
		f.do(t, "PUT", target, "", "x-amz-grant-read: id=x").wantError(501, "NotImplemented")
		f.do(t, "PUT", target, "<AccessControlPolicy/>").wantError(501, "NotImplemented")
		f.do(t, "PUT", target, "").wantError(400, "MalformedXML")
	}
	f.do(t, "PUT", "/none?acl", "", "x-amz-acl: private").wantError(404, "NoSuchBucket")
	f.do(t, "PUT", "/bkt/none?acl", "", "x-amz-acl: private").wantError(404, "NoSuchKey")
}

// A policy outlives a restart, and goes with its bucket.
func TestPolicyKept(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.DBPath = t.TempDir()
	f := start(t, cfg)
	public := policyText(grant("Allow", `"s3:GetObject"`, allObjects, ""))
	f.setPolicy(t, public)
	f.put(t, "/bkt/k", "x", "x-amz-tagging: a=b")
	if err := f.srv.Close(); err != nil {
		t.Fatal(err)
	}
	f = start(t, cfg)
	defer f.srv.Close()
	f.do(t, "GET", "/bkt?policy", "").wantBody(200, public)
	f.asAnybody(t, "GET", "/bkt/k", "").want(200).wantHeader("x-amz-tagging-count: 1")
	f.do(t, "DELETE", "/bkt/k", "").want(204)
	f.do(t, "DELETE", "/bkt", "").want(204)
	f.do(t, "PUT", "/bkt", "").want(200)
	f.do(t, "GET", "/bkt?policy", "").wantError(404, "NoSuchBucketPolicy")
}
