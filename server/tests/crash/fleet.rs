//! Server processes on one database, and what happens to them.

use tokio::sync::watch;

use crate::common::cluster::Cluster;
use crate::common::database::Database;
use crate::process::Process;

/// What the clients pay at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum On {
    /// One server on a file.
    Sqlite,
    /// So many servers on a PostgreSQL that waits for the disk.
    Postgres(usize),
}

/// What is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prey {
    /// A server, with SIGKILL.
    Server,
    /// PostgreSQL: all of it ends without any tidying, and comes again.
    Database,
}

impl Prey {
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Self::Server => "kills",
            Self::Database => "restarts of PostgreSQL",
        }
    }
}

/// Where each server is, while it is there.
pub(crate) type Addresses = Vec<Option<String>>;

pub(crate) struct Fleet {
    servers: Vec<Option<Process>>,
    tell: watch::Sender<Addresses>,
    // In this order: the database goes before what it is on.
    database: Database,
    cluster: Option<Cluster>,
}

impl Fleet {
    pub(crate) fn start(on: On) -> Self {
        let (database, cluster, servers) = match on {
            On::Sqlite => (Database::sqlite(), None, 1),
            On::Postgres(servers) => {
                let cluster = Cluster::start(true);
                let database = Database::at(&cluster.url());
                (database, Some(cluster), servers)
            }
        };
        let mut fleet = Self {
            servers: (0..servers).map(|_| None).collect(),
            tell: watch::Sender::new(vec![None; servers]),
            database,
            cluster,
        };
        (0..servers).for_each(|at| fleet.revive(at));
        fleet
    }

    pub(crate) fn addresses(&self) -> watch::Receiver<Addresses> {
        self.tell.subscribe()
    }

    /// What runs here, in words.
    pub(crate) fn name(&self) -> String {
        match &self.cluster {
            None => String::from("one server on one SQLite file"),
            Some(cluster) => {
                let version = cluster.version();
                let version = version.trim().trim_start_matches("postgres (PostgreSQL) ");
                let version = version.split(' ').next().unwrap_or_default();
                let servers = self.servers.len();
                format!("{servers} server process(es) on one PostgreSQL {version}, fsync on")
            }
        }
    }

    /// Strikes, and mends it again. `draw` says which server it is.
    pub(crate) fn strike(&mut self, prey: Prey, draw: u64) {
        tokio::task::block_in_place(|| match prey {
            Prey::Server => {
                let at = usize::try_from(draw).unwrap() % self.servers.len();
                self.kill(at);
                self.revive(at);
            }
            Prey::Database => {
                self.cluster.as_ref().unwrap().crash();
                for server in self.servers.iter_mut().flatten() {
                    assert!(server.alive(), "it has to outlive its database");
                }
            }
        });
    }

    /// Strikes all there is: what was said has to survive that too.
    pub(crate) fn strike_all(&mut self) {
        tokio::task::block_in_place(|| {
            (0..self.servers.len()).for_each(|at| self.kill(at));
            if let Some(cluster) = &self.cluster {
                cluster.crash();
            }
            (0..self.servers.len()).for_each(|at| self.revive(at));
        });
    }

    fn kill(&mut self, at: usize) {
        self.servers[at].take().unwrap().kill();
        self.tell.send_modify(|addresses| addresses[at] = None);
    }

    fn revive(&mut self, at: usize) {
        let server = Process::start(&self.database);
        let url = Some(server.url.clone());
        self.servers[at] = Some(server);
        self.tell.send_modify(|addresses| addresses[at] = url);
    }
}
