"""Mistakes that can be planted in the shop, by the name in SHOP_MISTAKE."""

import os
import uuid
from datetime import datetime, timezone

MISTAKES = {
    "new-key": "sends each attempt with another key",
    "key-in-memory": "keeps the key in memory: the program that is started again has another",
    "description-time": "writes the time into the description, and the description into the key",
    "wrong-status": "takes a payment for failed as long as it is not completed, and pays again",
    "retry-on-409": "checks the key of a lost payment, and takes the refusal of a used key for that of the payment",
    "refund-twice": "refunds a credit each time that it hears of it",
    "answer-first": "answers the bank, refunds then, and forgets of which credit",
}


def has(*names):
    return os.environ.get("SHOP_MISTAKE") in names


def forgets_keys():
    """Whether the program does not know the key of the attempt before."""
    return has("new-key", "key-in-memory", "description-time", "wrong-status")


def mistaken(key, body, now, memory):
    """The key and the body that a program with a mistake sends at an attempt."""
    if key is None:
        return key, body
    if has("new-key"):
        return "%s.%s" % (key, uuid.uuid4()), body
    if has("key-in-memory"):
        return "%s.%s" % (key, memory), body
    if has("description-time"):
        time = datetime.fromtimestamp(now, timezone.utc).strftime("%H:%M:%S")
        return "%s.%s" % (key, time.replace(":", "")), dict(body, description="%s %s" % (body["description"], time))
    return key, body
