-- Under which generation a new key starts. It rises when tombstones are forgotten:
-- the processor still knows the keys that were derived for them, and the same key
-- is a new payment then.
ALTER TABLE accounts ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
