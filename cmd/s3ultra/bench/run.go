package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

// Run measures as cfg says and returns the results. Failed requests are
// counted in them and are no error.
//
// Errors: a wrong setting, a process that does not start, a server that
// refuses the preparation, the end of ctx.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	chosen, err := selectLoads(cfg.Loads)
	if err != nil {
		return nil, err
	}
	r := &runner{cfg: cfg, loads: chosen, block: make([]byte, blockSize), floors: map[string]*process{}}
	fillRandom(r.block)
	defer r.stop()
	err = r.start(ctx)
	begin := time.Now()
	if err == nil {
		r.plan()
		err = r.startFloors()
	}
	if err == nil {
		err = r.rounds(ctx)
	}
	elapsed := time.Since(begin)
	if err := errors.Join(err, r.clean(ctx), r.died()); err != nil {
		return nil, err
	}
	return r.report(elapsed), nil
}

// runner is one run.
type runner struct {
	cfg     Config
	loads   []load
	block   []byte
	targets []*target
	server  *process            // s3ultra; nil if it is not measured
	floors  map[string]*process // by floor.process
	rows    []*row
}

// row is a line of the table: a floor, or a load against a target.
type row struct {
	floor   floorKind
	load    *load // nil for a floor
	target  *target
	conns   int
	base    *row // the floor's row; nil for a floor and without one
	samples []*sample
}

// start starts the server, or finds the other one, and prepares the buckets.
func (r *runner) start(ctx context.Context) error {
	if r.cfg.Endpoint == "" || r.cfg.Compare {
		if err := r.startServer(); err != nil {
			return err
		}
	}
	if r.cfg.Endpoint != "" {
		t, err := parseEndpoint(r.cfg.Endpoint)
		if err != nil {
			return err
		}
		t.name, t.bucket, t.region, t.credential, t.keepsBytes = "endpoint", r.cfg.Bucket, r.cfg.Region, r.cfg.Credential, true
		if r.cfg.PID != 0 {
			if t.clock, err = newCPUClock(r.cfg.PID); err != nil {
				return err
			}
		}
		r.targets = append(r.targets, t)
	}
	for _, t := range r.targets {
		r.progress("preparing " + t.name)
		if err := t.prepare(ctx, r.loads, r.block); err != nil {
			return err
		}
	}
	return nil
}

// startServer starts s3ultra with keys, so that signatures are checked, and
// adds a target for each mode.
func (r *runner) startServer() error {
	var secret [16]byte
	rand.Read(secret[:]) // Never fails.
	credential := sigv4.Credential{AccessKey: "bench", SecretKey: hex.EncodeToString(secret[:])}
	targets := []*target{
		{name: "synth", bucket: "bench-synth"},
		{name: "memory", bucket: "bench-memory", keepsBytes: true},
	}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "warn"}
	for _, t := range targets {
		args = append(args, "--bucket", t.bucket+":"+t.name)
	}
	args = append(args, r.cfg.ServeArgs...)
	// The secret goes by a variable: command lines can be read by others.
	env := []string{"S3ULTRA_ACCESS_KEY=" + credential.AccessKey, "S3ULTRA_SECRET_KEY=" + credential.SecretKey}
	p, err := startProcess(r.cfg.Executable, args, env)
	if err != nil {
		return err
	}
	r.server = p
	line, ok := strings.CutPrefix(p.first, "s3ultra ready: http://")
	address, _, _ := strings.Cut(line, " ")
	if !ok || address == "" {
		return fmt.Errorf("cannot start the server: unexpected line %q", p.first)
	}
	for _, t := range targets {
		t.address, t.host, t.credential, t.region, t.clock = address, address, credential, "us-east-1", p.clock
		t.madeKeys = map[string]bool{}
		r.targets = append(r.targets, t)
	}
	return nil
}

