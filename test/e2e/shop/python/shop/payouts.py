import unicodedata
import uuid

from .failures import NoAnswer, Refused
from .mistakes import forgets_keys, has

# Seconds that a worker has for a payout before another may take it.
LEASE = 60

# Seconds after which a payout that found its rail out of order is tried again.
RAIL_PAUSE = 600


class Payouts:
    """
    An outgoing payment: a refund, or a payment to a supplier. Each attempt has its own idempotency key, and the next one
    begins only when no money left with this one. A held payout waits for a person, and `reason` says why.
    """

    def __init__(self, database, bank, now):
        self._database = database
        self._bank = bank
        self._now = now

    def pay_supplier(self, holder, amount, currency, description, iban=None, phone=None):
        """Queues the payment of an invoice. It is held if the account is another holder's, or closed."""
        path = "/api/iban/information/" + iban if iban else "/api/phone/information/" + phone
        try:
            found = self._bank.get(path)
        except Refused as refused:
            if refused.status != 404:
                raise
            found = None
        payout = self._add(iban, phone, amount, currency, description)
        if found is None:
            return self._hold(payout, "There is no such account")
        if found["status"] in ("closed", "blocked"):
            return self._hold(payout, "The account is " + found["status"])
        if _plain(found["name"]) != _plain(holder):
            return self._hold(payout, "The account is that of " + found["name"])
        return payout

    def refund(self, credit):
        """Queues sending a credit back to where it came from. Doing it again gives the same payout."""
        with self._database.transaction():
            known = self._database.one("SELECT * FROM credits WHERE id = ?", credit["id"])
            if known["refund_id"] is not None:
                return self.get(known["refund_id"])
            phone, iban, order = known["payer_phone"], known["payer_iban"], known["order_id"]
            if phone is None and iban is None:
                raise ValueError("Nobody knows where the credit %s came from" % known["id"])
            what = "Refund of order %d" % order if order else "Refund of payment " + known["id"][-12:]
            payout = self._add(None if phone else iban, phone, known["amount"], known["currency"], what)
            self._database.run("UPDATE credits SET refund_id = ? WHERE id = ?", payout["id"], known["id"])
            self._database.run("UPDATE orders SET status = 'refunded' WHERE id = ?", order)
            return payout

    def refund_at_once(self, payment):
        """A mistake: sends a credit that paid nothing back, without asking whether that was done before."""
        credit = self._database.one("SELECT * FROM credits WHERE id = ?", payment["id"])
        phone, iban, amount = credit["payer_phone"], credit["payer_iban"], payment["amount"]
        if credit["order_id"] is not None or (phone is None and iban is None):
            return
        what = "Refund of payment " + credit["id"][-12:]
        payout = self._add(None if phone else iban, phone, amount["value"], amount["currency"], what)
        self._database.run("UPDATE credits SET refund_id = ? WHERE id = ?", payout["id"], credit["id"])
        self._database.run("UPDATE payouts SET not_before = ? WHERE id = ?", self._now() + LEASE, payout["id"])
        # The bank may be waiting for the answer to its webhook, so no time passes for another attempt.
        self._pay(payout, attempts=1)

    def run(self):
        """Sends what is queued, one after another. Any number of workers may do this at once."""
        while True:
            payout = self._take()
            if payout is None:
                return
            self._pay(payout)

    def follow(self):
        """Asks the bank about payments that have not ended."""
        for payout in self.all():
            if payout["status"] == "sent":
                self.record(self._bank.get("/api/payments/" + payout["payment_id"]))

    def record(self, payment):
        """Takes in what the bank says of a payment. Returns whether it is one of the shop's."""
        payout, attempt = (payment["idempotency_key"] + ".").split(".")[:2]
        status = payment["status"]
        if self.get(payout) is None:
            return False
        if status in ("pending", "processing"):
            change, values, states = "status = 'sent', payment_id = ?", (payment["id"],), "'queued'"
        elif status == "completed":
            change, values = "status = 'completed', payment_id = ?, reason = NULL", (payment["id"],)
            states = "'queued', 'sent', 'held'"
        elif status == "service_unavailable":
            change = "status = 'queued', attempt = attempt + 1, not_before = ?, reason = ?"
            values, states = (self._now() + RAIL_PAUSE, "The rail is out of order"), "'queued', 'sent'"
        else:
            reason = payment.get("error_message") or payment.get("error") or status
            change, values, states = "status = 'held', payment_id = ?, reason = ?", (payment["id"], reason), "'queued', 'sent'"
        self._database.run(
            "UPDATE payouts SET in_doubt = 0, %s WHERE id = ? AND attempt = ? AND status IN (%s)" % (change, states),
            *values, payout, int(attempt),
        )
        return True

    def release(self, payout):
        """Queues a held payout again, as a person decided: with the same key if its last attempt is in doubt."""
        self._database.run(
            """UPDATE payouts SET status = 'queued', attempt = attempt + 1 - in_doubt, not_before = 0, payment_id = NULL
               WHERE id = ? AND status = 'held'""",
            payout["id"],
        )

    def get(self, payout):
        return self._database.one("SELECT * FROM payouts WHERE id = ?", payout)

    def all(self):
        return self._database.all("SELECT * FROM payouts ORDER BY rowid")

    def _pay(self, payout, attempts=None):
        """The key is in doubt on disk before the request leaves: a process that dies leaves it so."""
        key = "%s.%d" % (payout["id"], payout["attempt"])
        try:
            if payout["in_doubt"] and has("retry-on-409"):
                return self._check(payout)
            found = self._find(key) if payout["in_doubt"] and not forgets_keys() else None
            self._attempted(payout, None)
            self.record(found or self._bank.pay(key, self._request(payout), attempts))
        except NoAnswer as error:
            self._attempted(payout, str(error))
            if has("wrong-status"):
                self._next_attempt(payout)
        except Refused as refused:
            self._hold(payout, str(refused))

    def _check(self, payout):
        """A mistake: after a refusal of its key, the payment gets another."""
        try:
            self._bank.check("%s.%d" % (payout["id"], payout["attempt"]), self._request(payout))
        except Refused:
            self._next_attempt(payout)
        self._pay(dict(self.get(payout["id"]), in_doubt=0))

    def _next_attempt(self, payout):
        self._database.run("UPDATE payouts SET attempt = attempt + 1, in_doubt = 0 WHERE id = ?", payout["id"])

    def _attempted(self, payout, reason):
        self._database.run(
            "UPDATE payouts SET in_doubt = 1, reason = ? WHERE id = ? AND attempt = ? AND status = 'queued'",
            reason, payout["id"], payout["attempt"],
        )

    def _find(self, key):
        """The payment that an earlier request may have made."""
        return next((payment for payment in self._bank.history() if payment["idempotency_key"] == key), None)

    def _request(self, payout):
        source = self._database.one("SELECT * FROM books WHERE currency = ?", payout["currency"])
        recipient = {"recipient_iban": payout["iban"]} if payout["iban"] else {"recipient_phone": payout["phone"]}
        order = {"source_account_id": source["account_id"], "amount": payout["amount"]}
        return dict(order, description=payout["description"], **recipient)

    def _take(self):
        now = self._now()
        with self._database.transaction():
            payout = self._database.one(
                "SELECT * FROM payouts WHERE status = 'queued' AND not_before <= ? ORDER BY rowid LIMIT 1", now
            )
            if payout:
                self._database.run("UPDATE payouts SET not_before = ? WHERE id = ?", now + LEASE, payout["id"])
            return payout

    def _add(self, iban, phone, amount, currency, description):
        payout = str(uuid.uuid4())
        self._database.run(
            "INSERT INTO payouts (id, iban, phone, amount, currency, description) VALUES (?, ?, ?, ?, ?, ?)",
            payout, iban, phone, amount, currency, description,
        )
        return self.get(payout)

    def _hold(self, payout, reason):
        """A doubt from before stays: that nothing was done now says nothing of then."""
        self._database.run(
            "UPDATE payouts SET status = 'held', in_doubt = ?, reason = ? WHERE id = ? AND attempt = ? AND status = 'queued'",
            payout["in_doubt"], reason, payout["id"], payout["attempt"],
        )
        return self.get(payout["id"])


def _plain(name):
    """A name as people write it: without accents, case, and spaces that don't matter."""
    letters = (letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    return " ".join("".join(letters).lower().split())
