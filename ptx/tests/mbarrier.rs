//! mbarrier objects: their counts and phases alone, and in kernels.

#[path = "common/machine.rs"]
mod machine;

use machine::{Run, kernel, to_u32s, u32s};
use ptx::machine::engines::mbarrier::object::{Arrival, MAX_COUNT, Misuse, Object};

fn arrive(count: u32) -> Arrival {
    Arrival {
        count,
        ..Arrival::default()
    }
}

#[test]
fn phases_and_states() {
    let mut o = Object::new(3).unwrap();
    assert!(
        o.test_parity(1),
        "the phase before the first counts as odd and complete"
    );
    assert!(!o.test_parity(0));
    let (state, complete) = o.arrive(arrive(1)).unwrap();
    assert_eq!((Object::pending_count(state), complete), (3, false));
    assert_eq!(o.test_state(state), Ok(false));
    let (second, complete) = o.arrive(arrive(2)).unwrap();
    assert_eq!((Object::pending_count(second), complete), (2, true));
    // Both states are of the phase that is complete now.
    assert_eq!(o.test_state(state), Ok(true));
    assert_eq!(o.test_state(second), Ok(true));
    assert!(o.test_parity(0));
    assert!(!o.test_parity(1));
    let (third, _) = o.arrive(arrive(3)).unwrap();
    assert_eq!(o.test_state(third), Ok(true));
    assert_eq!(o.test_state(state), Err(Misuse::OldState(0, 2)));
    assert!(o.test_parity(1));
}

#[test]
fn transactions() {
    // Expected before, with and after the arrival that makes the last; completed in pieces.
    let mut o = Object::new(1).unwrap();
    o.expect_tx(100).unwrap();
    assert_eq!(o.complete_tx(60), Ok(false));
    assert!(!o.arrive(arrive(1)).unwrap().1);
    assert_eq!(o.complete_tx(40), Ok(true));
    assert!(o.test_parity(0));
    let with = Arrival {
        expect_tx: Some(32),
        ..arrive(1)
    };
    assert!(!o.arrive(with).unwrap().1);
    assert_eq!(o.complete_tx(32), Ok(true));
    assert!(o.test_parity(1));
    // Bytes may come before they are expected: the count is negative in between.
    assert_eq!(o.complete_tx(16), Ok(false));
    assert!(
        o.arrive(Arrival {
            expect_tx: Some(16),
            ..arrive(1)
        })
        .unwrap()
        .1
    );
    // A phase whose bytes differ never ends.
    assert!(o.test_parity(0));
    o.arrive(Arrival {
        expect_tx: Some(64),
        ..arrive(1)
    })
    .unwrap();
    assert_eq!(o.complete_tx(48), Ok(false));
    assert!(!o.test_parity(1));
}

#[test]
fn drops() {
    let mut o = Object::new(3).unwrap();
    let drop = Arrival {
        drop: true,
        ..arrive(1)
    };
    o.arrive(drop).unwrap();
    assert!(o.arrive(arrive(2)).unwrap().1);
    assert!(o.test_parity(0));
    assert!(
        o.arrive(arrive(2)).unwrap().1,
        "later phases expect one less"
    );
    assert!(o.test_parity(1));
    o.arrive(drop).unwrap();
    assert_eq!(o.arrive(drop), Err(Misuse::DropsAll));
}

