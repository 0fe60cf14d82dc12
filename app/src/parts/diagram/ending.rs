//! A small picture of one attempt that is never answered.

use super::pen::{Ink, Pen};
use model::world::{Fact, Said, What};

/// How an attempt ended on the side that the client cannot see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    request_lost: bool,
    crashed: bool,
    reply_lost: bool,
    charged: bool,
}

impl Ending {
    /// Reads it off what happened.
    #[must_use]
    pub fn of(facts: &[Fact]) -> Self {
        let mut ending = Self::default();
        for fact in facts {
            match &fact.what {
                What::RequestLost => ending.request_lost = true,
                What::Crashed => ending.crashed = true,
                What::ReplyLost => ending.reply_lost = true,
                What::Charged {
                    said: Said::Final { .. },
                    ..
                } => ending.charged = true,
                _ => {}
            }
        }
        ending
    }

    /// Draws it in a field of 280 by 136.
    #[must_use]
    pub fn draw(self, waited: &str) -> String {
        let (client, api, top) = (36, 248, 48);
        let mut pen = Pen::default();
        pen.rect("mini-seen", 0, 0, 124, 136);
        pen.text("mini-head c-client", client, 18, "middle", "Shop app");
        pen.text("mini-head c-server", api, 18, "middle", "API");
        pen.path("x-life", "M36 28V128M248 28V128");
        pen.rect("f-client", 32, top, 8, 72);
        pen.path("x-cur x-cur-client", "M27 120h18");
        pen.text("", 50, 116, "start", &format!("{waited}, nothing"));
        if self.request_lost {
            // It is lost where the client cannot see it.
            pen.path("x-lost", &format!("M{} {top}h74", client + 5));
            pen.lost(client + 79, api, top, "paper", false);
            return pen.finish();
        }
        pen.arrow(client + 5, api - 5, top, false, Ink::Past);
        pen.rect(
            "x-busy-fill",
            244,
            top,
            8,
            if self.crashed { 32 } else { 44 },
        );
        if self.charged {
            pen.taken(api, 70, true, false);
            pen.text("x-lab mini-head c-ledger", 235, 75, "end", "charged");
        }
        if self.crashed {
            pen.cross(api, 84);
            pen.text("x-lost-word", 233, 89, "end", "crashes");
        }
        if self.reply_lost {
            pen.lost(api - 5, client, 92, "paper", false);
        }
        pen.finish()
    }
}
