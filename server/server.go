package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

const (
	// readBufferSize bounds a request's header block. A 1,024-byte key of
	// three-byte characters is 3 KiB once percent-encoded, a session token
	// adds 2 KiB, a presigned query repeats both; 16 KiB also is what an idle
	// connection costs (measured: 17 KiB, against 53 KiB for 64 KiB).
	readBufferSize = 16 << 10
	// writeBufferSize holds the header block of a reply; bodies bypass it.
	writeBufferSize = 4 << 10
	// maxConnections is far above what RLIMIT_NOFILE allows: the limit users
	// meet is the kernel's, which we raise, not ours.
	maxConnections = 1 << 20
)

// Server answers S3 requests from one store. All methods may be called
// concurrently.
type Server struct {
	cfg      Config
	store    *store.Store
	verifier *sigv4.Verifier
	policies *sigv4.PolicyVerifier
	ownerID  string
	domains  []string
	log      *failureLog
	ids      *requestIDs
	requests sync.Pool // *request
	md5      md5Lanes
	sha      shaLanes
	times    modTimes
	http     *fasthttp.Server
	started  time.Time
	metrics  *metrics
	journal  *journal   // nil: off
	access   *accessLog // nil: off

	addresses sync.Map     // of the listeners being served
	serving   atomic.Int32 // listeners
	prepared  atomic.Bool  // what the configuration asks for exists
	stopping  atomic.Bool
}

// New makes a server with the buckets and data sets of cfg. It listens only
// once Serve is called. Errors name the setting that is wrong (ErrBucketName is
// wrapped for a bucket's name, synth.ErrBadRule for a data set).
func New(cfg Config) (*Server, error) {
	if cfg.Region == "" {
		cfg.Region = defaultRegion
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	verifier, err := sigv4.NewVerifier(sigv4.Config{
		Credentials: cfg.Credentials,
		SkipVerify:  cfg.SkipSigVerify,
		MaxSkew:     cfg.MaxSkew,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot set up signature verification: %w", err)
	}
	sets, err := compileDatasets(cfg)
	if err != nil {
		return nil, err
	}
	sha, err := newSHALanes(cfg.SHA256)
	if err != nil {
		return nil, err
	}
	objects, err := openStore(cfg)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg:      cfg,
		store:    objects,
		verifier: verifier,
		policies: sigv4.NewPolicyVerifier(sigv4.Config{Credentials: cfg.Credentials, SkipVerify: cfg.SkipSigVerify}),
		ownerID:  "s3ultra",
		domains:  domainList(cfg.Domains),
		log:      newFailureLog(cfg.Logger),
		ids:      newRequestIDs(),
		started:  time.Now(),
		metrics:  newMetrics(),
		journal:  newJournal(cfg.Journal),
		sha:      sha,
	}
	// Every key pair belongs to the one owner. Naming the owner by the first
	// access key is what S3 test suites expect of a server without accounts.
	if len(cfg.Credentials) > 0 {
		s.ownerID = cfg.Credentials[0].AccessKey
	}
	s.requests.New = func() any { return &request{shard: s.metrics.shard()} }
	if err := s.addDatasets(sets); err != nil {
		return nil, errors.Join(err, objects.Close())
	}
	for _, b := range cfg.Buckets {
		if err := s.startBucket(b); err != nil {
			return nil, errors.Join(err, objects.Close())
		}
	}
	if s.access, err = newAccessLog(s, cfg.AccessLog); err != nil {
		return nil, err
	}
	s.http = s.newHTTPServer()
	return s, nil
}

// Close ends the persistence of the state, after Shutdown; writes fail from
// then on. Without Config.DBPath it does nothing.
func (s *Server) Close() error { return s.store.Close() }

func (s *Server) newHTTPServer() *fasthttp.Server {
	return &fasthttp.Server{
		Handler:       s.handle,
		ExpectHandler: s.expect,
		ErrorHandler:  s.httpError,
		Name:          "s3ultra",
		// Bodies are streamed: a handler reads them straight into place, and
		// fasthttp's own size limit does not apply (it only switches to
		// streaming).
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		ReadBufferSize:               readBufferSize,
		WriteBufferSize:              writeBufferSize,
		Concurrency:                  maxConnections,
		// No ReadTimeout: it would cover whole bodies; connWatch does better. No
		// IdleTimeout: SDK pools keep connections 90 s and more and fail on a
		// shorter one.
		NoDefaultContentType: true,
		LazyRequestTime:      true,
		// Buffers go back to their pools between requests: an idle connection
		// keeps its reader only, and not the 300 KB of the last LIST.
		ReduceMemoryUsage:     true,
		CloseOnShutdown:       true,
		SecureErrorLogMessage: true,
		Logger:                httpLogger{s.cfg.Logger},
	}
}

// Serve answers the connections of ln until Shutdown; call it once for every
// listener, each in its own goroutine. It returns nil after Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	s.addresses.Store(ln, ln.Addr().String())
	s.serving.Add(1)
	defer func() {
		s.serving.Add(-1)
		s.addresses.Delete(ln)
	}()
	watch := newConnWatch(s.cfg.HeadTimeout, s.cfg.StallTimeout, s.cfg.Logger)
	stop := make(chan struct{})
	defer close(stop)
	go watch.run(stop)
	if err := s.http.Serve(&patientListener{Listener: ln, log: s.cfg.Logger, metrics: s.metrics, sendBuffer: s.cfg.SendBuffer, watch: watch}); err != nil {
		return fmt.Errorf("cannot serve on %s: %w", ln.Addr(), err)
	}
	return nil
}

