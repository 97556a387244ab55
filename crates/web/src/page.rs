//! The files of the page, which are part of the program.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::LazyLock,
};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use crate::{compress::takes_gzip, first_paint::FirstBoard};

/// One file of the built page.
struct PageFile {
    /// Path below the root, without a leading slash.
    path: &'static str,
    bytes: &'static [u8],
    /// The content compressed with gzip when the page was built.
    gzipped: Option<&'static [u8]>,
}

static FILES: &[PageFile] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The document that holds every screen; the page's own router reads the address.
const DOCUMENT: &str = "index.html";

/// The document of `tabiya report`, with its script and style inline and a place for the results.
const REPORT: &str = "report.html";

/// Marks the place of the results in that document.
const REPORT_MARK: &str = "<script type=\"application/json\" id=\"report\">";

/// The default theme in the document, replaced by the reader's so that the first paint has the right colours.
const THEME_MARK: &str = "data-theme=\"auto\"";

/// Marks the place of the board of the first paint; the outlines of a board's screen surround it.
const BOARD_MARK: &str = "<!--board-->";

/// Marks the place of the CSS classes of the board's screen.
const LAYOUT_MARK: &str = "<!--layout-->";

/// Marks the place of the moves that the board accepts before any script of the page has loaded.
const MOVES_MARK: &str = " data-moves=\"\"";

/// Marks the place of the preload links to the files of the screen, so that the browser requests them at once.
const PRELOAD_MARK: &str = "<!--preload-->";

/// These enclose the outlines of a board's screen; a text screen has none.
const OUTLINE_MARKS: [&str; 2] = ["<!--outline-->", "<!--/outline-->"];

/// Data that the build of the page passes to the server (`ui/first-paint.ts`); no browser needs the file.
const PARTS: &str = "page.json";

/// Content of that file: parts of the document outside its HTML.
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
    let policy = format!(
        "default-src 'none'; script-src 'self'{}; style-src 'self'{}; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        quoted(&FOUND.scripts),
        quoted(&FOUND.styles)
    );
    HeaderValue::from_str(&policy).expect("hashes are plain letters")
});

/// Hashes as sources of a policy, each with a space before it.
fn quoted(hashes: &[String]) -> String {
    hashes.iter().flat_map(|hash| [" '", hash.as_str(), "'"]).collect()
}

/// The content security policy of every answer.
pub(crate) fn content_security_policy() -> HeaderValue {
    POLICY.clone()
}

/// Elements that preload the code of a screen.
fn preloads(screen: &str) -> String {
    let screen = if screen.is_empty() { "play" } else { screen };
    let mut links = String::new();
    for file in FOUND.screens.get(screen).into_iter().flatten() {
        links.extend(["<link rel=\"modulepreload\" crossorigin href=\"", file.as_str(), "\">"]);
    }
    links
}

/// A hash that changes with the page, computed from its document, which names every other file with a hash of
/// its content.
pub(crate) fn build() -> String {
    let mut hasher = DefaultHasher::new();
    find(DOCUMENT).map_or(&[][..], |file| file.bytes).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The document of a screen, in the theme that the reader's cookie names, with the board of its address.
pub(crate) fn document(
    headers: &HeaderMap,
    status: StatusCode,
    screen: &str,
    board: Option<&FirstBoard>,
) -> Response {
    let Some(file) = find(DOCUMENT) else { return StatusCode::NOT_FOUND.into_response() };
    let text = String::from_utf8_lossy(file.bytes);
    let theme = theme(headers).unwrap_or("auto");
    let marks = format!("data-theme=\"{theme}\" data-build=\"{}\"", build());
    let text = text.replacen(THEME_MARK, &marks, 1).replacen(PRELOAD_MARK, &preloads(screen), 1);
    let text = match board {
        Some(board) => text
            .replacen(LAYOUT_MARK, board.layout(), 1)
            .replacen(MOVES_MARK, &board.moves(), 1)
            .replacen(BOARD_MARK, &board.html(), 1),
        None => without_outline(&text),
    };
    let fixed = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (status, fixed, text).into_response()
}

fn without_outline(text: &str) -> String {
    let [begin, end] = OUTLINE_MARKS;
    let parts = text.split_once(begin).and_then(|(head, rest)| Some((head, rest.split_once(end)?.1)));
    parts.map_or_else(|| text.to_owned(), |(head, tail)| format!("{head}{tail}"))
}

/// The results view of the page as one file, around the JSON of a report. `None` if the page is not part of the program.
pub fn report_page(json: &str) -> Option<String> {
    let page = String::from_utf8_lossy(find(REPORT)?.bytes);
    // Inside a script nothing is escaped and only `<` can end it; JSON has no `<` outside its strings.
    let json = json.replace('<', "\\u003c");
    let (head, rest) = page.split_once(REPORT_MARK)?;
    Some(format!("{head}{REPORT_MARK}{json}{rest}"))
}

/// A file other than the documents.
pub(crate) fn file(path: &str, headers: &HeaderMap) -> Option<Response> {
    let file =
        find(path.trim_start_matches('/')).filter(|file| ![DOCUMENT, REPORT, PARTS].contains(&file.path))?;
    let (bytes, compressed) = match file.gzipped.filter(|_| takes_gzip(headers)) {
        Some(bytes) => (bytes, true),
        None => (file.bytes, false),
    };
    let mut response = Response::new(Body::from(bytes));
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(file.path)));
    // Names below assets/ carry a hash of the content, so a cached copy never goes stale.
    let lasting = file.path.starts_with("assets/");
    let caching = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    fields.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if compressed {
        fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Some(response)
}

fn find(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn theme(headers: &HeaderMap) -> Option<&'static str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    cookies.split(';').find_map(|cookie| match cookie.trim() {
        "theme=light" => Some("light"),
        "theme=dark" => Some("dark"),
        _ => None,
    })
}
