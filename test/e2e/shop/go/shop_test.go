package shop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The emulator that this suite is the child of: `payctl emulate --settle manual -- go test`.
var control = os.Getenv("PAYCTL_CONTROL_URL")

// Counts of orders paid twice, of all worlds.
var counts struct {
	sync.Mutex
	SQL, Report, Suspected int
}

func TestMain(main *testing.M) {
	code := main.Run()
	var report struct {
		Paid      struct{ Count int } `json:"paid_twice"`
		Suspected struct{ Count int } `json:"suspected"`
	}
	if err := ask("GET", control+"/_emulator/report", nil, &report); err != nil {
		panic(err)
	}
	counts.Report, counts.Suspected = report.Paid.Count, report.Suspected.Count
	if folder := os.Getenv("SHOP_COUNTS"); folder != "" {
		text, _ := json.Marshal(map[string]int{"sql": counts.SQL, "report": counts.Report, "suspected": counts.Suspected})
		if err := os.WriteFile(filepath.Join(folder, random()+".json"), text, 0o600); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

func ask(method, url string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if body == nil {
		request.Body, request.ContentLength = nil, 0
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("PAYCTL_CONTROL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Data    json.RawMessage `json:"data"`
		Message string          `json:"message"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s", method, url, answer.Message)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer.Data, into)
}

// world is a test's own part of the emulator, with a shop. It lasts as long as the emulator: the report looks at all.
type world struct {
	*testing.T
	url, token, account, phone string
	disk                       *Disk
	time                       time.Time
	lock                       sync.Mutex
	workers                    int
}

func newWorld(test *testing.T) *world {
	test.Parallel()
	var made struct {
		BaseURL  string `json:"base_url"`
		Token    string `json:"token"`
		User     struct{ Phone string }
		Accounts []struct{ ID, Currency string }
	}
	stream := map[string]any{"rng_stream": test.Name(), "name": strings.ToLower(test.Name())}
	if err := ask("POST", control+"/_emulator/worlds", stream, &made); err != nil {
		test.Fatal(err)
	}
	here := &world{T: test, url: made.BaseURL, token: made.Token, phone: made.User.Phone}
	for _, account := range made.Accounts {
		if account.Currency == "CRC" {
			here.account = account.ID
		}
	}
	here.disk = &Disk{Refunds: map[string]bool{}, Completed: map[string]bool{}}
	here.advance(0)
	test.Cleanup(here.count)
	return here
}

func (here *world) steer(method, path string, body, into any) {
	here.Helper()
	if err := ask(method, here.url+"/_emulator/"+path, body, into); err != nil {
		here.Fatal(err)
	}
}

// advance lets time pass: what falls due happens, and its webhooks are answered.
func (here *world) advance(duration time.Duration) {
	var clock struct{ Now time.Time }
	here.steer("POST", "clock/advance", map[string]int64{"ms": duration.Milliseconds()}, &clock)
	here.lock.Lock()
	defer here.lock.Unlock()
	here.time = clock.Now
}

func (here *world) now() time.Time {
	here.lock.Lock()
	defer here.lock.Unlock()
	return here.time
}

// start starts the program, on the disk of the one before.
func (here *world) start() *Shop {
	here.workers++
	limit := 10 * time.Second
	if has("impatient") {
		limit = 3 * time.Second
	}
	bank := &Bank{BaseURL: here.url, Token: here.token, Pause: here.advance, Limit: limit, Attempts: 5}
	return &Shop{Bank: bank, Disk: here.disk, Account: here.account, Now: here.now, Name: fmt.Sprint("w", here.workers)}
}

// count adds the orders that were paid twice, by the bank's books: each payout of a world has another amount.
func (here *world) count() {
	here.advance(time.Hour)
	const twice = `SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM payments
		WHERE status IN ('pending', 'processing', 'completed') AND transfer_type <> 'credit' GROUP BY amount HAVING count(*) > 1)`
	var found struct{ Rows [][]int }
	here.steer("POST", "sql", map[string]string{"query": twice}, &found)
	counts.Lock()
	defer counts.Unlock()
	counts.SQL += found.Rows[0][0]
	if found.Rows[0][0] > 0 {
		here.Errorf("%d orders were paid twice", found.Rows[0][0])
	}
}

const rounds = 60

// finish works until all payouts have ended, as a program that is started again and again.
func (here *world) finish(shops ...*Shop) {
	here.Helper()
	for round := 0; round < rounds; round++ {
		var all sync.WaitGroup
		for _, shop := range shops {
			shop := shop
			all.Add(1)
			go func() {
				defer all.Done()
				_ = shop.Run()
			}()
		}
		all.Wait()
		here.advance(time.Minute)
		_ = shops[0].Follow()
		if shops[0].Left() == 0 {
			return
		}
	}
	here.Errorf("%d payouts have not ended", shops[0].Left())
}

func (here *world) expect(status string, payouts ...*Payout) {
	here.Helper()
	for _, payout := range payouts {
		if payout.Status != status {
			here.Errorf("%s is %s, not %s: %s", payout.Description, payout.Status, status, payout.Reason)
		}
	}
}

// invoices queues payments to a supplier, of different amounts.
func (shop *Shop) invoices(count int) (queued []*Payout) {
	for number := 1; number <= count; number++ {
		queued = append(queued, shop.Queue(Payout{
			IBAN: "CR07010200100000000003", Phone: "87000003",
			Amount: int64(100_000 + 1000*number), Description: fmt.Sprint("Invoice of January, number ", number),
		}))
	}
	return queued
}

func TestSuppliersArePaid(test *testing.T) {
	here := newWorld(test)
	shop := here.start()
	invoices := shop.invoices(5)
	here.finish(shop)
	here.expect("completed", invoices...)
}

func TestAProgramThatIsStartedAgainGoesOn(test *testing.T) {
	here := newWorld(test)
	invoices := here.start().invoices(6)
	for round := 0; round < rounds; round++ {
		shop := here.start()
		shop.Bank.Attempts = 1 // It ends with the first failure.
		_ = shop.Run()
		here.advance(time.Minute)
		_ = shop.Follow()
		if shop.Left() == 0 {
			break
		}
	}
	here.expect("completed", invoices...)
}

func TestTwoWorkersShareAQueue(test *testing.T) {
	here := newWorld(test)
	shop, other := here.start(), here.start()
	shop.Bank.Attempts, other.Bank.Attempts = 1, 1 // The other one goes on.
	invoices := shop.invoices(8)
	here.finish(shop, other)
	here.expect("completed", invoices...)
}

func TestADayOfInvoices(test *testing.T) {
	here := newWorld(test)
	shop := here.start()
	for day := 0; day < 3; day++ {
		paid := shop.Queue(Payout{Phone: "87000001", Amount: int64(5000 + day), Description: fmt.Sprint("Delivery of the day ", day)})
		here.finish(shop)
		here.expect("completed", paid)
		here.advance(24 * time.Hour)
	}
}

func TestAClosedAccountIsHeld(test *testing.T) {
	here := newWorld(test)
	shop := here.start()
	payout := shop.Queue(Payout{IBAN: "CR86016100100000000013", Phone: "87000013", Amount: 7000, Description: "Invoice of a closed account"})
	here.finish(shop)
	here.expect("held", payout)
}

func TestMoneyThatNobodyExpectsGoesBackOnce(test *testing.T) {
	here := newWorld(test)
	shop := here.start()
	hook := httptest.NewServer(shop)
	test.Cleanup(hook.Close)
	hooks := map[string]any{"url": hook.URL, "events": []string{"transaction.received", "payment.completed"}}
	for round := 0; ; round++ {
		if err := shop.Bank.Post("/api/webhooks/subscriptions", hooks); err == nil {
			break
		} else if round == rounds {
			test.Fatal(err)
		}
		if here.subscriptions() > 0 {
			break
		}
	}
	for number := 1; number <= 4; number++ {
		credit := map[string]any{"to": here.phone, "amount": 40_000 + number, "from_phone": "87000001"}
		here.steer("POST", "credits", credit, nil)
		here.advance(10 * time.Second)
		shop.work.Wait()
	}
	here.finish(shop)
	if refunds := shop.all("completed"); len(refunds) < 4 {
		test.Errorf("%d of 4 credits went back", len(refunds))
	}
}

func (here *world) subscriptions() int {
	var found []any
	here.steer("GET", "subscriptions", nil, &found)
	return len(found)
}
