-- When a sandbox was last used, by the server's clock, and when it was closed.
ALTER TABLE accounts ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN closed_at INTEGER;
-- Its processor takes no keys: stuck records are settled by the sweeper.
ALTER TABLE accounts ADD COLUMN sweeps INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET seen_at = created_at;
CREATE INDEX accounts_by_seen ON accounts (seen_at) WHERE closed_at IS NULL;
CREATE INDEX accounts_closed ON accounts (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX accounts_ahead ON accounts (advance_ms) WHERE advance_ms > 0;
CREATE INDEX accounts_swept ON accounts (sweeps) WHERE sweeps = 1;

-- How often an expired key was taken for a new one. Only the unsafe form does.
ALTER TABLE keys ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
-- The payment that the client meant, where it said so.
ALTER TABLE keys ADD COLUMN intent TEXT;
-- Only tombstones are forgotten, so a new key costs no place in this index.
DROP INDEX keys_by_forgetting;
CREATE INDEX keys_by_forgetting ON keys (forget_at) WHERE state = 'tombstone';
-- For sandboxes whose clock is ahead of the others'.
CREATE INDEX keys_by_account_expiry ON keys (account, expires_at) WHERE state <> 'tombstone';
CREATE INDEX keys_by_account_forgetting ON keys (account, forget_at) WHERE state = 'tombstone';

-- What the processor was told that the payment is for, as merchants tell one.
ALTER TABLE ledger ADD COLUMN reference TEXT;
ALTER TABLE ledger ADD COLUMN intent TEXT;
ALTER TABLE ledger ADD COLUMN description TEXT;
CREATE INDEX ledger_by_reference ON ledger (account, reference) WHERE processor_key IS NULL;

-- Payments that clients named, whatever became of them: for the settlement.
CREATE TABLE intents (
    account  TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    intent   TEXT    NOT NULL,
    amount   INTEGER NOT NULL,
    currency TEXT    NOT NULL,
    -- The last answer that the client was given.
    status   INTEGER,
    charge   TEXT,
    UNIQUE (account, intent)
) STRICT;
