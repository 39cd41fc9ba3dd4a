/** The schema, as steps from one version to the next. Never change a released step. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Rows refer to each other by seq, a small integer; the UUIDs the API shows stay out of the other indexes.
  CREATE TABLE users (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_verified_at INTEGER,
    phone TEXT UNIQUE,
    document_number TEXT NOT NULL,
    document_type INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users (seq),
    scopes TEXT NOT NULL,
    expires_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;

  -- Double entry. A balance is kept by the trigger below and nowhere else, so it is always the sum of its entries.
  CREATE TABLE ledger_accounts (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('available', 'held', 'rail', 'fees', 'funding')),
    currency TEXT NOT NULL,
    balance INTEGER NOT NULL DEFAULT 0,
    UNIQUE (owner, purpose, currency),
    CHECK (balance >= 0 OR purpose NOT IN ('available', 'held'))
  ) STRICT;

  CREATE TABLE accounts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users (seq),
    iban TEXT NOT NULL UNIQUE,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    available_ledger INTEGER NOT NULL REFERENCES ledger_accounts (id),
    held_ledger INTEGER NOT NULL REFERENCES ledger_accounts (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX accounts_by_user ON accounts (user, seq);

  CREATE TABLE registry (
    address TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    document_number TEXT NOT NULL,
    document_type INTEGER NOT NULL,
    currency TEXT NOT NULL,
    entity TEXT NOT NULL,
    outcome TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE payments (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users (seq),
    -- Positions are 1, 2, 3, ... without gaps, so that any page is found without counting: in the user's history,
    -- among those of the same channel and transfer type, and among those to the same payee.
    position INTEGER NOT NULL,
    kind_position INTEGER NOT NULL,
    payee_position INTEGER NOT NULL,
    account INTEGER NOT NULL REFERENCES accounts (seq),
    idempotency_key TEXT NOT NULL,
    channel TEXT NOT NULL,
    transfer_type TEXT NOT NULL,
    status TEXT NOT NULL,
    initial_status TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    currency TEXT NOT NULL,
    channel_reference TEXT NOT NULL,
    sinpe_reference TEXT,
    payer_iban TEXT,
    payer_phone TEXT,
    payer_document_number TEXT NOT NULL,
    payer_document_type INTEGER,
    payer_name TEXT NOT NULL,
    payee_iban TEXT,
    payee_phone TEXT,
    payee_document_number TEXT NOT NULL,
    payee_document_type INTEGER,
    payee_name TEXT NOT NULL,
    payee_account INTEGER REFERENCES accounts (seq),
    description TEXT,
    error_message TEXT,
    outcome TEXT NOT NULL,
    settle_ms INTEGER NOT NULL,
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    submitted_at INTEGER,
    completed_at INTEGER,
    UNIQUE (user, idempotency_key)
  ) STRICT;
  CREATE UNIQUE INDEX payments_by_position ON payments (user, position);
  CREATE UNIQUE INDEX payments_by_kind ON payments (user, channel, transfer_type, kind_position);
  CREATE UNIQUE INDEX payments_by_payee ON payments (user, payee_document_number, payee_position);
  CREATE INDEX payments_due ON payments (due_at, seq) WHERE due_at IS NOT NULL;

  -- The unique key makes it impossible to book the same movement of a payment twice.
  CREATE TABLE ledger_entries (
    id INTEGER PRIMARY KEY,
    payment_seq INTEGER REFERENCES payments (seq),
    movement TEXT NOT NULL CHECK (movement IN ('funding', 'hold', 'capture', 'release', 'credit')),
    ledger_account INTEGER NOT NULL REFERENCES ledger_accounts (id),
    amount INTEGER NOT NULL CHECK (amount <> 0),
    created_at INTEGER NOT NULL,
    UNIQUE (payment_seq, movement, ledger_account)
  ) STRICT;
  CREATE TRIGGER ledger_entries_keep_balance AFTER INSERT ON ledger_entries BEGIN
    UPDATE ledger_accounts SET balance = balance + NEW.amount WHERE id = NEW.ledger_account;
  END;
  CREATE TRIGGER ledger_entries_are_final BEFORE UPDATE ON ledger_entries BEGIN
    SELECT raise(ABORT, 'ledger entries are never changed');
  END;
  `,
  `
  -- The user's own credential for receivers is in \`headers\`, which deliveries need as it is.
  CREATE TABLE subscriptions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users (seq),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    -- One bit an event, in the order of the contract's list.
    event_mask INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    timeout INTEGER NOT NULL,
    headers TEXT,
    last_sent_at INTEGER,
    suspended_at INTEGER,
    suspended_reason TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (user, url, event_mask)
  ) STRICT;
  CREATE INDEX subscriptions_by_user ON subscriptions (user, seq);

  -- The outbox: written in the transaction of the step an event tells of.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    payment INTEGER NOT NULL REFERENCES payments (seq),
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    event INTEGER NOT NULL REFERENCES events (seq),
    subscription INTEGER NOT NULL REFERENCES subscriptions (seq) ON DELETE CASCADE,
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'exhausted')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (subscription, due_at, seq) WHERE status = 'pending';
  CREATE INDEX deliveries_by_subscription ON deliveries (subscription, seq);
  CREATE INDEX deliveries_by_event ON deliveries (event);

  CREATE TABLE attempts (
    delivery INTEGER NOT NULL REFERENCES deliveries (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    answer TEXT,
    PRIMARY KEY (delivery, number)
  ) STRICT, WITHOUT ROWID;

  -- Why the rail will turn a payment down, from the registry entry it goes to.
  ALTER TABLE payments ADD COLUMN state_code TEXT;
  ALTER TABLE registry ADD COLUMN state_code TEXT;
  `,
  `
  CREATE TABLE oauth_clients (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL,
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  -- What a user once granted a client. A row is never deleted: a code that comes again has to be known.
  CREATE TABLE authorizations (
    seq INTEGER PRIMARY KEY,
    client INTEGER NOT NULL REFERENCES oauth_clients (seq),
    user INTEGER NOT NULL REFERENCES users (seq),
    scopes TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    code_hash BLOB NOT NULL UNIQUE,
    code_challenge TEXT,
    code_expires_at INTEGER NOT NULL,
    redeemed_at INTEGER,
    revoked_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE refresh_tokens (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    authorization INTEGER NOT NULL REFERENCES authorizations (seq),
    used_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;

  -- Tokens from the dashboard come of no authorization.
  ALTER TABLE tokens ADD COLUMN authorization INTEGER REFERENCES authorizations (seq);
  ALTER TABLE tokens ADD COLUMN revoked_at INTEGER;
  CREATE INDEX tokens_by_authorization ON tokens (authorization) WHERE authorization IS NOT NULL;
  `,
  `
  -- Hash of a secret that is shown to its user only once. Earlier subscriptions have no secret.
  ALTER TABLE subscriptions ADD COLUMN secret_hash BLOB;
  `,
  `
  -- The rail gives a payment its reference when it completes.
  UPDATE payments SET sinpe_reference = NULL WHERE status <> 'completed';

  ALTER TABLE registry ADD COLUMN status TEXT NOT NULL DEFAULT 'active';
  UPDATE registry SET status = 'closed' WHERE state_code = 'account_closed';
  UPDATE registry SET status = 'blocked' WHERE state_code = 'account_blocked';
  `,
  `
  -- The key of a credit is none that its user has sent: only those of debits are unique. The table is made again, because
  -- SQLite can't take a constraint away.
  CREATE TABLE new_payments (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users (seq),
    -- Positions are 1, 2, 3, ... without gaps, so that any page is found without counting: in the user's history,
    -- among those of the same channel and transfer type, and among those to the same payee.
    position INTEGER NOT NULL,
    kind_position INTEGER NOT NULL,
    payee_position INTEGER NOT NULL,
    account INTEGER NOT NULL REFERENCES accounts (seq),
    idempotency_key TEXT NOT NULL,
    channel TEXT NOT NULL,
    transfer_type TEXT NOT NULL,
    status TEXT NOT NULL,
    initial_status TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    currency TEXT NOT NULL,
    channel_reference TEXT NOT NULL,
    sinpe_reference TEXT,
    payer_iban TEXT,
    payer_phone TEXT,
    payer_document_number TEXT NOT NULL,
    payer_document_type INTEGER,
    payer_name TEXT NOT NULL,
    payee_iban TEXT,
    payee_phone TEXT,
    payee_document_number TEXT NOT NULL,
    payee_document_type INTEGER,
    payee_name TEXT NOT NULL,
    payee_account INTEGER REFERENCES accounts (seq),
    description TEXT,
    error_message TEXT,
    outcome TEXT NOT NULL,
    settle_ms INTEGER NOT NULL,
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    submitted_at INTEGER,
    completed_at INTEGER,
    state_code TEXT
  ) STRICT;
  INSERT INTO new_payments SELECT * FROM payments ORDER BY seq;
  DROP TABLE payments;
  ALTER TABLE new_payments RENAME TO payments;
  CREATE UNIQUE INDEX payments_by_position ON payments (user, position);
  CREATE UNIQUE INDEX payments_by_kind ON payments (user, channel, transfer_type, kind_position);
  CREATE UNIQUE INDEX payments_by_payee ON payments (user, payee_document_number, payee_position);
  CREATE UNIQUE INDEX payments_by_key ON payments (user, idempotency_key) WHERE transfer_type = 'debit';
  CREATE INDEX payments_due ON payments (due_at, seq) WHERE due_at IS NOT NULL;
  `,
  `
  -- Message of a failed payment; null: the usual text of its state code.
  ALTER TABLE registry ADD COLUMN failure_text TEXT;
  ALTER TABLE payments ADD COLUMN failure_text TEXT;
  `,
  `
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
`,
  `
  ALTER TABLE subscriptions ADD COLUMN signing_secret TEXT;
  `,
  `
  -- 1: its key was forgotten, and used again by another payment.
  ALTER TABLE payments ADD COLUMN key_forgotten INTEGER NOT NULL DEFAULT 0;
  DROP INDEX payments_by_key;
  CREATE UNIQUE INDEX payments_by_key ON payments (user, idempotency_key)
    WHERE transfer_type = 'debit' AND key_forgotten = 0;
  `,
  `
  -- Finds the payments that go on when a rail is back.
  CREATE INDEX payments_hung ON payments (channel) WHERE due_at IS NULL AND status IN ('pending', 'processing');
  `,
  `
  -- Money that arrives from another bank later. Once it is received, a payment has its id.
  CREATE TABLE scheduled_credits (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account INTEGER NOT NULL REFERENCES accounts (seq),
    channel TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    payer_iban TEXT,
    payer_phone TEXT,
    payer_document_number TEXT NOT NULL,
    payer_document_type INTEGER,
    payer_name TEXT NOT NULL,
    description TEXT,
    sinpe_reference TEXT UNIQUE,
    status TEXT NOT NULL,
    state_code TEXT,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX scheduled_credits_due ON scheduled_credits (channel, due_at, seq) WHERE status = 'scheduled';

  -- References that were given. Those that the emulator makes have its own entity, 999; a receipt has that of its payment.
  CREATE UNIQUE INDEX payments_by_given_reference ON payments (sinpe_reference)
    WHERE transfer_type = 'credit' AND substr(sinpe_reference, 9, 3) <> '999';
  `,
]
