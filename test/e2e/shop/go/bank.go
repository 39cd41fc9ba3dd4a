package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Refused says that the bank did nothing.
type Refused struct{ Message string }

func (refused Refused) Error() string { return refused.Message }

// NoAnswer says that the bank may have done what it was asked.
type NoAnswer struct {
	Message string
	// Half is true for an answer that ended in the middle, Late for one that took too long.
	Half, Late bool
}

func (lost NoAnswer) Error() string { return lost.Message }

// Payment is a payment as the bank shows it.
type Payment struct {
	ID     string `json:"id"`
	Key    string `json:"idempotency_key"`
	Status string `json:"status"`
	Kind   string `json:"transfer_type"`
	Amount struct {
		Value int64 `json:"value"`
	} `json:"amount"`
	Payer struct {
		Phone string `json:"phone_number"`
	} `json:"payer"`
}

// Bank is the bank's API. Reads and payments are tried again, payments with their key.
type Bank struct {
	BaseURL, Token string
	Pause          func(time.Duration)
	Limit          time.Duration
	// Attempts is how often a read or a payment is sent before the program gives up.
	Attempts int
}

// Get reads from the bank.
func (bank *Bank) Get(path string, into any) error { return bank.call("GET", path, nil, "", into) }

// Post writes once.
func (bank *Bank) Post(path string, body any) error { return bank.call("POST", path, body, "", nil) }

// Pay makes a payment, or finds the one that its key has made.
func (bank *Bank) Pay(key func(try int, before NoAnswer) string, body any) (payment Payment, err error) {
	var lost error
	var before NoAnswer
	for attempt := 1; attempt <= bank.Attempts; attempt++ {
		err = bank.call("POST", "/api/payments", body, key(attempt, before), &payment)
		if err == nil {
			return payment, nil
		}
		if noAnswer, isLost := err.(NoAnswer); isLost {
			lost, before = err, noAnswer
		} else if _, isBusy := err.(busy); !isBusy {
			break
		}
		if attempt < bank.Attempts {
			bank.Pause(time.Second)
		}
	}
	if lost != nil { // A refusal of a later attempt says nothing of the first.
		return payment, lost
	}
	return payment, err
}

// History lists all payments.
func (bank *Bank) History() (all []Payment, err error) {
	for page, pages := 1, 1; page <= pages; page++ {
		var found struct {
			Data []Payment `json:"data"`
			Last int       `json:"last_page"`
		}
		if err := bank.Get("/api/payments/history?per_page=100&page="+strconv.Itoa(page), &found); err != nil {
			return nil, err
		}
		all, pages = append(all, found.Data...), found.Last
	}
	return all, nil
}

// busy is a refusal for now.
type busy struct{ Refused }

func (bank *Bank) call(method, path string, body any, key string, into any) (err error) {
	tries := bank.Attempts
	if method != "GET" {
		tries = 1
	}
	for try := 1; try <= tries; try++ {
		if err = bank.ask(method, path, body, key, into); err == nil {
			return nil
		}
		if refused, isRefused := err.(Refused); isRefused {
			return refused
		}
		if try < tries {
			bank.Pause(time.Second)
		}
	}
	return err
}

func (bank *Bank) ask(method, path string, body any, key string, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(context.Background(), bank.Limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limit, method, bank.BaseURL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if body == nil {
		request.Body, request.ContentLength = nil, 0
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+bank.Token)
	if key != "" {
		request.Header.Set("X-Idempotency-Key", key)
	}
	// A new connection each time: Go would repeat a request by itself when an old one is closed.
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return NoAnswer{Message: err.Error(), Late: limit.Err() != nil}
	}
	defer response.Body.Close()
	var answer struct {
		Data    json.RawMessage `json:"data"`
		Message string          `json:"message"`
	}
	answered, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(answered, &answer)
	}
	switch {
	case err != nil:
		return NoAnswer{Message: err.Error(), Half: limit.Err() == nil, Late: limit.Err() != nil}
	case response.StatusCode == 429 || response.StatusCode == 503:
		return busy{Refused{answer.Message}}
	case response.StatusCode >= 500:
		return NoAnswer{Message: fmt.Sprint(response.StatusCode)}
	case response.StatusCode >= 400:
		return Refused{answer.Message}
	case into == nil:
		return nil
	}
	return json.Unmarshal(answer.Data, into)
}
