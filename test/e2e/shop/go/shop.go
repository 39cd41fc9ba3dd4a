package shop

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Payout is an outgoing payment: a refund, or a payment to a supplier.
type Payout struct {
	ID, Phone, IBAN, Description string
	Amount                       int64
	// Status is queued, sent, completed or held.
	Status string
	// Attempt counts payments that have certainly not been made.
	Attempt         int
	InDoubt         bool
	Payment, Reason string
	taken           bool
}

// Disk is what survives a crash of the program.
type Disk struct {
	sync.Mutex
	Payouts []*Payout
	// Refunds has the credits that were sent back.
	Refunds map[string]bool
	// Completed has the keys of the completed payments that the bank's webhooks reported.
	Completed map[string]bool
}

// Shop is one process of the program.
type Shop struct {
	Bank    *Bank
	Disk    *Disk
	Account string
	Now     func() time.Time
	// Name is that of the worker.
	Name string
	keys map[string]string
	work sync.WaitGroup
}

// Queue adds a payout.
func (shop *Shop) Queue(payout Payout) *Payout {
	shop.Disk.Lock()
	defer shop.Disk.Unlock()
	payout.ID, payout.Status, payout.Attempt = random(), "queued", 1
	shop.Disk.Payouts = append(shop.Disk.Payouts, &payout)
	return &payout
}

// Run sends what is queued, and looks for payments in doubt. Any number of workers may do this at once.
func (shop *Shop) Run() error {
	var failure error
	for _, payout := range shop.take() {
		if err := shop.pay(payout, shop.Bank); err != nil {
			failure = err
		}
		shop.Disk.Lock()
		payout.taken = false
		shop.Disk.Unlock()
	}
	return failure
}

// Follow asks for the status of payments that have not ended.
func (shop *Shop) Follow() error {
	for _, payout := range shop.all("sent") {
		var payment Payment
		if err := shop.Bank.Get("/api/payments/"+payout.Payment, &payment); err != nil {
			return err
		}
		shop.record(payout, payment)
	}
	return nil
}

// Left counts payouts that are neither completed nor held.
func (shop *Shop) Left() int { return len(shop.all("queued")) + len(shop.all("sent")) }

func (shop *Shop) pay(payout *Payout, bank *Bank) error {
	if payout.InDoubt && has("retry-on-409") {
		if err := shop.check(payout); err != nil {
			return err
		}
	} else if payout.InDoubt {
		found, err := shop.find(payout)
		if err != nil {
			return err
		}
		if found != nil {
			shop.record(payout, *found)
			return nil
		}
	}
	payout.InDoubt = true
	if has("fire-and-forget") {
		payout.Status = "completed"
	}
	payment, err := bank.Pay(func(try int, before NoAnswer) string {
		return shop.key(payout, try, before)
	}, shop.order(payout, payout.Attempt))
	var refused Refused
	var lost NoAnswer
	switch {
	case err == nil:
		shop.record(payout, payment)
	case errors.As(err, &refused):
		payout.Status, payout.InDoubt, payout.Reason = "held", false, refused.Message
	case errors.As(err, &lost) && (has("other-rail") || has("wrong-status") && !shop.hasCompleted(payout)):
		payout.Attempt, payout.InDoubt = payout.Attempt+1, false
		return err
	default:
		return err
	}
	return nil
}

// check asks whether a payment would be accepted, and takes another key after a refusal.
func (shop *Shop) check(payout *Payout) error {
	key := fmt.Sprintf("%s.%d", payout.ID, payout.Attempt)
	err := shop.Bank.call("POST", "/api/payments/validate", shop.order(payout, payout.Attempt), key, nil)
	if _, isRefused := err.(Refused); isRefused {
		payout.Attempt++
		return nil
	}
	return err
}

func (shop *Shop) hasCompleted(payout *Payout) bool {
	shop.Disk.Lock()
	defer shop.Disk.Unlock()
	return shop.Disk.Completed[fmt.Sprintf("%s.%d", payout.ID, payout.Attempt)]
}

// key is the same for each attempt at one payment.
func (shop *Shop) key(payout *Payout, try int, before NoAnswer) string {
	key := fmt.Sprintf("%s.%d", payout.ID, payout.Attempt)
	switch {
	case has("new-key"), has("half-answer") && before.Half, has("impatient") && before.Late:
		return key + random()
	case has("key-in-memory"):
		if shop.keys == nil {
			shop.keys = map[string]string{}
		}
		if shop.keys[key] == "" {
			shop.keys[key] = random()
		}
		return shop.keys[key]
	case has("key-from-time"), has("description-time"):
		return key + shop.Now().Format("150405")
	case has("key-per-worker"):
		return key + shop.Name
	}
	return key
}