#[test]
fn misuse() {
    assert_eq!(Object::new(0), Err(Misuse::Count(0)));
    assert_eq!(
        Object::new(MAX_COUNT + 1),
        Err(Misuse::Count(MAX_COUNT + 1))
    );
    let fresh = || Object::new(2).unwrap();
    assert_eq!(fresh().arrive(arrive(0)), Err(Misuse::Count(0)));
    assert_eq!(fresh().arrive(arrive(3)), Err(Misuse::OverArrival(3, 2)));
    let no_complete = Arrival {
        no_complete: true,
        ..arrive(2)
    };
    assert_eq!(fresh().arrive(no_complete), Err(Misuse::Completes));
    let mut o = fresh();
    o.expect_tx(MAX_COUNT).unwrap();
    assert_eq!(
        o.expect_tx(1),
        Err(Misuse::TxRange(i64::from(MAX_COUNT) + 1))
    );
    let mut o = fresh();
    o.complete_tx(MAX_COUNT).unwrap();
    assert_eq!(
        o.complete_tx(1),
        Err(Misuse::TxRange(-i64::from(MAX_COUNT) - 1))
    );
    let mut o = fresh();
    o.arrive(arrive(2)).unwrap();
    assert_eq!(o.arrive(arrive(1)), Err(Misuse::MissingWait));
    let mut o = Object::new(MAX_COUNT).unwrap();
    assert_eq!(o.increment(), Err(Misuse::PendingRange));
}

/// 64 threads write, arrive and wait; then each reads what another wrote. By state and by parity.
const SHARED: &str = ".shared .align 8 .b64 bar; .shared .align 4 .b32 s[64];";

fn exchange(arrive: &str, wait: &str, count: u32) -> String {
    kernel(
        1,
        SHARED,
        &format!(
            "setp.ne.u32 %p0, %r0, 0;
            @!%p0 mbarrier.init.shared::cta.b64 [bar], {count};
            bar.sync 0;
            mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
            mad.lo.u32 %r4, %r0, 3, 7;
            st.shared.u32 [%r3], %r4;
            {arrive}
            {wait}
            xor.b32 %r5, %r2, 252; add.u32 %r5, %r1, %r5;
            ld.shared.u32 %r6, [%r5];
            cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd0, %rd1;
            st.global.u32 [%rd1], %r6;"
        ),
    )
}

const BY_STATE: &str = "mbarrier.arrive.shared::cta.b64 %rd9, [bar];";
const WAIT_STATE: &str = "W: mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd9; @!%p1 bra W;";
const TEST_STATE: &str = "W: mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd9; @!%p1 bra W;";
const WAIT_PARITY: &str =
    "W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], 0; @!%p1 bra W;";

fn threads(arrive: &str, wait: &str, count: u32) -> Run {
    Run::new(exchange(arrive, wait, count), 64, vec![vec![0; 256]])
}

#[test]
fn threads_meet() {
    let right: Vec<u32> = (0..64).map(|i| (63 - i) * 3 + 7).collect();
    for (arrive, wait) in [
        (BY_STATE, WAIT_STATE),
        (BY_STATE, TEST_STATE),
        (
            "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];",
            WAIT_PARITY,
        ),
        ("mbarrier.arrive.shared::cta.b64 _, [bar], 1;", WAIT_PARITY),
    ] {
        assert_eq!(to_u32s(&threads(arrive, wait, 64).always()[0]), right);
    }
    // Without the wait, without the loop around it, or with a count that is too small: other values for some seed.
    let right = [u32s(right)];
    let once = "mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd9;";
    for (arrive, wait, count) in [(BY_STATE, "", 64), (BY_STATE, once, 64)] {
        assert!(
            threads(arrive, wait, count).breaks(&right),
            "{wait} {count}"
        );
    }
}

#[test]
fn who_waits_for_too_many_is_stuck() {
    let (name, text) = threads(BY_STATE, WAIT_STATE, 65).faults();
    assert_eq!(name, "stuck");
    assert!(text.contains("phase 0 of the mbarrier"), "{text}");
}

