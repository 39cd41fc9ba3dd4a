/** Migration that adds fees by currency, limits by day, and returns. Never change a released step. */
export const railMigration = `
  -- One number was the fee of a rail in both currencies.
  UPDATE settings SET value = json_set(value, '$.pin_usd', json_extract(value, '$.pin'), '$.own_accounts', 'same')
    WHERE name = 'fees' AND json_valid(value) AND json_type(value) = 'object';

  -- Sums up what an account sends in a day.
  CREATE INDEX payments_by_day ON payments (account, created_at)
    WHERE channel = 'sinpe_movil' AND transfer_type = 'debit';

  -- The keys make it impossible to return a payment twice.
  CREATE TABLE returns (
    payment INTEGER PRIMARY KEY REFERENCES payments (seq),
    credit INTEGER NOT NULL UNIQUE REFERENCES payments (seq)
  ) STRICT;
`
