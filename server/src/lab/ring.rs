//! The last facts of one account, for readers that come and go.

use std::collections::VecDeque;

use model::world::LiveFact;

/// Facts kept for one account.
pub(super) const RING: usize = 1000;
/// No two facts of one account have so many between them: where ids jump further,
/// their count began anew. It begins at the time in microseconds.
const ANEW: u64 = 1_000_000;

/// What a reader is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// Something happened.
    Fact(LiveFact),
    /// Facts are missing here: so many or, where nobody can tell, some.
    Gap(Option<u64>),
}

/// How far a reader has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the next item to be read.
    next: u64,
    /// The id of the last fact that was seen.
    seen: Option<u64>,
}

#[derive(Debug)]
enum Item {
    Fact(LiveFact),
    /// Facts may have been missed from here on.
    Break,
}

/// The last facts, oldest first.
#[derive(Debug)]
pub(super) struct Ring {
    items: VecDeque<Item>,
    /// The number of the first item. They are counted as they come.
    first: u64,
    /// The id of the last fact, once one is known.
    last: Option<u64>,
}

impl Ring {
    pub(super) const fn new(last: Option<u64>) -> Self {
        Self {
            items: VecDeque::new(),
            first: 0,
            last,
        }
    }

    /// The id of the last fact, kept or not.
    pub(super) const fn last(&self) -> Option<u64> {
        self.last
    }

    /// Adds a fact. Ids only rise; what was there already is left out.
    pub(super) fn push(&mut self, fact: LiveFact) {
        if self.last.is_none_or(|last| last < fact.id) {
            self.last = Some(fact.id);
            self.add(Item::Fact(fact));
        }
    }

    /// There were facts up to this id, whether they are here or not.
    pub(super) fn skip_to(&mut self, id: u64) {
        self.last = self.last.max(Some(id));
    }

    /// From here on facts may have been missed.
    pub(super) fn interrupt(&mut self) {
        self.add(Item::Break);
    }

    /// Forgets all facts. Ids go on.
    pub(super) fn clear(&mut self) {
        self.first += self.items.len() as u64;
        self.items.clear();
    }

    fn add(&mut self, item: Item) {
        if self.items.len() == RING {
            self.items.pop_front();
            self.first += 1;
        }
        self.items.push_back(item);
    }

    /// The place of a reader who saw the fact with this id last, or none.
    pub(super) fn place(&self, seen: Option<u64>) -> Place {
        // What follows the last fact that was seen is news, breaks too.
        let known = |item: &Item| matches!(item, Item::Fact(fact) if Some(fact.id) <= seen);
        let known = self.items.iter().rposition(known);
        Place {
            next: self.first + known.map_or(0, |at| at as u64 + 1),
            seen,
        }
    }

    /// What came after a place, which moves to the end.
    pub(super) fn after(&self, place: &mut Place) -> Vec<News> {
        let mut news = Vec::new();
        let start = usize::try_from(place.next.saturating_sub(self.first)).unwrap_or(usize::MAX);
        for item in self.items.iter().skip(start) {
            match item {
                Item::Break => news.push(News::Gap(None)),
                Item::Fact(fact) => {
                    place.pass(fact.id, &mut news);
                    if place.seen < Some(fact.id) {
                        place.seen = Some(fact.id);
                        news.push(News::Fact(fact.clone()));
                    }
                }
            }
        }
        if let Some(last) = self.last.filter(|last| Some(*last) > place.seen) {
            place.pass(last + 1, &mut news);
            place.seen = Some(last);
        }
        place.next = self.first + self.items.len() as u64;
        news
    }
}

impl Place {
    /// Tells of what is missing between the last fact that was seen and this one.
    fn pass(self, id: u64, news: &mut Vec<News>) {
        let Some(seen) = self.seen else { return };
        let missing = id.saturating_sub(seen.saturating_add(1));
        let told = matches!(news.last(), Some(News::Gap(None)));
        if missing > 0 && !told {
            news.push(News::Gap((missing < ANEW).then_some(missing)));
        }
    }
}

#[cfg(test)]
mod tests {
    use model::world::What;

    use super::*;

    fn fact(id: u64) -> LiveFact {
        LiveFact {
            id,
            request: String::from("r"),
            at: id,
            call: None,
            asked: None,
            what: What::Arrived,
        }
    }

