-- A charge is given back once, in full.
CREATE TABLE refunds (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    account    TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    charge     TEXT    NOT NULL UNIQUE REFERENCES charges (id) ON DELETE CASCADE,
    amount     INTEGER NOT NULL,
    currency   TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- The processor's own guard: whatever key it is asked with, money goes back once.
ALTER TABLE ledger ADD COLUMN refund_of TEXT;
CREATE UNIQUE INDEX ledger_by_refund ON ledger (account, refund_of) WHERE refund_of IS NOT NULL;
