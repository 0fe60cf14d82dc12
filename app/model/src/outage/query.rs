//! Reading a form from a query string: a problem beside a field, the rest kept.

use std::fmt;

/// What is wrong with one field of a form. The field then has its default, unless
/// the message says otherwise, and all others keep what was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<Field> {
    /// Beside which field it is shown.
    pub field: Field,
    /// What was typed, to be shown back.
    pub given: String,
    /// What is wrong.
    pub wrong: Wrong,
}

impl<Field> fmt::Display for Problem<Field> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.fmt(f)
    }
}

/// What can be wrong with what was typed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Wrong {
    /// Words, nothing that has a value, infinite.
    #[error("that is not a number")]
    NotANumber,
    /// A fraction where there are only whole numbers.
    #[error("a whole number, please")]
    NotWhole,
    /// Too small or too large.
    #[error("from {least} to {most}, please")]
    OutOfRange {
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// A word that is not known.
    #[error("one of {0}, please")]
    NotOneOf(String),
    /// The windows would be cut before the first one.
    #[error(
        "the cap is below the first wait of {base_ms} ms; this runs with a cap of {base_ms} ms"
    )]
    CapBelowBase {
        /// The first wait.
        base_ms: u64,
    },
    /// More calls than a run may have.
    #[error("that could be more than {most} calls; this runs with {used}")]
    TooManyCalls {
        /// The limit.
        most: u64,
        /// What the field was brought down to.
        used: u64,
    },
    /// The end lies before the start.
    #[error("the end lies before the start at {from} s; this runs with an end at the start")]
    EndsBeforeItStarts {
        /// The start, in s.
        from: u32,
    },
}

/// The values of a query string, decoded. The last of several values for a name
/// counts; an empty one counts as not given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(Vec<(String, String)>);

impl Given {
    pub(super) fn read(query: &str) -> Self {
        Self(
            query
                .trim_start_matches('?')
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (decoded(name), decoded(value).trim().to_owned()))
                .collect(),
        )
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }
}

/// Undoes the encoding of a form: `+` and `%41`. What is no such code stays.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |digit: u8| char::from(digit).to_digit(16);
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                if let (Some(high), Some(low)) = (hex(*high), hex(*low)) {
                    bytes.push((high * 16 + low) as u8);
                    rest = after;
                    continue;
                }
                bytes.push(b'%');
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A number; a comma before the fraction is as good as a point.
fn number(text: &str) -> Option<f64> {
    let text = match text.contains('.') {
        true => text.to_owned(),
        false => text.replacen(',', ".", 1),
    };
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads fields and collects what is wrong with them.
pub(super) struct Reader<'a, Field> {
    given: &'a Given,
    problems: Vec<Problem<Field>>,
}

impl<'a, Field: Copy> Reader<'a, Field> {
    pub(super) const fn new(given: &'a Given) -> Self {
        Self {
            given,
            problems: Vec::new(),
        }
    }

    /// The text behind a name, where there is any.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.given.get(name)
    }

    pub(super) fn wrong(&mut self, field: Field, name: &str, wrong: Wrong) {
        let given = self.text(name).unwrap_or_default().to_owned();
        self.problems.push(Problem {
            field,
            given,
            wrong,
        });
    }

    /// A number from `least` to `most`.
    pub(super) fn number(
        &mut self,
        (field, name): (Field, &str),
        default: f64,
        (least, most): (f64, f64),
    ) -> f64 {
        let Some(text) = self.text(name) else {
            return default;
        };
        match number(text) {
            Some(number) if (least..=most).contains(&number) => number,
            Some(_) => {
                self.wrong(field, name, Wrong::OutOfRange { least, most });
                default
            }
            None => {
                self.wrong(field, name, Wrong::NotANumber);
                default
            }
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn whole(
        &mut self,
        (field, name): (Field, &str),
        default: u64,
        (least, most): (u64, u64),
    ) -> u64 {
        let Some(text) = self.text(name) else {
            return default;
        };
        // Not by way of f64: a seed has 64 bits.
        if let Ok(number) = text.parse::<u64>()
            && (least..=most).contains(&number)
        {
            return number;
        }
        let wrong = match number(text) {
            Some(number) if number.fract() != 0.0 => Wrong::NotWhole,
            Some(number) if number >= least as f64 && number <= most as f64 => {
                // "100,0" and "1e3" are whole as well.
                return number as u64;
            }
            Some(_) => Wrong::OutOfRange {
                least: least as f64,
                most: most as f64,
            },
            None => Wrong::NotANumber,
        };
        self.wrong(field, name, wrong);
        default
    }

    /// The same, where it fits 32 bits.
    pub(super) fn small(
        &mut self,
        field: (Field, &str),
        default: u32,
        (least, most): (u32, u32),
    ) -> u32 {
        let number = self.whole(field, default.into(), (least.into(), most.into()));
        u32::try_from(number).unwrap_or(default)
    }

    /// One of a few words.
    pub(super) fn one_of<T: Copy>(
        &mut self,
        (field, name): (Field, &str),
        default: T,
        words: &[(&str, T)],
    ) -> T {
        let Some(text) = self.text(name) else {
            return default;
        };
        if let Some((_, it)) = words.iter().find(|(word, _)| *word == text) {
            return *it;
        }
        let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        self.wrong(field, name, Wrong::NotOneOf(known.join(", ")));
        default
    }

    pub(super) fn problems(self) -> Vec<Problem<Field>> {
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_form_sends_is_decoded() {
        for (sent, meant) in [
            ("1%2C5", "1,5"),
            ("a+b", "a b"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%ff", "\u{fffd}"),
            ("ü", "ü"),
        ] {
            assert_eq!(decoded(sent), meant);
        }
    }

    #[test]
    fn the_last_value_counts_and_an_empty_one_does_not() {
        let given = Given::read("?a=1&b=&a=2&c&=&&d=%20");
        assert_eq!(given.get("a"), Some("2"));
        for name in ["b", "c", "d", "e"] {
            assert_eq!(given.get(name), None, "{name}");
        }
    }

    #[test]
    fn numbers_are_read_or_refused() {
        let read = |text: &str| {
            let given = Given::read(&format!("n={text}"));
            let mut reader = Reader::new(&given);
            let number = reader.whole(((), "n"), 7, (1, 1000));
            (number, reader.problems().pop().map(|it| it.wrong))
        };
        let range = Some(Wrong::OutOfRange {
            least: 1.0,
            most: 1000.0,
        });
        assert_eq!(read(""), (7, None));
        assert_eq!(read("12"), (12, None));
        assert_eq!(read("12,0"), (12, None));
        assert_eq!(read("1e3"), (1000, None));
        assert_eq!(read("1,5"), (7, Some(Wrong::NotWhole)));
        for text in ["0", "-3", "1001", "1e300", "99999999999999999999"] {
            assert_eq!(read(text), (7, range.clone()), "{text}");
        }
        for text in [
            "many",
            "NaN",
            "inf",
            "1,2,3",
            "1.000.000",
            "--1",
            "%F0%9F%92%B3",
        ] {
            assert_eq!(read(text), (7, Some(Wrong::NotANumber)), "{text}");
        }
    }
}
