//! The server that the simulations call: a capacity, a bounded queue, bad times.

/// Microseconds from the start of a simulation. Finer than the ms of the inputs, so
/// that a thousand draws from 100 ms do not pile up on a hundred moments.
pub(super) type Us = u64;

/// µs in a ms.
pub(super) const MS: Us = 1000;

/// What one call costs, in units of work: a capacity of c calls a second at p per
/// cent does c·p units a µs, so everything stays whole numbers.
const CALL: u64 = 100_000_000;

/// From when on the server runs at which share of its capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    from: Us,
    /// Units of work a µs.
    rate: u64,
    /// Units of work that could have been done before `from`.
    before: u64,
}

/// What became of a call at the server's door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// The queue was full. Refusing costs the server nothing.
    Refused,
    /// It has been let in, and its work is done then, whoever still waits for it.
    Done(Us),
    /// It cannot be done in time, so it is thrown out when its turn comes.
    Expires,
}

/// One worker that takes calls in the order of their arrival. A call takes
/// 1/capacity of a second, always. Before it there is room for `queue` calls that
/// wait; one more is refused at once. The worker does not see that a caller has
/// given up: it does that work all the same.
///
/// First come, first served with a known cost means that a call's end is known when
/// it arrives, so the server needs no events of its own. Calls have to be offered in
/// the order of time.
#[derive(Clone, Debug)]
pub(super) struct Server {
    segments: Vec<Segment>,
    current: usize,
    queue: u64,
    /// Where, in units of work, the next call can start.
    next: u64,
}

impl Server {
    /// `percent` gives from when (µs, rising) the server has which share of its
    /// capacity (a second). What the last one says goes on for ever; it has to be
    /// above 0, as has the capacity, or 1 is taken.
    pub(super) fn new(capacity: u32, queue: u32, percent: &[(Us, u32)]) -> Self {
        let capacity = u64::from(capacity.max(1));
        let mut segments = vec![Segment {
            from: 0,
            rate: capacity * 100,
            before: 0,
        }];
        for (from, percent) in percent {
            let rate = capacity * u64::from(*percent);
            match segments.last_mut() {
                Some(last) if last.from >= *from => last.rate = rate,
                Some(last) => {
                    let before = last.before + (from - last.from) * last.rate;
                    segments.push(Segment {
                        from: *from,
                        rate,
                        before,
                    });
                }
                None => {}
            }
        }
        if let Some(last) = segments.last_mut() {
            last.rate = last.rate.max(1);
        }
        Self {
            segments,
            current: 0,
            queue: queue.into(),
            next: 0,
        }
    }

    /// The work that could have been done until now.
    fn work_until(&mut self, now: Us) -> u64 {
        while self
            .segments
            .get(self.current + 1)
            .is_some_and(|next| next.from <= now)
        {
            self.current += 1;
        }
        let segment = self.segments[self.current];
        segment.before + (now - segment.from) * segment.rate
    }

    /// When that much work is done, at the earliest (rounded up to a µs).
    fn time_of(&self, work: u64) -> Us {
        let mut at = self.current;
        while self
            .segments
            .get(at + 1)
            .is_some_and(|next| next.before < work)
        {
            at += 1;
        }
        let segment = self.segments[at];
        segment.from + (work - segment.before).div_ceil(segment.rate.max(1))
    }

    /// A call arrives. With a `latest` the server throws it out, at no cost, when its
    /// work would be done later than that.
    pub(super) fn offer(&mut self, now: Us, latest: Option<Us>) -> Offer {
        let done_by_now = self.work_until(now);
        let start = self.next.max(done_by_now);
        // The call in service does not take a place in the queue.
        if (start - done_by_now).div_ceil(CALL) > self.queue {
            return Offer::Refused;
        }
        let done = self.time_of(start + CALL);
        if latest.is_some_and(|latest| done > latest) {
            return Offer::Expires;
        }
        self.next = start + CALL;
        Offer::Done(done)
    }

    /// Forgets every call that has not been finished: a restart.
    pub(super) const fn clear(&mut self) {
        self.next = 0;
    }

    /// How many calls are let in and not finished.
    pub(super) fn inside(&mut self, now: Us) -> u64 {
        let done = self.work_until(now);
        self.next.saturating_sub(done).div_ceil(CALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_service_and_the_queue_are_let_in() {
        let mut server = Server::new(100, 2, &[]);
        let offers: Vec<_> = (0..4).map(|_| server.offer(5, None)).collect();
        assert_eq!(
            offers,
            [
                Offer::Done(10_005),
                Offer::Done(20_005),
                Offer::Done(30_005),
                Offer::Refused
            ]
        );
        // Just before the first is done there is no room, then there is one place.
        assert_eq!(server.offer(10_004, None), Offer::Refused);
        assert_eq!(server.offer(10_005, None), Offer::Done(40_005));
        assert_eq!(server.offer(10_005, None), Offer::Refused);
        assert_eq!(server.inside(10_005), 3);
    }

    #[test]
    fn without_a_queue_only_an_idle_server_takes_a_call() {
        let mut server = Server::new(1000, 0, &[]);
        assert_eq!(server.offer(0, None), Offer::Done(1000));
        assert_eq!(server.offer(999, None), Offer::Refused);
        assert_eq!(server.offer(1000, None), Offer::Done(2000));
    }

    #[test]
    fn work_is_slower_while_capacity_is_missing() {
        // 10 ms a call; half speed from 5 ms to 15 ms, nothing until 20 ms.
        let mut server = Server::new(100, 9, &[(5000, 50), (15_000, 0), (20_000, 100)]);
        // 5 ms of work, then 5 more at half speed.
        assert_eq!(server.offer(0, None), Offer::Done(15_000));
        // The next one has to wait until there is capacity again.
        assert_eq!(server.offer(0, None), Offer::Done(30_000));
        assert_eq!(server.offer(40_000, None), Offer::Done(50_000));
    }

    #[test]
    fn a_capacity_that_divides_nothing_loses_nothing() {
        let mut server = Server::new(7, 10_000_000, &[]);
        let mut last = 0;
        for _ in 0..7_000_000 {
            match server.offer(0, None) {
                Offer::Done(at) => last = at,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(last, 1_000_000 * 1_000_000);
    }

    #[test]
    fn a_call_that_nobody_waits_for_costs_nothing_where_it_can_expire() {
        let mut server = Server::new(100, 9, &[]);
        assert_eq!(server.offer(0, Some(9_999)), Offer::Expires);
        assert_eq!(server.offer(0, Some(10_000)), Offer::Done(10_000));
        assert_eq!(server.offer(0, Some(19_999)), Offer::Expires);
        assert_eq!(server.offer(0, Some(20_000)), Offer::Done(20_000));
        server.clear();
        assert_eq!(server.offer(1, None), Offer::Done(10_001));
    }
}
