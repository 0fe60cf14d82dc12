//! Says what is being done and how long each step took.

use std::time::{Duration, Instant};

/// The steps of one task, in order.
#[derive(Debug)]
pub(crate) struct Steps {
    began: Instant,
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Starts the clock.
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            done: Vec::new(),
        }
    }

    /// Runs one step. It is timed when it fails as well.
    pub(crate) fn step<T, E>(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        println!("==> {name}");
        let began = Instant::now();
        let result = work();
        let took = began.elapsed();
        let word = if result.is_ok() { "done" } else { "failed" };
        println!("    {word} in {}", seconds(took));
        self.done.push((name.to_owned(), took));
        result
    }

    /// Prints the steps with their times, and the sum.
    pub(crate) fn summary(&self) {
        println!();
        for (name, took) in &self.done {
            println!("{:>9}  {name}", seconds(*took));
        }
        println!("{:>9}  altogether", seconds(self.began.elapsed()));
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
