use super::*;
use crate::protocol::Paid;

const NOW: Ms = 100_000;
type Rec = Record<u8, u8>;

fn record(state: KeyState<u8>) -> Rec {
    Record {
        fingerprint: 1,
        token: Token::FIRST,
        claimed_at: NOW - 2500,
        expires_at: NOW + 1,
        state,
    }
}

fn running(lease_until: Option<Ms>) -> KeyState<u8> {
    KeyState::Running {
        lease_until,
        point: RecoveryPoint::Claimed,
    }
}

const DONE: Answer<u8> = Answer {
    paid: Paid::Succeeded,
    charge: 9,
};

fn asks(front: &Front, record: Option<&Rec>, asked: u8, design: &Design) -> Admission<u8> {
    let stored = record.map(|record| Stored {
        record,
        asked: &asked,
        now: NOW,
    });
    admit(front, stored, design)
}

/// Each row of the table beats every row below it: spoil the request from the
/// bottom up, and the answer must always be that of the last thing spoilt.
#[test]
fn each_row_beats_every_row_below_it() {
    let design = Design::default();
    let done = record(KeyState::Done(DONE));
    let mut front = Front::GOOD;
    let ask = |front: &Front| asks(front, Some(&done), 2, &design);
    assert_eq!(ask(&front), Admission::Refused(Refusal::Reused));
    front.body = Body::Invalid;
    assert_eq!(ask(&front), Admission::Invalid);
    front.key = KeyHeader::Missing;
    assert_eq!(ask(&front), Admission::KeyMissing);
    front.key = KeyHeader::Malformed;
    assert_eq!(ask(&front), Admission::KeyMalformed);
    front.body = Body::NotJson;
    assert_eq!(ask(&front), Admission::NotJson);
    front.body = Body::OtherType;
    assert_eq!(ask(&front), Admission::OtherType);
    front.body = Body::TooLarge;
    assert_eq!(ask(&front), Admission::TooLarge);
    front.over_rate_s = Some(7);
    assert_eq!(ask(&front), Admission::OverRate { retry_after_s: 7 });
    front.known = false;
    assert_eq!(ask(&front), Admission::Unauthorized);
}

#[test]
fn another_fingerprint_is_refused_in_every_state() {
    let design = Design::default();
    let mut expired = record(KeyState::Done(DONE));
    expired.expires_at = NOW;
    let states = [
        record(KeyState::Done(DONE)),
        record(running(Some(NOW + 1))),
        record(running(Some(NOW))),
        record(running(None)),
        record(KeyState::Released {
            point: RecoveryPoint::Asked,
        }),
        record(KeyState::Tombstone),
        expired,
    ];
    for stored in &states {
        assert_eq!(
            asks(&Front::GOOD, Some(stored), 2, &design),
            Admission::Refused(Refusal::Reused)
        );
    }
    let careless = Design {
        fingerprint: false,
        ..design
    };
    assert_eq!(
        asks(&Front::GOOD, Some(&states[0]), 2, &careless),
        Admission::Replay(DONE)
    );
}

#[test]
fn what_a_known_key_means() {
    let design = Design::default();
    let ask = |stored: &Rec| asks(&Front::GOOD, Some(stored), 1, &design);
    assert_eq!(ask(&record(KeyState::Done(DONE))), Admission::Replay(DONE));
    assert_eq!(
        ask(&record(running(Some(NOW)))),
        Admission::TakeOver {
            from: Token::FIRST,
            point: RecoveryPoint::Claimed
        }
    );
    assert_eq!(
        ask(&record(KeyState::Released {
            point: RecoveryPoint::Asked
        })),
        Admission::TakeOver {
            from: Token::FIRST,
            point: RecoveryPoint::Asked
        }
    );
    assert_eq!(
        ask(&record(KeyState::Tombstone)),
        Admission::Refused(Refusal::Expired)
    );
    let mut old = record(running(Some(NOW + 5000)));
    old.expires_at = NOW;
    assert_eq!(ask(&old), Admission::Refused(Refusal::Expired));
    assert_eq!(
        asks(
            &Front::GOOD,
            Some(&old),
            1,
            &Design {
                expired: ExpiredRule::Accept,
                ..design
            }
        ),
        Admission::TakeOver {
            from: Token::FIRST,
            point: RecoveryPoint::Claimed
        }
    );
    assert_eq!(asks(&Front::GOOD, None, 1, &design), Admission::Fresh);
}

#[test]
fn retry_after_is_at_least_a_second_and_never_past_the_lease() {
    let after = |claimed, until| retry_after_s(claimed, until, NOW);
    assert_eq!(after(NOW, Some(NOW + 30_000)), 1);
    assert_eq!(after(NOW - 2500, Some(NOW + 30_000)), 3);
    assert_eq!(after(NOW - 29_000, Some(NOW + 1900)), 1);
    assert_eq!(after(NOW - 29_000, Some(NOW + 5000)), 5);
    // Less than a second of lease is left: the floor of one second wins.
    assert_eq!(after(NOW - 29_000, Some(NOW + 10)), 1);
    assert_eq!(after(0, None), 100);
    assert_eq!(after(NOW + 50, Some(NOW + 9000)), 1);
}