func (shop *Shop) order(payout *Payout, attempt int) map[string]any {
	description := payout.Description
	if has("description-time") {
		description += shop.Now().Format(" 15:04:05")
	}
	order := map[string]any{"source_account_id": shop.Account, "amount": payout.Amount, "description": description}
	if payout.IBAN != "" && !(has("other-rail") && attempt%2 == 0) {
		order["recipient_iban"] = payout.IBAN
	} else {
		order["recipient_phone"] = payout.Phone
	}
	return order
}

// find looks for the payment that an earlier request may have made.
func (shop *Shop) find(payout *Payout) (*Payment, error) {
	switch {
	case has("new-key"), has("key-in-memory"), has("key-from-time"), has("description-time"), has("key-per-worker"):
		return nil, nil // Such a program does not know the key of the attempt before.
	case has("half-answer"), has("impatient"), has("other-rail"), has("wrong-status"):
		return nil, nil // Nor does one look that takes the attempt before for a failure.
	}
	all, err := shop.Bank.History()
	for at := range all {
		if all[at].Key == fmt.Sprintf("%s.%d", payout.ID, payout.Attempt) {
			return &all[at], nil
		}
	}
	return nil, err
}

func (shop *Shop) record(payout *Payout, payment Payment) {
	shop.Disk.Lock()
	defer shop.Disk.Unlock()
	payout.InDoubt, payout.Payment = false, payment.ID
	switch payment.Status {
	case "pending", "processing":
		if payout.Status == "queued" {
			payout.Status = "sent"
		}
	case "completed":
		payout.Status = "completed"
	case "service_unavailable":
		payout.Status, payout.Attempt = "queued", payout.Attempt+1
	default:
		payout.Status = "held"
	}
}

// take reserves the queued payouts for this worker.
func (shop *Shop) take() (taken []*Payout) {
	shop.Disk.Lock()
	defer shop.Disk.Unlock()
	for _, payout := range shop.Disk.Payouts {
		if payout.Status == "queued" && !payout.taken {
			payout.taken = true
			taken = append(taken, payout)
		}
	}
	return taken
}

func (shop *Shop) all(status string) (found []*Payout) {
	shop.Disk.Lock()
	defer shop.Disk.Unlock()
	for _, payout := range shop.Disk.Payouts {
		if payout.Status == status {
			found = append(found, payout)
		}
	}
	return found
}

// ServeHTTP receives the bank's webhooks. A credit that nobody expects goes back, however often the shop hears of it.
func (shop *Shop) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	var delivery struct {
		Event string  `json:"event"`
		Data  Payment `json:"data"`
	}
	if json.NewDecoder(request.Body).Decode(&delivery) != nil {
		answer.WriteHeader(http.StatusBadRequest)
		return
	}
	if delivery.Event == "payment.completed" {
		shop.Disk.Lock()
		shop.Disk.Completed[delivery.Data.Key] = true
		shop.Disk.Unlock()
	}
	if delivery.Event == "transaction.received" {
		if has("answer-first") {
			shop.work.Add(1)
			go func() {
				defer shop.work.Done()
				shop.refund(delivery.Data)
			}()
		} else {
			shop.refund(delivery.Data)
		}
	}
	answer.WriteHeader(http.StatusNoContent)
}

func (shop *Shop) refund(credit Payment) {
	forgets := has("refund-twice") || has("answer-first")
	shop.Disk.Lock()
	known := shop.Disk.Refunds[credit.ID]
	shop.Disk.Refunds[credit.ID] = true
	shop.Disk.Unlock()
	if known && !forgets {
		return
	}
	payout := shop.Queue(Payout{Phone: credit.Payer.Phone, Amount: credit.Amount.Value, Description: "Refund of payment " + credit.ID[24:]})
	if forgets { // Such a program pays at once.
		shop.Disk.Lock()
		payout.taken = true
		shop.Disk.Unlock()
		once := *shop.Bank
		once.Attempts = 1 // The bank may be waiting for the answer to its webhook, so no time passes for another attempt.
		_ = shop.pay(payout, &once)
		shop.Disk.Lock()
		payout.taken = false
		shop.Disk.Unlock()
	}
}

func random() string {
	bytes := make([]byte, 12)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bytes)
}
