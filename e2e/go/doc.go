// Package e2e tests s3ultra with the S3 clients written in Go, against the real binary in both modes. It is a module of
// its own so that the clients stay out of the server's dependencies.
package e2e
