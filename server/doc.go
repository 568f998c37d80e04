// Package server answers the S3 protocol over HTTP/1.1.
//
// A request passes these steps, each a file of its own:
//
//	fasthttp -> target.go (raw target, decoded once) -> sigv4 -> route.go (operation)
//	-> a handler (getobject.go, putobject.go, listobjects.go, ...) -> fail.go (one writer of error replies)
//
// Handlers return errors; Server.fail is the only function that turns an
// error into a reply. Everything that S3 names (operations, error codes,
// headers, XML elements) has S3's own name here.
package server
