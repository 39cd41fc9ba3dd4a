package shop

import "os"

// Mistakes that can be planted in the shop, by the name in SHOP_MISTAKE. Each is used in one place of the program.
var Mistakes = map[string]string{
	"new-key":          "sends each attempt with another key",
	"half-answer":      "takes half an answer for none, and sends another key",
	"impatient":        "takes an answer that is late for none, and sends another key",
	"key-in-memory":    "keeps the key in memory: the program that is started again has another",
	"key-from-time":    "makes the key of the clock",
	"key-per-worker":   "makes the key of the worker",
	"description-time": "writes the time into the description, and the description into the key",
	"other-rail":       "pays by the other rail after a failure",
	"wrong-status":     "waits for the webhook of the completed payment, and pays again until it comes",
	"retry-on-409":     "checks the key of a lost payment, and takes the refusal of a used key for that of the payment",
	"fire-and-forget":  "takes a payment for made before the answer",
	"refund-twice":     "refunds a credit each time that it hears of it",
	"answer-first":     "answers the bank, refunds then, and forgets of which credit",
}

var mistake = os.Getenv("SHOP_MISTAKE")

func has(name string) bool { return mistake == name }
