//! Shutdown as a value: who has to end is told, and who still works is waited for.

use std::future::Future;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Told to everything that would otherwise go on.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    begun: CancellationToken,
    attempts: TaskTracker,
}

impl Shutdown {
    /// Begins the shutdown.
    pub fn begin(&self) {
        self.begun.cancel();
    }

    /// Waits until the shutdown has begun.
    pub async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// Runs an attempt in a task of its own, which no disconnect cancels and for
    /// which the shutdown waits.
    pub fn spawn_attempt(&self, attempt: impl Future<Output = ()> + Send + 'static) {
        self.attempts.spawn(attempt);
    }

    /// Waits for the running attempts, but no longer than this. Says whether all ended.
    pub async fn attempts_ended(&self, at_most: Duration) -> bool {
        self.attempts.close();
        tokio::time::timeout(at_most, self.attempts.wait())
            .await
            .is_ok()
    }
}

/// Goes on when a file may not grow any more (`ulimit -f`): that is an error of the
/// write that met it, as a full disk is, and no reason to end the process, which is
/// what the system does with a process that has no handler for it.
///
/// # Errors
/// When there can be no handler.
#[cfg(unix)]
pub fn outlive_file_limit() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    // The handler stays for the life of the process, though nobody listens.
    signal(SignalKind::from_raw(libc::SIGXFSZ)).map(drop)
}

/// Listens for SIGTERM and SIGINT from now on, and resolves at the first of them.
///
/// Called before anybody is told that the server is ready: a signal that comes
/// right after that must not find the system's default, which ends the process.
///
/// # Errors
/// When the signals cannot be listened to.
pub fn signal() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
