//! The fields of the form.

use super::words::{self, relief};
use super::{Asked, TIP};
use crate::studio::Field;
use crate::studio::sim;
use model::outage::{Fields as _, OutageField, Relief, Strategy};

/// What a field is called, its unit, and under which heading it stands.
pub(super) const fn label(field: OutageField) -> (&'static str, &'static str, &'static str) {
    const LOAD: &str = "Load and server";
    const RETRIES: &str = "Retries";
    const OUTAGE: &str = "Outage";
    const RELIEF: &str = "What is done about it";
    const PICTURE: &str = "Picture";
    match field {
        OutageField::Rate => ("Offered load", "requests/s", LOAD),
        OutageField::Seconds => ("Requests arrive for", "s", LOAD),
        OutageField::Clients => ("Client processes", "", LOAD),
        OutageField::Capacity => ("Capacity", "calls/s", LOAD),
        OutageField::Queue => ("Room in the queue", "calls", LOAD),
        OutageField::Service => ("A call needs besides its turn", "ms", LOAD),
        OutageField::Timeout => ("Time-out of a call", "ms", RETRIES),
        OutageField::Attempts => ("Attempts, the first included", "", RETRIES),
        OutageField::Base => ("First window", "ms", RETRIES),
        OutageField::Factor => ("Windows grow by", "times", RETRIES),
        OutageField::Cap => ("Longest window", "ms", RETRIES),
        OutageField::From => ("Outage starts at", "s", OUTAGE),
        OutageField::Until => ("Its cause is gone at", "s", OUTAGE),
        OutageField::Loss => ("Capacity lost meanwhile", "%", OUTAGE),
        OutageField::Fail => ("Calls that fail meanwhile", "%", OUTAGE),
        OutageField::Relief => ("Relief", "", RELIEF),
        OutageField::ReliefAt => ("At", "s", RELIEF),
        OutageField::ReliefFor => ("Shedding lasts", "s", RELIEF),
        OutageField::ReliefShare => ("Share shed, or added", "%", RELIEF),
        OutageField::Bin => ("Width of a column", "ms", PICTURE),
        OutageField::Seed => ("Seed", "", PICTURE),
    }
}

/// The fields of the form.
pub(crate) fn fields(asked: &Asked) -> Vec<Field> {
    let mut fields: Vec<_> = OutageField::ALL
        .iter()
        .map(|field| {
            let (label, unit, group) = label(*field);
            let it = sim::field(&asked.form, *field, label, unit).under(group);
            if *field == OutageField::Relief {
                let choices = Relief::ALL.map(|it| (it.name(), relief(it)));
                let choice =
                    Field::choice(it.name, it.label, choices.into(), it.value).under(group);
                return choice.wrong(it.is_wrong.then_some(it.note));
            }
            it
        })
        .collect();
    let mut choices = vec![("", "of none")];
    choices.extend(Strategy::ALL.map(|it| (it.name(), words::strategy(it))));
    let unknown = asked.unknown.as_ref();
    let value = unknown.map_or(asked.tip.map_or("", Strategy::name), String::as_str);
    fields.push(
        Field::choice(TIP, "Find the tipping point", choices, value.to_owned())
            .under("Picture")
            .wrong(unknown.map(|_| {
                let words = Strategy::ALL.map(Strategy::name).join(", ");
                format!("Write one of these: {words}.")
            })),
    );
    fields
}