// plan makes the rows in the order of a round: a floor's row right before the
// rows that are compared with it.
func (r *runner) plan() {
	type base struct {
		kind  floorKind
		conns int
	}
	made := map[base]*row{}
	for i := range r.loads {
		l := &r.loads[i]
		// Connections before targets: the rows of one floor stay together.
		for _, n := range r.cfg.connections(l) {
			for _, t := range r.targets {
				if l.sharedModes && t.name == "memory" || n > l.bound(t.keepsBytes) {
					continue
				}
				line := &row{floor: l.floor, load: l, target: t, conns: n}
				// Without the server's CPU time there is nothing to compare.
				if t.clock != nil {
					key := base{l.floor, n}
					if made[key] == nil {
						made[key] = &row{floor: l.floor, conns: n}
						r.rows = append(r.rows, made[key])
					}
					line.base = made[key]
				}
				r.rows = append(r.rows, line)
			}
		}
	}
}

// startFloors starts the processes of the floors that the plan has.
func (r *runner) startFloors() error {
	for _, line := range r.rows {
		if line.load != nil {
			continue
		}
		name := floors()[line.floor].process
		if r.floors[name] != nil {
			continue
		}
		args := append(append([]string(nil), r.cfg.FloorArgs...), name)
		p, err := startProcess(r.cfg.Executable, args, nil)
		if err != nil {
			return err
		}
		r.floors[name] = p
	}
	return nil
}

// rounds measures every row once a round.
func (r *runner) rounds(ctx context.Context) error {
	for round := range r.cfg.Rounds {
		for i, line := range r.rows {
			r.progress(fmt.Sprintf("round %d of %d, %d of %d: %s", round+1, r.cfg.Rounds, i+1, len(r.rows), line.title()))
			s, err := r.sample(ctx, line)
			if err != nil {
				return fmt.Errorf("cannot measure %s: %w", line.title(), err)
			}
			line.samples = append(line.samples, s)
		}
	}
	return nil
}

// sample measures a row once.
func (r *runner) sample(ctx context.Context, line *row) (*sample, error) {
	conns := make([]*connection, line.conns)
	if line.load == nil {
		f := floors()[line.floor]
		p := r.floors[f.process]
		x := []exchange{f.make(floorAsk{host: p.first, conns: line.conns, block: r.block, page: r.pageLength()})}
		for i := range conns {
			conns[i] = &connection{wire: &wire{address: p.first}, exchanges: x}
		}
		return measure(ctx, conns, p.clock, r.cfg.Duration)
	}
	control := line.target.newWire()
	defer control.close()
	p := &preparation{ctx: ctx, target: line.target, load: line.load, conns: line.conns, wire: control, block: r.block}
	lists, err := p.requests()
	if err != nil {
		return nil, errors.Join(err, p.end())
	}
	for i := range conns {
		conns[i] = &connection{wire: line.target.newWire(), exchanges: lists[i]}
	}
	s, err := measure(ctx, conns, line.target.clock, r.cfg.Duration)
	return s, errors.Join(err, p.end())
}

// pageLength is what the list floor answers: as much as the first target.
func (r *runner) pageLength() int64 { return r.targets[0].listBody }

// cleanTimeout bounds the deletions at the end: some tens of thousands at most.
const cleanTimeout = 2 * time.Minute

// clean leaves another server as it was, also when the run was stopped.
func (r *runner) clean(ctx context.Context) error {
	if r.cfg.Endpoint == "" || len(r.targets) == 0 {
		return nil
	}
	r.progress("cleaning up")
	defer r.progress("")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
	defer cancel()
	return r.targets[len(r.targets)-1].clean(ctx)
}

// died tells if the server has ended by itself, and what it said.
func (r *runner) died() error {
	if r.server == nil {
		return nil
	}
	select {
	case <-r.server.ended:
		return fmt.Errorf("the server has ended: %s", r.server.said.String())
	default:
		return nil
	}
}

func (r *runner) stop() {
	for _, p := range r.floors {
		p.stop()
	}
	if r.server != nil {
		r.server.stop()
	}
}

// progress writes text over the last one.
func (r *runner) progress(text string) {
	if r.cfg.Progress != nil {
		// Clears to the end of the line (ECMA-48 EL).
		fmt.Fprintf(r.cfg.Progress, "\r%s\x1b[K", text)
	}
}

func (l *row) title() string {
	if l.load == nil {
		return floors()[l.floor].title
	}
	return l.load.title + ", " + l.target.name
}
