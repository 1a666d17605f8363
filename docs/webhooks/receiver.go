// A receiver of Slotwise's webhooks: it verifies them, refuses old ones, and handles each event once and in order; what
// it missed it reads from the feed. In this directory, which has a go.mod:
//
//	WEBHOOK_SECRET=whsec_… SLOTWISE_URL=https://… SLOTWISE_KEY=slw_… go run .
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const maxBody = 1 << 20

type message struct {
	ID        string          `json:"id"` // in the feed; a delivery has it in its header
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Sequence  int64           `json:"sequence"` // from 1, without a gap per account; 0: a webhook.test has none
	Data      json.RawMessage `json:"data"`
}

type receiver struct {
	webhook     *standardwebhooks.Webhook
	slotwiseURL string
	slotwiseKey string
	client      http.Client

	oneAtATime sync.Mutex // two deliveries may come at once, and each looks at the position
	// Sequence of the last event that was handled, and ids. Keep both in your database, in the transaction that handles.
	position int64
	handled  map[string]bool
}

// handle is your code: quick work, or an entry in a queue of yours, for the answer has to come within 15 s.
func (r *receiver) handle(id string, m message) {
	r.handled[id] = true
	name := "test"
	if m.Sequence > 0 {
		r.position = m.Sequence
		name = fmt.Sprint(m.Sequence)
	}
	fmt.Println("handled", name, m.Type, id)
}

func (r *receiver) receive(id string, m message) error {
	r.oneAtATime.Lock()
	defer r.oneAtATime.Unlock()
	switch {
	case r.handled[id]: // delivered again
	case m.Sequence == 0 || m.Sequence == r.position+1:
		r.handle(id, m)
	case m.Sequence > r.position: // some are missing: deliveries come in no promised order
		return r.catchUp()
	}
	return nil
}

// catchUp handles what the feed has after our position, in order. The caller holds the lock.
func (r *receiver) catchUp() error {
	for more := true; more; {
		request, err := http.NewRequest("GET", fmt.Sprintf("%s/v1/events?after=%d&limit=1000", r.slotwiseURL, r.position), nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+r.slotwiseKey)
		answer, err := r.client.Do(request)
		if err != nil {
			return err
		}
		var page struct {
			Data struct {
				Events  []message `json:"events"`
				HasMore bool      `json:"has_more"`
			} `json:"data"`
		}
		err = json.NewDecoder(answer.Body).Decode(&page)
		answer.Body.Close()
		// 410: we were away for more than 30 days, or an older backup was restored. Read the bookings anew, then go on with after=0.
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("the feed answered %d", answer.StatusCode)
		}
		if err != nil {
			return err
		}
		for _, event := range page.Data.Events {
			r.handle(event.ID, event)
		}
		more = page.Data.HasMore
	}
	return nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	// The raw body: parsing it and writing it again gives other bytes. Verify also refuses what is 5 minutes old.
	var m message
	if r.webhook.Verify(body, request.Header) != nil || json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if err := r.receive(request.Header.Get(standardwebhooks.HeaderWebhookID), m); err != nil {
		log.Println("not handled, it will come again:", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil || secret == "" { // the library would verify with an empty secret, too
		log.Fatal("WEBHOOK_SECRET must be whsec_…")
	}
	r := &receiver{
		webhook:     webhook,
		slotwiseURL: environment("SLOTWISE_URL", "http://127.0.0.1:3000"),
		slotwiseKey: os.Getenv("SLOTWISE_KEY"),
		client:      http.Client{Timeout: 10 * time.Second},
		handled:     map[string]bool{},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+environment("PORT", "8080"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	r.oneAtATime.Lock()
	if err := r.catchUp(); err != nil {
		log.Println("not caught up:", err)
	}
	r.oneAtATime.Unlock()
	server := http.Server{Handler: r, ReadTimeout: 30 * time.Second}
	log.Fatal(server.Serve(listener))
}
