package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/s3ultra/s3ultra/sigv4"
)

// prepareConns is how many connections put the objects to read: enough that a
// server's latency does not make the preparation long.
const prepareConns = 8

// made notes a key to be deleted at the end.
func (t *target) made(key string) { t.madeKeys[key] = true }

// prepare makes the bucket and the objects that the loads read, and looks at
// one page of the list.
func (t *target) prepare(ctx context.Context, chosen []load, block []byte) error {
	w := t.newWire()
	defer w.close()
	// Asked first: some servers answer the creation of a bucket that exists
	// with 200, and then it would be deleted at the end. Not by HEAD, whose
	// reply could not say why.
	var refused *statusError
	_, err := t.call(ctx, w, t.plain(ask{method: "GET", query: "list-type=2&max-keys=1"}, 200, -1), "find bucket "+t.bucket)
	if errors.As(err, &refused) && refused.status == 404 {
		_, err = t.call(ctx, w, t.plain(ask{method: "PUT"}, 200, -1), "create bucket "+t.bucket)
		t.madeBucket = err == nil
	}
	if err != nil {
		return err
	}
	var puts []exchange
	put := func(key string, size int64) {
		t.made(key)
		a := ask{method: "PUT", key: key, payload: sigv4.PayloadUnsigned.String()}
		puts = append(puts, t.withBody(a, block, size))
	}
	done := map[int64]bool{}
	objects := func(size int64) {
		for i := 0; i < objectCount(size) && !done[size]; i++ {
			put(objectKey(size, i), size)
		}
		done[size] = true
	}
	lists := false
	for _, l := range chosen {
		switch {
		case l.name == "list":
			lists = true
			for i := range listKeys {
				put(listKey(i), kib)
			}
		case l.name == "get-range-1m":
			objects(8 * mib)
		case !l.upload:
			objects(l.size)
		}
	}
	if err := t.sendAll(ctx, puts, "put the objects to read"); err != nil {
		return err
	}
	if !lists {
		return nil
	}
	return t.lookAtList(ctx, w)
}

// lookAtList reads one page and checks that it is what the load means.
func (t *target) lookAtList(ctx context.Context, w *wire) error {
	page, err := t.call(ctx, w, t.plain(listAsk(listKey(0)), 200, -1), "list the bucket")
	if err != nil {
		return err
	}
	if n := bytes.Count(page, []byte("<Key>")); n != pageKeys {
		return fmt.Errorf("cannot list the bucket on %s: the page has %d keys, want %d", t.address, n, pageKeys)
	}
	t.listBody = int64(len(page))
	return nil
}

// sendAll sends the exchanges, each once, over prepareConns connections.
func (t *target) sendAll(ctx context.Context, list []exchange, what string) error {
	next := make(chan *exchange)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range min(prepareConns, len(list)) {
		wg.Go(func() {
			w := t.newWire()
			defer w.close()
			for x := range next {
				if _, err := t.call(ctx, w, *x, what); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		next <- &list[i]
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// clean deletes what prepare and the loads have made.
func (t *target) clean(ctx context.Context) error {
	var deletes []exchange
	for key := range t.madeKeys {
		deletes = append(deletes, t.plain(ask{method: "DELETE", key: key}, 204, -1))
	}
	if err := t.sendAll(ctx, deletes, "delete the objects"); err != nil {
		return err
	}
	if !t.madeBucket {
		return nil
	}
	w := t.newWire()
	defer w.close()
	_, err := t.call(ctx, w, t.plain(ask{method: "DELETE"}, 204, -1), "delete the bucket")
	return err
}
