//! What stands in a row, whichever database it comes from.

use model::Ms;

/// For databases, whose integers have a sign.
pub(super) fn int(ms: Ms) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// And back.
pub(super) fn ms(int: i64) -> Ms {
    Ms::try_from(int).unwrap_or(0)
}
