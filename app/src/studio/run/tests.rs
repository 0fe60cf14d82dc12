use super::*;

fn run() -> Run {
    let reply = |status, replayed| Came::Reply { status, replayed };
    let attempt = |fault, sent_ms, ended_ms, came, wait| Attempt {
        fault,
        sent_ms,
        ended_ms: Some(ended_ms),
        came,
        wait,
    };
    Run {
        plan: Plan::START,
        attempts: vec![
            attempt(Fault::LoseReply, 0, 500, Came::TimedOut, Some((70, false))),
            attempt(
                Fault::Processor429,
                571,
                590,
                reply(429, false),
                Some((1000, true)),
            ),
            attempt(Fault::None, 1591, 1600, reply(201, true), None),
        ],
        halt: Some(Halt::Settled),
        stopped: false,
        charged: Some(1),
        problem: None,
    }
}

#[test]
fn what_happened_stands_beside_what_was_planned() {
    let html = results(&run()).into_string();
    for text in [
        r#"<output name="run-charged">1</output>"#,
        r#"<output name="run-attempts">3</output><small>of at most 4</small>"#,
        "has its answer",
        "one key, one charge",
        "500 to 600",
        // Retry-After is longer than the window of 0 to 200 ms.
        "1590 to 1590",
        "201, the stored reply",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
}

#[test]
fn a_client_that_does_not_know_is_told_so() {
    let gave_up = Run {
        halt: Some(Halt::Exhausted),
        ..run()
    };
    assert!(sentence(&gave_up).contains("never heard of it"));
    let stopped = Run {
        halt: None,
        stopped: true,
        ..run()
    };
    assert!(sentence(&stopped).contains("never heard of it"));
    assert!(results(&stopped).0.contains("was stopped by you"));
    let twice = Run {
        charged: Some(2),
        ..run()
    };
    assert!(sentence(&twice).contains("must not happen"));
}

#[test]
fn only_what_ends_soon_is_run() {
    assert_eq!(refusal(&Plan::START), None);
    for plan in [
        Plan {
            attempts: 1000,
            ..Plan::START
        },
        Plan {
            timeout_ms: Plan::LONGEST_TIMER,
            ..Plan::START
        },
        Plan {
            base_ms: 60_000,
            cap_ms: 60_000,
            ..Plan::START
        },
    ] {
        assert!(refusal(&plan).is_some());
    }
}

#[test]
fn every_fault_on_offer_has_a_name_on_the_wire() {
    for (fault, _) in FAULTS {
        let named = super::fault(fault.name(), &Plan::START);
        assert_eq!(named.map(Fault::name), Some(fault.name()));
    }
    let slow = super::fault("slow", &Plan::START);
    assert_eq!(slow, Some(Fault::Slow { ms: 1000 }));
    assert_eq!(super::fault("fire", &Plan::START), None);
}