#[test]
fn faults_of_kernels() {
    let twice =
        "mbarrier.arrive.shared::cta.b64 _, [bar]; mbarrier.arrive.shared::cta.b64 _, [bar];";
    for (body, wanted) in [
        ("mbarrier.arrive.shared::cta.b64 _, [bar];".to_owned(), "never initialised"),
        (
            "mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.init.shared::cta.b64 [bar], 1;".to_owned(),
            "initialised again",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.inval.shared::cta.b64 [bar]; \
             mbarrier.arrive.shared::cta.b64 _, [bar];"
                .to_owned(),
            "invalidated",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar], 1; st.shared.u32 [bar+4], 0;".to_owned(),
            "only mbarrier instructions",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar], 1; ld.shared.u64 %rd9, [bar];".to_owned(),
            "only mbarrier instructions",
        ),
        (
            format!("mbarrier.init.shared::cta.b64 [bar], 1; {twice}"),
            "before any wait",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar], 2; mbarrier.arrive.shared::cta.b64 _, [bar], 3;".to_owned(),
            "3 arrivals",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.noComplete.shared::cta.b64 _, [bar], 1;".to_owned(),
            ".noComplete",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar], 1048576;".to_owned(),
            "1048576",
        ),
        (
            "mbarrier.init.shared::cta.b64 [bar+4], 1;".to_owned(),
            "multiple of 8",
        ),
    ] {
        let run = Run::new(kernel(0, SHARED, &body), 1, vec![]);
        let (_, text) = run.faults();
        assert!(text.contains(wanted), "{body}: {text}");
    }
}

/// After `inval` the bytes are memory again, and an object can be made there again.
#[test]
fn lives_of_an_object() {
    let body = "mbarrier.init.shared::cta.b64 [bar], 1;
        mbarrier.arrive.shared::cta.b64 %rd9, [bar];
        mbarrier.pending_count.b64 %r1, %rd9;
        st.global.u32 [%rd0], %r1;
        W: mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd9; @!%p1 bra W;
        mbarrier.inval.shared::cta.b64 [bar];
        st.shared.u32 [bar], 17; ld.shared.u32 %r2, [bar];
        st.global.u32 [%rd0+4], %r2;
        mbarrier.init.shared::cta.b64 [bar], 5;
        mbarrier.arrive.shared::cta.b64 %rd9, [bar], 2;
        mbarrier.arrive.shared::cta.b64 %rd9, [bar];
        mbarrier.pending_count.b64 %r1, %rd9;
        st.global.u32 [%rd0+8], %r1;";
    let run = Run::new(kernel(1, SHARED, body), 1, vec![vec![0; 12]]);
    assert_eq!(to_u32s(&run.always()[0]), [1, 17, 3]);
}

/// A ring of one slot between a producer and a consumer: full and empty, by parity, for several rounds.
#[test]
fn producer_and_consumer() {
    let ring = |empty_wait: &str| {
        kernel(
            1,
            ".shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 s;",
            &format!(
                "setp.ne.u32 %p0, %r0, 0;
                @%p0 bra READY;
                mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [empty], 1;
                READY: bar.sync 0;
                mov.u32 %r1, 0;
                @%p0 bra CONSUME;
                PRODUCE: and.b32 %r2, %r1, 1; xor.b32 %r2, %r2, 1;
                {empty_wait}
                mul.lo.u32 %r3, %r1, %r1;
                st.shared.u32 [s], %r3;
                mbarrier.arrive.shared::cta.b64 _, [full];
                add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra PRODUCE;
                bra END;
                CONSUME: and.b32 %r2, %r1, 1;
                F: mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], %r2; @!%p2 bra F;
                ld.shared.u32 %r3, [s];
                mbarrier.arrive.shared::cta.b64 _, [empty];
                mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r3;
                add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra CONSUME;
                END:"
            ),
        )
    };
    let wait = "E: mbarrier.try_wait.parity.shared::cta.b64 %p2, [empty], %r2; @!%p2 bra E;";
    let right: Vec<u32> = (0..9).map(|i| i * i).collect();
    let run = |text| Run::new(text, 2, vec![vec![0; 36]]);
    assert_eq!(to_u32s(&run(ring(wait)).always()[0]), right);
    assert!(run(ring("")).breaks(&[u32s(right)]));
}
