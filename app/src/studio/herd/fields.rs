//! The fields of the form.

use super::draw::words;
use super::{Asked, KIND};
use crate::studio::Field;
use crate::studio::sim;
use model::outage::{Fields as _, HerdField, Kind};

/// What a field is called, its unit, and under which heading it stands.
pub(super) const fn label(field: HerdField) -> (&'static str, &'static str, &'static str) {
    const CLIENTS: &str = "Clients";
    const SERVER: &str = "Server";
    const PICTURE: &str = "Picture";
    match field {
        HerdField::Clients => ("Clients that failed together", "", CLIENTS),
        HerdField::Attempts => ("Attempts, the failed one included", "", CLIENTS),
        HerdField::Base => ("First window", "ms", CLIENTS),
        HerdField::Factor => ("Windows grow by", "times", CLIENTS),
        HerdField::Cap => ("Longest window", "ms", CLIENTS),
        HerdField::Timeout => ("Time-out of a call", "ms", CLIENTS),
        HerdField::Capacity => ("Capacity", "calls/s", SERVER),
        HerdField::Queue => ("Room in the queue", "calls", SERVER),
        HerdField::Bin => ("Width of a column", "ms", PICTURE),
        HerdField::Seed => ("Seed", "", PICTURE),
    }
}

/// The fields of the form.
pub(crate) fn fields(asked: &Asked) -> Vec<Field> {
    let mut fields: Vec<_> = HerdField::ALL
        .iter()
        .map(|field| {
            let (label, unit, group) = label(*field);
            sim::field(&asked.form, *field, label, unit).under(group)
        })
        .collect();
    let unknown = asked.unknown.as_ref();
    let kinds = Kind::ALL.map(|kind| (kind.name(), words(kind)));
    let value = unknown.map_or(asked.kind.name(), String::as_str);
    fields.push(
        Field::choice(KIND, "In the large figures", kinds.into(), value.to_owned())
            .under("Picture")
            .wrong(
                unknown.map(|_| "Write one of these: none, full, equal, decorrelated.".to_owned()),
            ),
    );
    fields
}
