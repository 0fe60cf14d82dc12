//! The protocol in virtual time, with faults, and the traces that it leaves.
//!
//! [`State`] is where the world stands and [`Move`] what can happen next, with no
//! notion of time, so that every interleaving can be enumerated. [`run()`] adds
//! virtual time and a script of faults and writes down [`Fact`]s; a [`Trace`]
//! cuts them into steps, and a [`Frame`] is what is to be seen after some of them.

pub mod explore;
mod fact;
mod frame;
mod live;
mod moves;
mod moves_text;
mod narrate;
mod run;
mod scenario;
mod state;
mod trace;
mod work;

pub use fact::{Actor, Answered, Asked, Call, Fact, Found, LiveFact, Said, What};
pub use frame::{Belief, Fate, Frame, KeyLine, KeyStage, LedgerLine, Waiting};
pub use live::{ClientFact, merge};
pub use moves::{Effect, ImpossibleMove, Move};
pub use moves_text::NoMove;
pub use narrate::{charge_name, key_name};
pub use run::{Setup, Timing, run};
pub use scenario::Scenario;
pub use state::{
    BodyNo, Budget, ChargeNo, Client, ClientNo, Entry, Flight, FlightNo, KeyUse, Phase, Place,
    Rules, State,
};
pub use trace::{Aside, Step, Trace};

#[cfg(test)]
mod tests;
