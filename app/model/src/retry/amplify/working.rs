//! The multiplication, step by step.

use super::{Count, Stack};

/// One line of the working.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What happens, in a sentence.
    pub text: String,
    /// The sum, "9 × 3 = 27"; empty for the first line.
    pub sum: String,
    /// The calls so far.
    pub calls: u128,
}

/// How the worst case comes about, from the user's request to the bottom.
#[must_use]
pub fn working(stack: &Stack) -> Vec<Step> {
    let mut calls = 1_u128;
    let mut steps = vec![Step {
        text: "The user sends one request.".to_owned(),
        sum: String::new(),
        calls,
    }];
    let last = stack.layers.len();
    for (layer, attempts) in (1..).zip(&stack.layers) {
        let before = calls;
        calls = calls.saturating_mul(u128::from(*attempts));
        let each = match before {
            1 => "the request".to_owned(),
            _ => format!("each of the {}", Count::Exact(before)),
        };
        let whom = if layer == last {
            "the service at the bottom".to_owned()
        } else {
            format!("layer {}", layer + 1)
        };
        let text = match attempts {
            1 => format!("Layer {layer} calls {whom} once for {each}."),
            _ => format!(
                "Layer {layer} calls {whom} up to {attempts} times for {each}: once, and {} more.",
                attempts - 1
            ),
        };
        steps.push(Step {
            text,
            sum: format!(
                "{} × {attempts} = {}",
                Count::Exact(before),
                Count::Exact(calls)
            ),
            calls,
        });
    }
    steps
}
