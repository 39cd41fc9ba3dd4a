// Package payctltest gives each test a world of the payctl emulator. Made by: payctl emulator helper go
//
// Run the tests: payctl emulate --settle manual -- go test -count=1 ./...
//
// Without -count=1, Go may show the results of an earlier run instead of running the tests.
//
//	func TestAnOrderIsPaid(t *testing.T) {
//		world := payctltest.New(t)
//		payment := payOrder(world.BaseURL, world.Token, world.Accounts[0].ID)
//		world.Advance(time.Minute)
//		world.WaitForPayment(payment, "completed")
//		world.AssertPaid("87000001", 1000)
//	}
package payctltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// World has the access of a program to its world, and the controls of the test. Amounts are in minor units.
type World struct {
	Name         string    `json:"name"`
	BaseURL      string    `json:"base_url"`
	AuthURL      string    `json:"auth_url"`
	Token        string    `json:"token"`
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret"`
	User         User      `json:"user"`
	Accounts     []Account `json:"accounts"`

	// Timeout of waits, in real time.
	Timeout time.Duration `json:"-"`
	t       testing.TB
}

// User is the owner of the accounts.
type User struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Account is an account of the user, with the balance that it began with.
type Account struct {
	ID       string `json:"id"`
	IBAN     string `json:"iban"`
	Currency string `json:"currency"`
	Balance  int64  `json:"balance"`
}

// Values are members of a request to the emulator, such as {"times": 1, "key": "order-1"}.
type Values map[string]any

// New makes a world for this test alone. The test fails if the program broke the contract of the service.
func New(t testing.TB) *World {
	t.Helper()
	emulator := os.Getenv("PAYCTL_CONTROL_URL")
	if emulator == "" {
		t.Fatal("Run the tests under the emulator: payctl emulate --settle manual -- go test -count=1 ./...")
	}
	world := &World{Timeout: 10 * time.Second, t: t}
	call(t, emulator, "POST", "worlds", Values{"ttl_seconds": 3600, "strict": true}, world)
	t.Cleanup(func() { call(t, emulator, "DELETE", "worlds/"+world.Name, nil, nil) })
	// Cleanups run in reverse order: this one before the world ends. The world ends even if this one fails.
	t.Cleanup(func() {
		var breaches struct {
			First []struct{ Method, Path, What string }
		}
		world.Control("GET", "breaches", nil, &breaches)
		for _, breach := range breaches.First {
			t.Errorf("%s %s: %s", breach.Method, breach.Path, breach.What)
		}
	})
	return world
}

// Control calls a control endpoint of this world, such as ("POST", "rails", Values{"pin": "offline"}, nil).
func (w *World) Control(method, path string, body Values, result any) {
	w.t.Helper()
	call(w.t, w.BaseURL, method, path, body, result)
}

// Now is the time of the world's clock.
func (w *World) Now() time.Time {
	w.t.Helper()
	var clock struct{ Now time.Time }
	w.Control("GET", "clock", nil, &clock)
	return clock.Now
}

// Advance moves the clock. Everything that is due by then happens before it returns.
func (w *World) Advance(duration time.Duration) {
	w.t.Helper()
	w.Control("POST", "clock/advance", Values{"ms": duration.Milliseconds()}, nil)
}

// Fail makes requests fail: Fail("payments.create", Values{"fault": "lose_answer"}).
func (w *World) Fail(endpoint string, fault Values) {
	w.t.Helper()
	w.Control("POST", "faults", with(fault, Values{"endpoint": endpoint}), nil)
}

// Receive sends money to an account, by its id, its IBAN or the phone of its owner.
func (w *World) Receive(to string, amount int64) {
	w.t.Helper()
	w.Control("POST", "credits", Values{"to": to, "amount": amount}, nil)
}

// WaitForPayment waits until a payment has reached a status.
func (w *World) WaitForPayment(payment, status string) {
	w.t.Helper()
	w.wait(Values{"payment": payment, "status": status})
}

// WaitForDeliveries waits until as many webhooks were accepted. An empty URL counts those of all receivers.
func (w *World) WaitForDeliveries(count int, url string) {
	w.t.Helper()
	condition := Values{"deliveries": count}
	if url != "" {
		condition["url"] = url
	}
	w.wait(condition)
}

// WaitForRequests waits until as many requests to an endpoint were answered.
func (w *World) WaitForRequests(endpoint string, count int) {
	w.t.Helper()
	w.wait(Values{"requests": count, "endpoint": endpoint})
}

// WaitUntilIdle waits until nothing is due at any time and no webhook is being sent.
func (w *World) WaitUntilIdle() {
	w.t.Helper()
	w.wait(Values{"idle": true})
}

func (w *World) wait(condition Values) {
	w.t.Helper()
	w.Control("POST", "wait", with(condition, Values{"timeout_ms": w.Timeout.Milliseconds()}), nil)
}

// AssertReceived checks that a request came; times, key, body, params, query and status narrow it.
func (w *World) AssertReceived(endpoint string, expected Values) {
	w.t.Helper()
	w.assert("received", with(expected, Values{"endpoint": endpoint}))
}

// AssertDelivered checks that a webhook was accepted; times, payment, url and attempts narrow it.
func (w *World) AssertDelivered(event string, expected Values) {
	w.t.Helper()
	w.assert("delivered", with(expected, Values{"event": event}))
}

// AssertPaid checks that a payee, by IBAN or phone, was paid the amount exactly once.
func (w *World) AssertPaid(payee string, amount int64) {
	w.t.Helper()
	w.assert("paid", Values{"payee": payee, "amount": amount})
}

// AssertBalanced checks that the ledger adds up.
func (w *World) AssertBalanced() {
	w.t.Helper()
	var result struct {
		Pass     bool
		Message  string
		Problems []string
	}
	w.Control("GET", "assertions/balanced", nil, &result)
	if !result.Pass {
		w.t.Error(strings.Join(append([]string{result.Message}, result.Problems...), "\n"))
	}
}

func (w *World) assert(name string, expected Values) {
	w.t.Helper()
	var result struct {
		Pass    bool
		Message string
		Nearest []struct {
			ID, What    string
			Differences []struct {
				Path             string
				Expected, Actual any
			}
		}
	}
	w.Control("POST", "assertions/"+name, expected, &result)
	if result.Pass {
		return
	}
	lines := []string{result.Message}
	for _, candidate := range result.Nearest {
		lines = append(lines, candidate.ID+", "+candidate.What)
		for _, one := range candidate.Differences {
			lines = append(lines, fmt.Sprintf("  %s: %v instead of %v", one.Path, one.Actual, one.Expected))
		}
	}
	w.t.Error(strings.Join(lines, "\n"))
}

func with(values, more Values) Values {
	all := Values{}
	for name, value := range values {
		all[name] = value
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

func call(t testing.TB, url, method, path string, body Values, result any) {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, url+"/_emulator/"+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("PAYCTL_CONTROL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var envelope struct {
		Message string
		Data    json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, envelope.Message)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(envelope.Data, result); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}
