-- Times are milliseconds since the Unix epoch, by the clock of the sandbox.

CREATE TABLE accounts (
    id          TEXT    NOT NULL PRIMARY KEY,
    -- SHA-256 of the bearer token. The token itself is stored nowhere.
    token_hash  BLOB    NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL,
    -- How far the sandbox's clock was moved forward.
    advance_ms  INTEGER NOT NULL DEFAULT 0,
    -- The settings that were changed, as JSON.
    settings    TEXT    NOT NULL DEFAULT '{}'
) STRICT;

-- One row for each idempotency key of an account.
CREATE TABLE keys (
    account     TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('running', 'released', 'done', 'tombstone')),
    point       TEXT    NOT NULL CHECK (point IN ('claimed', 'asked')),
    token       INTEGER NOT NULL,
    claimed_at  INTEGER NOT NULL,
    lease_until INTEGER,
    expires_at  INTEGER NOT NULL,
    -- When the tombstone goes as well.
    forget_at   INTEGER NOT NULL,
    status      INTEGER,
    target      TEXT,
    UNIQUE (account, key),
    CHECK ((state = 'done') = (status IS NOT NULL)),
    CHECK ((state = 'done') = (target IS NOT NULL))
) STRICT;
CREATE INDEX keys_by_expiry ON keys (expires_at) WHERE state <> 'tombstone';
CREATE INDEX keys_by_forgetting ON keys (forget_at);

-- Charges as they were made. What happens to a charge later is told by other
-- columns, so that the body of a replay can always be rebuilt.
CREATE TABLE charges (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
    account     TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    amount      INTEGER NOT NULL,
    currency    TEXT    NOT NULL,
    description TEXT,
    paid        TEXT    NOT NULL CHECK (paid IN ('succeeded', 'declined')),
    created_at  INTEGER NOT NULL,
    refunded_at INTEGER
) STRICT;
CREATE INDEX charges_by_account ON charges (account, number);

-- The card processor's own books. No transaction ever writes this table together
-- with one above, and no constraint joins them: they are two companies.
CREATE TABLE ledger (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT    NOT NULL UNIQUE,
    account       TEXT    NOT NULL,
    processor_key TEXT,
    amount        INTEGER NOT NULL,
    currency      TEXT    NOT NULL,
    paid          TEXT    NOT NULL CHECK (paid IN ('succeeded', 'declined')),
    created_at    INTEGER NOT NULL,
    UNIQUE (account, processor_key)
) STRICT;
