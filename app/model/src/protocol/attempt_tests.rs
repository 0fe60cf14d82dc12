use super::*;

const ANSWER: Answer<u8> = Answer {
    paid: Paid::Succeeded,
    charge: 9,
};

fn claimed(token: u32) -> Outcome<u8> {
    Outcome::Claimed(Claim {
        token: Token(token),
        point: RecoveryPoint::Claimed,
        lease_until: Some(30_000),
    })
}

fn run(attempt: &mut Attempt<u8>, outcomes: &[Outcome<u8>]) {
    for outcome in outcomes {
        attempt.feed(outcome.clone()).unwrap();
    }
}

#[test]
fn a_keyed_charge_claims_charges_completes_and_replies() {
    let mut attempt = Attempt::<u8>::new(true, &Design::default());
    assert_eq!(attempt.command(), Some(Command::Claim));
    run(&mut attempt, &[claimed(1)]);
    assert_eq!(attempt.command(), Some(Command::Charge { keyed: true }));
    run(&mut attempt, &[Outcome::Charged(ANSWER)]);
    assert_eq!(
        attempt.command(),
        Some(Command::Complete {
            token: Token(1),
            answer: ANSWER
        })
    );
    run(&mut attempt, &[Outcome::Written]);
    let reply = Reply::Final {
        answer: ANSWER,
        replayed: false,
    };
    assert_eq!(attempt.command(), Some(Command::Reply(reply)));
    run(&mut attempt, &[Outcome::Sent]);
    assert_eq!(attempt.command(), None);
    assert_eq!(attempt.feed(Outcome::Sent), Err(ProtocolError));
}

#[test]
fn a_known_key_is_never_charged_again() {
    for (outcome, status) in [
        (Outcome::Known(ANSWER), 201),
        (
            Outcome::Known(Answer {
                paid: Paid::Declined,
                charge: 9,
            }),
            402,
        ),
        (Outcome::Refused(Refusal::Reused), 422),
        (Outcome::Refused(Refusal::Expired), 410),
        (
            Outcome::Refused(Refusal::InProgress { retry_after_s: 4 }),
            409,
        ),
    ] {
        let mut attempt = Attempt::<u8>::new(true, &Design::default());
        attempt.feed(outcome).unwrap();
        let Some(Command::Reply(reply)) = attempt.command() else {
            panic!("{attempt:?} should reply");
        };
        assert_eq!(reply.status(), status);
    }
}

#[test]
fn trouble_at_the_processor_releases_the_key_and_is_not_saved() {
    for (processor_status, status) in [(500, 502), (503, 503), (429, 503)] {
        let trouble = Trouble {
            processor_status,
            retry_after_s: None,
        };
        let mut attempt = Attempt::<u8>::new(true, &Design::default());
        run(&mut attempt, &[claimed(2), Outcome::NotCharged(trouble)]);
        assert_eq!(
            attempt.command(),
            Some(Command::Release {
                token: Token(2),
                point: RecoveryPoint::Asked
            })
        );
        run(&mut attempt, &[Outcome::Written]);
        assert_eq!(
            attempt.command(),
            Some(Command::Reply(Reply::Trouble(trouble)))
        );
        assert_eq!(trouble.status(), status);
    }
}

#[test]
fn a_late_owner_tells_what_the_new_owner_saved() {
    for (saved, status) in [(Some(ANSWER), 201), (None, 409)] {
        let mut attempt = Attempt::<u8>::new(true, &Design::default());
        run(
            &mut attempt,
            &[claimed(1), Outcome::Charged(ANSWER), Outcome::Fenced(saved)],
        );
        let Some(Command::Reply(reply)) = attempt.command() else {
            panic!("{attempt:?} should reply");
        };
        assert_eq!(reply.status(), status);
    }
}

#[test]
fn without_a_key_nothing_is_claimed_and_no_key_is_handed_on() {
    let mut attempt = Attempt::<u8>::new(false, &Design::default());
    assert_eq!(attempt.command(), Some(Command::Charge { keyed: false }));
    run(&mut attempt, &[Outcome::Charged(ANSWER)]);
    assert!(matches!(attempt.command(), Some(Command::Reply(_))));
}

#[test]
fn the_unsafe_form_looks_up_before_it_inserts() {
    let design = Design {
        claim: ClaimRule::LookupThenInsert,
        processor_keys: false,
        ..Design::default()
    };
    let mut attempt = Attempt::<u8>::new(true, &design);
    assert_eq!(attempt.command(), Some(Command::LookUp));
    run(&mut attempt, &[Outcome::Absent]);
    assert_eq!(attempt.command(), Some(Command::Insert));
    run(&mut attempt, &[claimed(1)]);
    assert_eq!(attempt.command(), Some(Command::Charge { keyed: false }));
}

#[test]
fn an_outcome_of_another_command_changes_nothing() {
    let mut attempt = Attempt::<u8>::new(true, &Design::default());
    let before = attempt.clone();
    for wrong in [
        Outcome::Absent,
        Outcome::Charged(ANSWER),
        Outcome::Written,
        Outcome::Fenced(None),
        Outcome::Sent,
    ] {
        assert_eq!(attempt.feed(wrong), Err(ProtocolError));
        assert_eq!(attempt, before);
    }
}
