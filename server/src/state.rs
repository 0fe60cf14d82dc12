//! What every handler can reach.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::accounts::{Flow, Room, Sandboxes, Seen};
use crate::charges::driver::Driver;
use crate::charges::processor::Processor;
use crate::charges::store::{Ledger, Opened, Store};
use crate::config::Config;
use crate::lab::bus::{Ears, Outbox};
use crate::lab::live::Live;
use crate::lab::pods::Pods;
use crate::lab::settings::Settings;
use crate::metrics::Metrics;
use crate::orders::Orders;
use crate::shutdown::Shutdown;

/// The parts of the running service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App {
    /// Accounts, keys and charges.
    pub(crate) store: Arc<dyn Store>,
    /// The card processor's books, for the lab to show.
    pub(crate) ledger: Arc<dyn Ledger>,
    /// Who may make a sandbox.
    pub(crate) sandboxes: Arc<Sandboxes>,
    /// How fast each sandbox sends.
    pub(crate) flow: Arc<Flow>,
    /// How much each sandbox stores.
    pub(crate) room: Arc<Room>,
    /// Which sandboxes were used.
    pub(crate) seen: Arc<Seen>,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
    /// Orders and the queue.
    pub(crate) orders: Arc<dyn Orders>,
    /// Wakes the consumer.
    pub(crate) bell: Arc<Notify>,
    /// Where the requests of each sandbox run.
    pub(crate) pods: Arc<Pods>,
    /// The live traces.
    pub(crate) live: Arc<Live>,
    /// What other servers have to hear of, where there can be others.
    pub(crate) outbox: Option<Arc<Outbox>>,
    /// Runs attempts.
    pub(crate) driver: Driver,
    /// The settings of a sandbox that changed none.
    pub(crate) defaults: Settings,
    /// When to end.
    pub(crate) shutdown: Shutdown,
}

impl App {
    pub(crate) fn new(
        config: &Config,
        sandboxes: u32,
        opened: &Opened,
        shutdown: Shutdown,
    ) -> Self {
        let (store, ledger) = (opened.store.clone(), opened.ledger.clone());
        let metrics = Arc::<Metrics>::default();
        let outbox = opened.postgres().map(|_| Arc::<Outbox>::default());
        Self {
            flow: Arc::new(Flow::new(config.rate)),
            room: Arc::new(Room::new(config.records)),
            seen: Arc::default(),
            pods: Arc::default(),
            orders: opened.orders.clone(),
            bell: Arc::default(),
            sandboxes: Arc::new(Sandboxes::new(
                config.sandbox_rate,
                config.sandboxes,
                sandboxes,
            )),
            live: Arc::new(outbox.clone().map_or_else(Live::default, Live::shared)),
            outbox,
            driver: Driver::new(
                store.clone(),
                Processor::new(ledger.clone()),
                metrics.clone(),
            ),
            metrics,
            defaults: config.settings(),
            store,
            ledger,
            shutdown,
        }
    }

    /// What other servers can tell of.
    pub(crate) fn ears(&self) -> Ears {
        Ears {
            live: self.live.clone(),
            settled: self.driver.settled(),
            pods: self.pods.clone(),
            room: self.room.clone(),
        }
    }
}
