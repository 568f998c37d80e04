package server

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// pageFiles are the sources of the live page. They are sent as one document,
// so that it can be saved and mailed, and works where nothing else is reached.
//
//go:embed page
var pageFiles embed.FS

// The parts of the page, in the order in which they are put together.
const pageDocument, pageStyle = "page/index.html", "page/page.css"

var pageScripts = []string{
	"page/format.js", "page/chart.js", "page/state.js", "page/cards.js", "page/tables.js", "page/stream.js",
}

// livePage is the page at the root of the admin server.
type livePage struct {
	text   []byte
	policy string // Content-Security-Policy
}

// newLivePage puts the page together, once for each server and when it is
// first asked for: a start has other things to do.
func newLivePage() func() *livePage {
	return sync.OnceValue(func() *livePage {
		style := pagePart(pageStyle)
		script := pagePart(pageScripts...)
		text := bytes.Replace(pagePart(pageDocument), []byte("{{style}}"), style, 1)
		text = bytes.Replace(text, []byte("{{script}}"), script, 1)
		// Names and causes on the page come from clients. They are only ever
		// made into text; should that fail once, nothing of them runs or is
		// fetched.
		policy := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'", policyHash(script), policyHash(style))
		return &livePage{text, policy}
	})
}

// pagePart returns the content of embedded files, one after the other.
func pagePart(names ...string) []byte {
	var all []byte
	for _, name := range names {
		// An embedded file that is named right always is there; a test asks
		// for the page.
		part, _ := pageFiles.ReadFile(name)
		all = append(all, part...)
	}
	return all
}

// policyHash names an inline script or style sheet in a Content-Security-Policy.
//
// Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source
func policyHash(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// root answers browsers with the live page and everything else, such as curl,
// with the list of paths.
func (a *Admin) root(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		writeText(w, http.StatusOK, adminIndex)
		return
	}
	p := a.page()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	// The client is gone if this fails.
	_, _ = w.Write(p.text)
}
