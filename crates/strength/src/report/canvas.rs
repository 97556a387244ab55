//! What all charts share: a surface, its colours, and text that is readable on a light and on a dark page.

use plotters::{
    coord::Shift,
    prelude::{DrawingArea, IntoDrawingArea as _, IntoFont as _, RGBColor, SVGBackend, Text},
    style::{
        TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::figure::FigureError;

/// Width of every chart.
pub(super) const WIDTH: u32 = 760;

/// Text and axes. In the image it is the page's own colour of text, see [`THEME`].
pub(super) const INK: RGBColor = RGBColor(128, 128, 128);

/// Colours of the series, of middling lightness to stand out from white and from black, told apart by people who see no red
/// or green (the first four after Okabe and Ito, "Color Universal Design", 2008).
pub(super) const COLOURS: [RGBColor; 6] = [
    RGBColor(20, 126, 196),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(136, 106, 214),
    RGBColor(166, 118, 29),
];

/// Dark text on light pages, light text on dark ones, also where the image is shown by itself.
const THEME: &str =
    "<style>.chart{color:#3c3c3c}@media (prefers-color-scheme:dark){.chart{color:#d0d0d0}}</style>";

/// The surface of a chart.
pub(super) type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// An SVG image of this height.
pub(super) fn image(
    title: &str,
    height: u32,
    draw: impl FnOnce(&Canvas<'_>) -> Result<(), String>,
) -> Result<String, FigureError> {
    let failed = |reason: String| FigureError { title: title.into(), reason };
    let mut image = String::new();
    {
        let root = SVGBackend::with_string(&mut image, (WIDTH, height)).into_drawing_area();
        draw(&root).map_err(failed)?;
        root.present().map_err(|error| failed(error.to_string()))?;
    }
    // The library writes fixed sizes and colours; a view box lets the page scale the image, and its colour be the page's.
    let fixed = format!("width=\"{WIDTH}\" height=\"{height}\"");
    let label = format!("class=\"chart\" role=\"img\" aria-label=\"{}\"", escape(title));
    let image = image.replacen(&fixed, &label, 1).replace("\"#808080\"", "\"currentColor\"");
    match image.split_once('>') {
        Some((head, rest)) => Ok(format!("{head}>{THEME}{rest}")),
        None => Err(failed("the library drew no image".into())),
    }
}

/// Text in the colour of the page.
pub(super) fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Writes text around a point.
pub(super) fn write(
    canvas: &Canvas<'_>,
    words: &str,
    place: (i32, i32),
    (size, side): (i32, HPos),
) -> Result<(), String> {
    let style = text(size).pos(Pos::new(side, VPos::Center));
    canvas.draw(&Text::new(words.to_string(), place, style)).map_err(|error| error.to_string())
}

/// Text inside HTML or an attribute.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
