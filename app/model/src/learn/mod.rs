//! Questions and how they are graded.
