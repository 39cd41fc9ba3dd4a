from datetime import datetime, timedelta, timezone

COSTA_RICA = timezone(timedelta(hours=-6))  # All year.


class Books:
    """The shop's accounts at the bank, beside what the shop knows."""

    def __init__(self, database, bank):
        self._database = database
        self._bank = bank

    def open(self):
        """Writes down the balances from which the books are kept; once."""
        for account in self._bank.get("/api/accounts?per_page=100")["data"]:
            balance = account["balance"]
            self._database.run(
                "INSERT OR IGNORE INTO books VALUES (?, ?, ?, ?)",
                account["id"], account["iban"], balance["currency"], balance["value"],
            )

    def account(self, currency):
        return self._database.one("SELECT * FROM books WHERE currency = ?", currency)

    def close(self, day, orders, payouts):
        """Compares a day (YYYY-MM-DD, local) with the bank. Takes in what the shop has missed, of other days too."""
        received, paid, fees, change = ({"CRC": 0, "USD": 0} for _ in range(4))
        strangers, unfinished = [], 0
        for payment in reversed(list(self._bank.history())):
            value, currency = payment["amount"]["value"], payment["amount"]["currency"]
            fee = payment["fee"]["value"] if payment["fee"] else 0
            is_today = payment["completed_at"] is not None and _local_day(payment["completed_at"]) == day
            if payment["transfer_type"] == "credit":
                orders.receive(payment)
                change[currency] += value
                received[currency] += value if is_today else 0
                continue
            if not payouts.record(payment):
                strangers.append(payment["id"])
            if payment["status"] in ("pending", "processing"):
                unfinished += 1
            elif payment["status"] == "completed":
                change[currency] -= value + fee
                if is_today:
                    paid[currency] += value
                    fees[currency] += fee
        difference = None if unfinished else self._difference(change)
        return {
            "received": received,
            "paid": paid,
            "fees": fees,
            "strangers": strangers,
            "unfinished": unfinished,
            "difference": difference,
        }

    def _difference(self, change):
        """Balances at the bank less those of the books."""
        difference = {}
        for currency, changed in change.items():
            account = self.account(currency)
            balance = self._bank.get("/api/accounts/%s/balance" % account["account_id"])["balance"]
            difference[currency] = balance - account["opening_balance"] - changed
        return difference


def _local_day(time):
    at = datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return at.astimezone(COSTA_RICA).strftime("%Y-%m-%d")
