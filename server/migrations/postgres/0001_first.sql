-- Times are milliseconds since the Unix epoch, by the clock of the sandbox, unless
-- it says otherwise. Names compare byte by byte, so the collation is "C".

-- Now, by this database's clock. All leases and retentions are judged by it, so that
-- servers whose clocks differ agree.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE accounts (
    id         text    COLLATE "C" PRIMARY KEY,
    -- SHA-256 of the bearer token. The token itself is stored nowhere.
    token_hash bytea   NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    -- By the clock of the database, like the next two.
    created_at bigint  NOT NULL,
    seen_at    bigint  NOT NULL,
    closed_at  bigint,
    -- How far the sandbox's clock was moved forward.
    advance_ms bigint  NOT NULL DEFAULT 0 CHECK (advance_ms >= 0),
    -- The settings that were changed, as JSON.
    settings   text    NOT NULL DEFAULT '{}',
    -- Its processor takes no keys: stuck records are settled by the sweeper.
    sweeps     boolean NOT NULL DEFAULT false
);
CREATE INDEX accounts_by_seen ON accounts (seen_at) WHERE closed_at IS NULL;
CREATE INDEX accounts_closed ON accounts (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX accounts_ahead ON accounts (advance_ms) WHERE advance_ms > 0;
CREATE INDEX accounts_swept ON accounts (id) WHERE sweeps;

-- One row for each idempotency key of an account.
CREATE TABLE keys (
    account     text    COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key         text    COLLATE "C" NOT NULL,
    fingerprint bytea   NOT NULL CHECK (octet_length(fingerprint) = 32),
    state       text    NOT NULL CHECK (state IN ('running', 'released', 'done', 'tombstone')),
    point       text    NOT NULL CHECK (point IN ('claimed', 'asked')),
    token       bigint  NOT NULL,
    claimed_at  bigint  NOT NULL,
    lease_until bigint,
    expires_at  bigint  NOT NULL,
    -- When the tombstone goes as well.
    forget_at   bigint  NOT NULL,
    status      bigint,
    target      text,
    -- How often an expired key was taken for a new one. Only the unsafe form does.
    generation  bigint  NOT NULL DEFAULT 0,
    -- The payment that the client meant, where it said so.
    intent      text,
    -- For the indexes: one that looked at the state itself would have to be written
    -- again each time that a key is done.
    buried      boolean NOT NULL GENERATED ALWAYS AS (state = 'tombstone') STORED,
    PRIMARY KEY (account, key),
    CHECK ((state = 'done') = (status IS NOT NULL)),
    CHECK ((state = 'done') = (target IS NOT NULL))
-- Room on each page for the row that is done beside the row that was claimed.
) WITH (fillfactor = 60);
CREATE INDEX keys_by_expiry ON keys (expires_at) WHERE NOT buried;
CREATE INDEX keys_by_forgetting ON keys (forget_at) WHERE buried;
-- For sandboxes whose clock is ahead of the others'.
CREATE INDEX keys_by_account_expiry ON keys (account, expires_at) WHERE NOT buried;
CREATE INDEX keys_by_account_forgetting ON keys (account, forget_at) WHERE buried;

-- Charges as they were made. What happens to a charge later is told by other
-- columns, so that the body of a replay can always be rebuilt.
CREATE TABLE charges (
    number      bigint GENERATED ALWAYS AS IDENTITY,
    id          text   COLLATE "C" PRIMARY KEY,
    account     text   COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    amount      bigint NOT NULL,
    currency    text   NOT NULL,
    description text,
    paid        text   NOT NULL CHECK (paid IN ('succeeded', 'declined')),
    created_at  bigint NOT NULL,
    refunded_at bigint
);
CREATE INDEX charges_by_account ON charges (account, number);

-- A charge is given back once, in full.
CREATE TABLE refunds (
    id         text   COLLATE "C" PRIMARY KEY,
    account    text   COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    charge     text   COLLATE "C" NOT NULL UNIQUE REFERENCES charges (id) ON DELETE CASCADE,
    amount     bigint NOT NULL,
    currency   text   NOT NULL,
    created_at bigint NOT NULL
);
CREATE INDEX refunds_by_account ON refunds (account);

-- Payments that clients named, whatever became of them: for the settlement.
CREATE TABLE intents (
    number   bigint GENERATED ALWAYS AS IDENTITY,
    account  text   COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    intent   text   COLLATE "C" NOT NULL,
    amount   bigint NOT NULL,
    currency text   NOT NULL,
    -- The last answer that the client was given.
    status   bigint,
    charge   text,
    PRIMARY KEY (account, intent)
);

-- What the next attempts of a sandbox meet.
CREATE TABLE faults (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text   COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- As JSON.
    fault   text   NOT NULL
);
CREATE INDEX faults_by_account ON faults (account, number);

-- The card processor's own books. No transaction ever writes this table together
-- with one of the others, and no constraint joins them: they are two companies.
CREATE TABLE ledger (
    number        bigint GENERATED ALWAYS AS IDENTITY,
    id            text   COLLATE "C" PRIMARY KEY,
    account       text   COLLATE "C" NOT NULL,
    processor_key text   COLLATE "C",
    amount        bigint NOT NULL,
    currency      text   NOT NULL,
    paid          text   NOT NULL CHECK (paid IN ('succeeded', 'declined')),
    created_at    bigint NOT NULL,
    refund_of     text   COLLATE "C",
    -- What the processor was told that the payment is for, as merchants tell one.
    reference     text   COLLATE "C",
    intent        text,
    description   text,
    UNIQUE (account, processor_key)
);
CREATE INDEX ledger_by_account ON ledger (account, number);
-- The processor's own guard: whatever key it is asked with, money goes back once.
CREATE UNIQUE INDEX ledger_by_refund ON ledger (account, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX ledger_by_reference ON ledger (account, reference) WHERE processor_key IS NULL;

-- The other ways to make work safe: orders that are set or changed, and a queue.
CREATE TABLE orders (
    account text   COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    id      text   COLLATE "C" NOT NULL,
    status  text   NOT NULL CHECK (status IN ('new', 'paid', 'shipped', 'delivered')),
    version bigint NOT NULL,
    -- In minor units.
    total   bigint NOT NULL,
    -- How often something was sent off.
    parcels bigint NOT NULL,
    PRIMARY KEY (account, id)
);

-- Changes that were named, so that a retry can be told from a conflict. Each is
-- written in the transaction of its effect.
CREATE TABLE order_changes (
    account     text  COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name        text  COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    PRIMARY KEY (account, name)
);

-- A queue that delivers at least once.
CREATE TABLE messages (
    number     bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account    text    COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    message    text    NOT NULL,
    order_id   text    NOT NULL,
    amount     bigint  NOT NULL,
    -- How the consumer knows what it has done.
    rule       text    NOT NULL CHECK (rule IN ('same_transaction', 'separate', 'blind')),
    -- The first deliveries whose acknowledgement gets lost.
    lost_acks  bigint  NOT NULL,
    -- In the first delivery the consumer dies after the effect.
    crash      boolean NOT NULL,
    deliveries bigint  NOT NULL DEFAULT 0,
    done       boolean NOT NULL DEFAULT false,
    -- By the clock of the database.
    due_at     bigint  NOT NULL
);
CREATE INDEX messages_due ON messages (due_at) WHERE NOT done;
CREATE INDEX messages_by_account ON messages (account, number);

-- What the consumer has done.
CREATE TABLE consumed (
    account text COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    message text COLLATE "C" NOT NULL,
    PRIMARY KEY (account, message)
);
