"""The shop's tables. Amounts are in minor units, times in seconds since 1970."""

import sqlite3
import threading
from contextlib import contextmanager

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
  id INTEGER PRIMARY KEY,
  price INTEGER NOT NULL, price_currency TEXT NOT NULL,
  due INTEGER NOT NULL, currency TEXT NOT NULL,
  payer_phone TEXT, payer_iban TEXT,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'expired', 'refunded')),
  expires_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS credits (
  id TEXT PRIMARY KEY,
  amount INTEGER NOT NULL, currency TEXT NOT NULL,
  payer_phone TEXT, payer_iban TEXT, payer_name TEXT NOT NULL,
  order_id INTEGER UNIQUE REFERENCES orders,
  refund_id TEXT UNIQUE
);
CREATE TABLE IF NOT EXISTS payouts (
  id TEXT PRIMARY KEY,
  iban TEXT, phone TEXT, amount INTEGER NOT NULL, currency TEXT NOT NULL, description TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'completed', 'held')),
  attempt INTEGER NOT NULL DEFAULT 1,
  in_doubt INTEGER NOT NULL DEFAULT 0,
  not_before REAL NOT NULL DEFAULT 0,
  payment_id TEXT, reason TEXT
);
CREATE TABLE IF NOT EXISTS session (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  access_token TEXT, refresh_token TEXT, renewal_since REAL NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS books (
  account_id TEXT PRIMARY KEY, iban TEXT NOT NULL, currency TEXT NOT NULL UNIQUE, opening_balance INTEGER NOT NULL
);
INSERT OR IGNORE INTO session (id) VALUES (1);
"""


class Database:
    """One connection that all threads of the process share."""

    def __init__(self, path=":memory:"):
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._lock = threading.RLock()
        self._connection.executescript(SCHEMA)

    @contextmanager
    def transaction(self):
        """Does all of its body, or nothing."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def run(self, sql, *values):
        """Returns how many rows it changed."""
        with self._lock:
            return self._connection.execute(sql, values).rowcount

    def insert(self, sql, *values):
        with self._lock:
            return self._connection.execute(sql, values).lastrowid

    def all(self, sql, *values):
        with self._lock:
            return [dict(row) for row in self._connection.execute(sql, values)]

    def one(self, sql, *values):
        rows = self.all(sql, *values)
        return rows[0] if rows else None

    def close(self):
        self._connection.close()