// listening returns the addresses of the listeners being served, sorted.
func (s *Server) listening() []string {
	list := []string{}
	s.addresses.Range(func(_, addr any) bool {
		list = append(list, addr.(string))
		return true
	})
	slices.Sort(list)
	return list
}

// ReopenLogs closes the access log's file and opens its path again, after a
// rotation has moved the file away. If the path cannot be opened the old file
// stays in use.
func (s *Server) ReopenLogs() error {
	if s.access == nil {
		return nil
	}
	return s.access.reopen()
}

// Shutdown stops accepting connections and waits for requests in flight to be
// answered, until ctx ends. The access log is complete when it returns.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Store(true)
	if s.access != nil {
		defer s.access.close()
	}
	if err := s.http.ShutdownWithContext(ctx); err != nil {
		return fmt.Errorf("cannot finish the requests in flight: %w", err)
	}
	return nil
}

// handle answers one request.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	setPhase(ctx, phaseBody) // of a pipelined request nothing was seen
	r, _ := ctx.UserValue(expectedRequest{}).(*request)
	if r == nil {
		r = s.requests.Get().(*request)
		r.reset(s, ctx, time.Now())
	} else {
		// The values live as long as the connection, the request does not.
		ctx.RemoveUserValue(expectedRequest{})
	}
	r.begin()
	if err := r.guard((*request).serve); err != nil {
		r.fail(err)
	}
	r.drain()
	r.replied()
	r.release()
	s.requests.Put(r)
}

// guard runs a step of the request. A panic in it is this server's fault
// alone: it becomes an InternalError instead of ending every client's run.
func (r *request) guard(step func(*request) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return step(r)
}

// serve runs the request's operation.
func (r *request) serve() error {
	if !r.headersChecked {
		if err := r.checkHeaders(); err != nil {
			return err
		}
	}
	return r.op.run(r)
}

// checkHeaders decides all that the headers can decide: target, signature,
// operation and the operation's own conditions.
func (r *request) checkHeaders() error {
	h := &r.ctx.Request.Header
	if err := r.target.parse(h.RequestURI(), h.Host(), r.srv.domains); err != nil {
		return err
	}
	if isHealthPath(&r.target) && (r.method == "GET" || r.method == "HEAD") {
		r.op = opHealth
		return nil
	}
	if isMinioAdminPath(&r.target) {
		r.op = opNotImplemented
		return errNoMinioAdmin
	}
	if r.method == "OPTIONS" {
		return r.preflight()
	}
	r.op = copyVariant(route(r.method, &r.target), r.known[headerCopySource] != nil)
	// A form is authenticated by its fields, once they are read.
	if r.op != opPostObject {
		err := r.authenticate()
		if errors.Is(err, sigv4.ErrNotSigned) {
			err = r.admitAnonymous(err)
		}
		if err != nil {
			return err
		}
	}
	if len(r.target.key) > maxKeyLength {
		return errKeyTooLong.with("Size", itoa(len(r.target.key))).with("MaxSizeAllowed", itoa(maxKeyLength))
	}
	if r.op.precheck != nil {
		if err := r.op.precheck(r); err != nil {
			return err
		}
	}
	r.headersChecked = true
	return nil
}

func (r *request) authenticate() error {
	h := &r.ctx.Request.Header
	r.sig = sigv4.Request{
		Method: r.method,
		Path:   r.target.path,
		Query:  r.target.query,
		Host:   h.Host(),
		Header: r.fields,
	}
	return r.srv.verifier.Verify(&r.auth, &r.sig, r.now)
}

// expectedRequest keys the request that expect has checked already.
type expectedRequest struct{}

// expect decides whether a client that sent Expect: 100-continue may send its
// body. A request that its headers already refuse gets the final reply
// instead, so the client never sends the body.
func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	r := s.requests.Get().(*request)
	r.reset(s, ctx, time.Now())
	if err := r.guard((*request).checkHeaders); err != nil {
		r.begin()
		r.fail(err)
		// The client may not have waited.
		lingerAfter(ctx)
		status := ctx.Response.StatusCode()
		r.replied()
		r.release()
		s.requests.Put(r)
		return status
	}
	ctx.SetUserValue(expectedRequest{}, r)
	return fasthttp.StatusContinue
}

// preflight answers an OPTIONS request: a bucket without a CORS configuration
// refuses it, and one that is no preflight at all is malformed.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html
func (r *request) preflight() error {
	if r.header("origin") == nil || r.header("access-control-request-method") == nil {
		return errBadRequest.saying("Insufficient information. Origin request header needed.")
	}
	return errAccessForbidden
}
