package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// eventWriteTime is after how long a reader that takes nothing is given up.
const eventWriteTime = 10 * time.Second

// events streams the server's state as server-sent events: one at once and
// one after each sample. The id is the sample's number and the data a Stats
// object. A slow reader misses samples and finds them in /api/history.
//
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
func (a *Admin) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	sampled, end := a.sampler.watch()
	defer end()
	for {
		stats := a.sampler.stats()
		text, err := json.Marshal(stats)
		if err != nil {
			a.srv.cfg.Logger.Error("cannot encode statistics", "err", err)
			return
		}
		if err := control.SetWriteDeadline(time.Now().Add(eventWriteTime)); err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "id: %d\nevent: stats\ndata: %s\n\n", stats.Now.Number, text); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-sampled:
		}
	}
}
