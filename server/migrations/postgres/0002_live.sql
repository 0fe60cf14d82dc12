-- The ids of live facts: how many each account has had, counted from the time in
-- microseconds at its first. Unlogged, since a crash may empty it: ids then go on
-- from a later time.
CREATE UNLOGGED TABLE live_ids (
    account text   COLLATE "C" PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    last    bigint NOT NULL,
    -- How many ids were taken at once.
    step    bigint NOT NULL
) WITH (fillfactor = 50);
