import math

# A price in colones of something in dollars holds so many seconds.
QUOTE_LIFE = 15 * 60


class Orders:
    def __init__(self, database, bank, now):
        self._database = database
        self._bank = bank
        self._now = now

    def place(self, price, price_currency, phone=None, iban=None):
        """The customer pays from a phone (SINPE Móvil, in colones) or from an account in the currency of the price."""
        currency = "CRC" if phone else price_currency
        due = price if currency == price_currency else self._in_colones(price)
        order = self._database.insert(
            """INSERT INTO orders (price, price_currency, due, currency, payer_phone, payer_iban, expires_at)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            price, price_currency, due, currency, phone, iban, self._now() + QUOTE_LIFE,
        )
        return self.get(order)

    def get(self, order):
        return self._database.one("SELECT * FROM orders WHERE id = ?", order)

    def status(self, order):
        return self.get(order["id"])["status"]

    def receive(self, payment):
        """Takes in a credit, however often the shop hears of it."""
        credit, amount, payer = payment["id"], payment["amount"], payment["payer"]
        with self._database.transaction():
            self._database.run(
                "UPDATE orders SET status = 'expired' WHERE status = 'open' AND expires_at < ?", self._now()
            )
            added = self._database.run(
                """INSERT OR IGNORE INTO credits (id, amount, currency, payer_phone, payer_iban, payer_name)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                credit, amount["value"], amount["currency"], payer.get("phone_number"), payer["iban"], payer["name"],
            )
            order = self._paid_by(amount, payer) if added else None
            if order is not None:
                self._database.run("UPDATE orders SET status = 'paid' WHERE id = ?", order["id"])
                self._database.run("UPDATE credits SET order_id = ? WHERE id = ?", order["id"], credit)

    def credit_of(self, order):
        return self._database.one("SELECT * FROM credits WHERE order_id = ?", order["id"])

    def unmatched(self):
        """Credits that no order is paid by, and that were not sent back: they wait for a person."""
        return self._database.all("SELECT * FROM credits WHERE order_id IS NULL AND refund_id IS NULL")

    def _paid_by(self, amount, payer):
        """The open order of this payer, to the unit. The bank does not always know the payer's phone."""
        open_orders = self._database.all(
            "SELECT * FROM orders WHERE status = 'open' AND due = ? AND currency = ? ORDER BY id",
            amount["value"], amount["currency"],
        )
        phone, iban = payer.get("phone_number"), payer["iban"]
        for order in open_orders:
            if order["payer_phone"] == phone if order["payer_phone"] else order["payer_iban"] == iban:
                return order
        if phone or iban:
            return None
        candidates = [order for order in open_orders if order["payer_phone"]]
        return candidates[0] if len(candidates) == 1 else None

    def _in_colones(self, cents):
        """Rounded up to the unit."""
        ask = self._bank.get("/api/fx/rates")["ask"]
        return math.ceil(cents * round(ask * 10_000) / 10_000)
