//! What the client believes beside what is true.

use super::shot::Shot;
use super::words;
use leptos::prelude::*;

/// Two columns whose rows are held against each other.
#[component]
pub fn Compare(
    /// What is shown.
    shot: Memo<Shot>,
) -> impl IntoView {
    let rows = move || {
        shot.with(|shot| words::versus(&shot.frame))
            .into_iter()
            .map(|row| {
                view! {
                    <tr class="c-lab">
                        <th colspan="2" scope="rowgroup">
                            {row.about}
                        </th>
                    </tr>
                    <tr class="c-val" class:diff=row.differ>
                        <td>{row.believed}</td>
                        <td>{row.actual}</td>
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <table class="cmp">
            <thead>
                <tr>
                    <th scope="col" class="tone-client">
                        <span>"What the client believes"</span>
                    </th>
                    <th scope="col" class="tone-server">
                        <span>"What is true"</span>
                    </th>
                </tr>
            </thead>
            <tbody>
                <tr class="big">
                    <td>
                        <output name="belief" aria-live="off">
                            {move || shot.with(|shot| words::belief(&shot.frame))}
                        </output>
                    </td>
                    <td>
                        <output name="truth" aria-live="off">
                            {move || shot.with(|shot| words::truth(&shot.frame))}
                        </output>
                    </td>
                </tr>
                {rows}
            </tbody>
        </table>
    }
}
