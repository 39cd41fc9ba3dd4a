/**
 * The journal's schema, as steps from one version to the next. A released step never changes. database.ts defines the
 * functions that steps call beyond SQLite's own.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE intents (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    profile TEXT NOT NULL,
    base_url TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('prepared', 'sent', 'settled', 'rejected', 'unknown')),
    payment_id TEXT,
    payment_status TEXT,
    error TEXT,
    -- Requests that left and of which no answer is known. While there is one, money may have moved.
    doubts INTEGER NOT NULL DEFAULT 0 CHECK (doubts >= 0),
    UNIQUE (base_url, idempotency_key)
  ) STRICT;
  CREATE INDEX intents_unsettled ON intents (seq) WHERE status IN ('prepared', 'sent', 'unknown');
  `,
  `
  -- Of a row of a file that was sent as a batch.
  ALTER TABLE intents ADD COLUMN batch TEXT;
  ALTER TABLE intents ADD COLUMN line INTEGER;
  ALTER TABLE intents ADD COLUMN reference TEXT;
  CREATE INDEX intents_batch ON intents (batch) WHERE batch IS NOT NULL;
  `,
  `
  -- Keys belong to a user of a service, and to a world where that is an emulator. Who sent what is there already is not
  -- known: user is NULL, and as NULLs are all different to a unique index, none of it stands in the way of another.
  CREATE TABLE bound_intents (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    profile TEXT NOT NULL,
    base_url TEXT NOT NULL,
    user TEXT,
    world TEXT,
    idempotency_key TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('prepared', 'sent', 'settled', 'rejected', 'unknown')),
    payment_id TEXT,
    payment_status TEXT,
    error TEXT,
    doubts INTEGER NOT NULL DEFAULT 0 CHECK (doubts >= 0),
    batch TEXT,
    line INTEGER,
    reference TEXT
  ) STRICT;
  INSERT INTO bound_intents
    SELECT seq, id, created_at, updated_at, profile, normal_url(base_url), NULL, NULL, idempotency_key, body, status,
      payment_id, payment_status, error, doubts, batch, line, reference
    FROM intents;
  DROP TABLE intents;
  ALTER TABLE bound_intents RENAME TO intents;
  CREATE UNIQUE INDEX intents_key ON intents (idempotency_key, base_url, user, coalesce(world, ''));
  CREATE INDEX intents_unsettled ON intents (seq) WHERE status IN ('prepared', 'sent', 'unknown');
  CREATE INDEX intents_batch ON intents (batch) WHERE batch IS NOT NULL;
  `,
  `
  -- Id of the intent whose failed payment this intent repeats.
  ALTER TABLE intents ADD COLUMN retry_of TEXT;
  `,
  `
  -- Limits are counted in one journal, which they name.
  CREATE TABLE journal_identity (id TEXT NOT NULL) STRICT;
  INSERT INTO journal_identity VALUES ('jrn_' || lower(hex(randomblob(8))));
  -- Profiles that had limits when this journal last heard of them.
  CREATE TABLE limited_profiles (profile TEXT PRIMARY KEY, services TEXT NOT NULL) STRICT;
  -- Payments under limits, by key, as a payment counts once. It counts for a calendar day in Costa Rica while counts is 1.
  CREATE TABLE counted_payments (
    seq INTEGER PRIMARY KEY,
    counted_at TEXT NOT NULL,
    day TEXT NOT NULL,
    profile TEXT NOT NULL,
    base_url TEXT NOT NULL,
    user TEXT NOT NULL,
    world TEXT,
    idempotency_key TEXT NOT NULL,
    -- The base URL in a spelling in which all names of this machine are one.
    service TEXT NOT NULL,
    currency TEXT,
    amount INTEGER NOT NULL,
    payee TEXT NOT NULL,
    -- Digest of the limits that it was judged by.
    rules TEXT NOT NULL,
    counts INTEGER NOT NULL CHECK (counts IN (0, 1))
  ) STRICT;
  CREATE UNIQUE INDEX counted_keys ON counted_payments (idempotency_key, base_url, user, coalesce(world, ''));
  CREATE INDEX counted_days ON counted_payments (day, payee);
  CREATE INDEX counted_times ON counted_payments (counted_at);
  `,
  `
  -- Currency of the paying account; NULL until the service has returned the account.
  ALTER TABLE intents ADD COLUMN currency TEXT;
  -- Names that the holder of the payee's IBAN or phone number must have, with the saved payee of each: JSON.
  ALTER TABLE intents ADD COLUMN expected_names TEXT;
  `,
  `
  -- Additional columns of the row in the caller's file: a JSON object of strings.
  ALTER TABLE intents ADD COLUMN columns TEXT;
  `,
  `
  -- Requests whose answer is not known. While an intent has one, money may have moved.
  CREATE TABLE attempts (
    -- Never given twice: who sent a request that was settled by another process still has its number.
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    -- intents.seq
    intent INTEGER NOT NULL,
    began_at TEXT NOT NULL,
    -- When a request was last about to be sent: a retry is sent later than the first.
    sent_at TEXT NOT NULL,
    -- When its answer was given up. NULL: it is under way, or its process died.
    lost_at TEXT
  ) STRICT;
  CREATE INDEX attempts_of_intent ON attempts (intent);
  INSERT INTO attempts (intent, began_at, sent_at, lost_at)
    WITH RECURSIVE lost AS (
      SELECT seq, doubts, created_at, updated_at, status FROM intents WHERE doubts > 0
      UNION ALL SELECT seq, doubts - 1, created_at, updated_at, status FROM lost WHERE doubts > 1
    )
    SELECT seq, created_at, updated_at, iif(status = 'unknown', updated_at, NULL) FROM lost;
  ALTER TABLE intents DROP COLUMN doubts;
  `,
  `
  -- Sums of counted_payments: a limit of a day reads a few rows, however many payments the day has. An unknown currency
  -- and the absence of a world are ''.
  CREATE TABLE counted_sums (
    day TEXT NOT NULL,
    profile TEXT NOT NULL,
    service TEXT NOT NULL,
    user TEXT NOT NULL,
    world TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (day, profile, service, user, world, currency)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO counted_sums
    SELECT day, profile, service, user, coalesce(world, ''), coalesce(currency, ''), sum(amount)
    FROM counted_payments WHERE counts = 1 GROUP BY 1, 2, 3, 4, 5, 6;
  CREATE TRIGGER counted_sums_insert AFTER INSERT ON counted_payments WHEN new.counts = 1 BEGIN
    INSERT INTO counted_sums
      VALUES (new.day, new.profile, new.service, new.user, coalesce(new.world, ''), coalesce(new.currency, ''), new.amount)
      ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  END;
  CREATE TRIGGER counted_sums_delete AFTER DELETE ON counted_payments WHEN old.counts = 1 BEGIN
    UPDATE counted_sums SET amount = amount - old.amount
      WHERE day = old.day AND profile = old.profile AND service = old.service AND user = old.user
        AND world = coalesce(old.world, '') AND currency = coalesce(old.currency, '');
  END;
  CREATE TRIGGER counted_sums_update AFTER UPDATE ON counted_payments BEGIN
    UPDATE counted_sums SET amount = amount - old.amount
      WHERE old.counts = 1 AND day = old.day AND profile = old.profile AND service = old.service AND user = old.user
        AND world = coalesce(old.world, '') AND currency = coalesce(old.currency, '');
    INSERT INTO counted_sums
      SELECT new.day, new.profile, new.service, new.user, coalesce(new.world, ''), coalesce(new.currency, ''), new.amount
      WHERE new.counts = 1
      ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  END;
  `,
  `
  -- File of each batch, and the form of its result; '' is the absence of a world.
  CREATE TABLE batches (
    name TEXT NOT NULL,
    base_url TEXT NOT NULL,
    user TEXT NOT NULL,
    world TEXT NOT NULL,
    file TEXT,
    -- Form of a CSV file, as JSON. NULL: the rows came from elsewhere.
    form TEXT,
    PRIMARY KEY (name, base_url, user, world)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Identity document that the holder of the payee's IBAN or phone number must have.
  ALTER TABLE intents ADD COLUMN expected_document TEXT;
  `,
  `
  -- 0: a run has begun to record the rows of the file, and has not recorded all of them.
  ALTER TABLE batches ADD COLUMN is_complete INTEGER NOT NULL DEFAULT 1 CHECK (is_complete IN (0, 1));
  `,
]
