//! Data that the build of the page passes to the server (`ui/first-paint.ts`).

use std::{collections::HashMap, fmt::Write as _, sync::LazyLock};

use axum::http::HeaderValue;
use serde::Deserialize;

use super::find;

/// The file with the parts, which no browser needs.
pub(super) const PARTS: &str = "page.json";

/// Parts of the document outside its HTML.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageParts {
    /// Hashes of the styles written into the document, in the form of a content security policy.
    styles: Vec<String>,
    scripts: Vec<String>,
    /// The files of each screen's code.
    screens: HashMap<String, Vec<String>>,
}

/// Empty if the page was not built.
static FOUND: LazyLock<PageParts> = LazyLock::new(|| {
    find(PARTS).map_or_else(PageParts::default, |file| {
        serde_json::from_slice(file.bytes).expect("the build of the page writes it")
    })
});

/// Allows only the page's own files, the contents of its document, connections back to its own server and images embedded in
/// its style.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let own =
        |hashes: &[String]| hashes.iter().flat_map(|hash| [" '", hash.as_str(), "'"]).collect::<String>();
    let policy = format!(
        "default-src 'none'; script-src 'self'{}; style-src 'self'{}; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        own(&FOUND.scripts),
        own(&FOUND.styles)
    );
    HeaderValue::from_str(&policy).expect("hashes are plain letters")
});

/// The content security policy of every answer.
pub(crate) fn content_security_policy() -> HeaderValue {
    POLICY.clone()
}

/// Elements that preload the code of a screen.
pub(super) fn preloads(screen: &str) -> String {
    let screen = if screen.is_empty() { "play" } else { screen };
    let files = FOUND.screens.get(screen).map_or(&[][..], Vec::as_slice);
    files.iter().fold(String::new(), |mut links, file| {
        write!(links, "<link rel=\"modulepreload\" crossorigin href=\"{file}\">")
            .expect("a String takes everything");
        links
    })
}
