-- What the next attempts of a sandbox meet. In the database, since the next attempt
-- may reach another server.
CREATE TABLE faults (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- As JSON.
    fault   TEXT    NOT NULL
) STRICT;
CREATE INDEX faults_by_account ON faults (account, number);

-- For the deletion of an account, which looks for all that refers to it.
CREATE INDEX refunds_by_account ON refunds (account);
