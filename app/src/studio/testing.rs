//! What the tests of the tools share.

/// The text of the figure of that name, which has to stand there once.
pub(super) fn figure(html: &str, name: &str) -> String {
    let start = format!("<output name=\"{name}\"");
    assert_eq!(html.matches(&start).count(), 1, "{name} stands once");
    let (_, rest) = html.split_once(&start).unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    let (inside, _) = rest.split_once("</output>").unwrap();
    // Without what only sets its digits apart.
    let parts = inside.split('<').map(|it| it.rsplit('>').next().unwrap());
    parts.collect()
}