    fn filled(ids: impl IntoIterator<Item = u64>) -> Ring {
        let mut ring = Ring::new(None);
        ids.into_iter().for_each(|id| ring.push(fact(id)));
        ring
    }

    /// What is told, in short: ids, and how much is missing as a negative number.
    fn told(ring: &Ring, place: &mut Place) -> Vec<i64> {
        let short = |news| match news {
            News::Fact(fact) => fact.id.cast_signed(),
            News::Gap(None) => i64::MIN,
            News::Gap(Some(missing)) => -missing.cast_signed(),
        };
        ring.after(place).into_iter().map(short).collect()
    }

    fn after(ring: &Ring, seen: Option<u64>) -> Vec<i64> {
        told(ring, &mut ring.place(seen))
    }

    #[test]
    fn a_reader_carries_on_where_it_was() {
        let mut ring = filled(1..=5);
        assert_eq!(after(&ring, None), [1, 2, 3, 4, 5]);
        assert_eq!(after(&ring, Some(3)), [4, 5]);
        assert_eq!(after(&ring, Some(5)), [0; 0]);
        assert_eq!(after(&ring, Some(0)), [1, 2, 3, 4, 5]);
        let mut place = ring.place(Some(3));
        assert_eq!(told(&ring, &mut place), [4, 5]);
        assert_eq!(told(&ring, &mut place), [0; 0]);
        ring.push(fact(6));
        ring.push(fact(6));
        assert_eq!(told(&ring, &mut place), [6]);
    }

    #[test]
    fn what_the_ring_dropped_is_counted() {
        let ring = filled(1..=RING as u64 + 10);
        let news = after(&ring, Some(4));
        assert_eq!((news[0], news[1], news.len()), (-6, 11, RING + 1));
        assert_eq!(after(&ring, None).len(), RING);
        let mut ring = ring;
        ring.clear();
        assert_eq!(after(&ring, Some(1000)), [-10]);
        assert_eq!(after(&ring, None), [0; 0]);
        ring.push(fact(RING as u64 + 11));
        assert_eq!(after(&ring, Some(1000)), [-10, 1011]);
    }

    #[test]
    fn a_reader_that_falls_behind_is_told() {
        let mut ring = filled(1..=3);
        let mut place = ring.place(None);
        assert_eq!(told(&ring, &mut place), [1, 2, 3]);
        (4..=RING as u64 + 8).for_each(|id| ring.push(fact(id)));
        let news = told(&ring, &mut place);
        assert_eq!((news[0], news[1], news.len()), (-5, 9, RING + 1));
    }

    #[test]
    fn ids_that_jump_are_facts_that_are_missing() {
        let mut ring = filled([1, 2, 5]);
        let mut place = ring.place(None);
        assert_eq!(told(&ring, &mut place), [1, 2, -2, 5]);
        // At the end as well, where no fact follows.
        ring.skip_to(9);
        assert_eq!(told(&ring, &mut place), [-4]);
        assert_eq!(told(&ring, &mut place), [0; 0]);
        ring.push(fact(10));
        assert_eq!(told(&ring, &mut place), [10]);
        // A count that began anew says nothing about how many are missing.
        ring.push(fact(10 + ANEW + 1));
        assert_eq!(told(&ring, &mut place)[0], i64::MIN);
    }

    #[test]
    fn a_break_is_told_once_and_where_it_was() {
        let mut ring = filled(1..=2);
        let mut place = ring.place(None);
        assert_eq!(told(&ring, &mut place), [1, 2]);
        ring.interrupt();
        assert_eq!(told(&ring, &mut place), [i64::MIN]);
        ring.push(fact(7));
        assert_eq!(told(&ring, &mut place), [-4, 7]);
        assert_eq!(after(&ring, Some(1)), [2, i64::MIN, 7]);
        assert_eq!(after(&ring, Some(2)), [i64::MIN, 7]);
        assert_eq!(after(&ring, Some(7)), [0; 0]);
    }

    #[test]
    fn who_has_seen_more_than_this_server_hears_nothing_twice() {
        let mut ring = Ring::new(None);
        let mut place = ring.place(Some(12));
        assert_eq!(told(&ring, &mut place), [0; 0]);
        (11..=14).for_each(|id| ring.push(fact(id)));
        assert_eq!(told(&ring, &mut place), [13, 14]);
    }
}
