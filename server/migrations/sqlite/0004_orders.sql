-- The other ways to make work safe: orders that are set or changed, and a queue.
CREATE TABLE orders (
    account TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    id      TEXT    NOT NULL,
    status  TEXT    NOT NULL CHECK (status IN ('new', 'paid', 'shipped', 'delivered')),
    version INTEGER NOT NULL,
    -- In minor units.
    total   INTEGER NOT NULL,
    -- How often something was sent off.
    parcels INTEGER NOT NULL,
    UNIQUE (account, id)
) STRICT;

-- Changes that were named, so that a retry can be told from a conflict. Each is
-- written in the transaction of its effect.
CREATE TABLE order_changes (
    account     TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    UNIQUE (account, name)
) STRICT;

-- A queue that delivers at least once.
CREATE TABLE messages (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    account      TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    message      TEXT    NOT NULL,
    order_id     TEXT    NOT NULL,
    amount       INTEGER NOT NULL,
    -- How the consumer knows what it has done.
    rule         TEXT    NOT NULL,
    -- The first deliveries whose acknowledgement gets lost.
    lost_acks    INTEGER NOT NULL,
    -- In the first delivery the consumer dies after the effect.
    crash        INTEGER NOT NULL,
    deliveries   INTEGER NOT NULL DEFAULT 0,
    done         INTEGER NOT NULL DEFAULT 0,
    due_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_due ON messages (due_at) WHERE done = 0;
CREATE INDEX messages_by_account ON messages (account, number);

-- What the consumer has done.
CREATE TABLE consumed (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    message TEXT NOT NULL,
    UNIQUE (account, message)
) STRICT;
