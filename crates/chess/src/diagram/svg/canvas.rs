//! The shapes of an SVG file.

use std::fmt::{Arguments, Write as _};

/// Fonts with the symbols of pieces.
const FONTS: &str = "DejaVu Sans, Noto Sans Symbols2, Segoe UI Symbol, Arial Unicode MS, sans-serif";

/// Colour of texts.
const INK: &str = "#222";

/// A point, or a size.
pub(super) type Pair = (f32, f32);

/// A drawing that shapes are added to, each over the earlier ones.
pub(super) struct Canvas(String);

impl Canvas {
    pub(super) fn new((width, height): Pair) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"{FONTS}\">\n"
        ))
    }

    pub(super) fn finish(self) -> String {
        self.0 + "</svg>\n"
    }

    fn add(&mut self, shape: Arguments<'_>) {
        // Writing to a text does not fail.
        let _ = self.0.write_fmt(shape);
        self.0.push('\n');
    }

    /// A rectangle by its left upper corner and its size; nothing if it is transparent.
    pub(super) fn rectangle(&mut self, (x, y): Pair, (width, height): Pair, fill: &str, opacity: f32) {
        if opacity > 0.0 {
            self.add(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" \
                 fill-opacity=\"{opacity:.2}\"/>"
            ));
        }
    }

    /// A text around a point.
    pub(super) fn text(&mut self, (x, y): Pair, size: f32, text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{INK}\" text-anchor=\"middle\" \
             dominant-baseline=\"central\">{text}</text>"
        ));
    }

    /// A text that begins at a point.
    pub(super) fn line_of_text(&mut self, (x, y): Pair, size: f32, text: &str) {
        let text = escaped(text);
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{INK}\">{text}</text>"));
    }

    /// A piece around a point. The variation selector chooses a symbol instead of a coloured picture.
    pub(super) fn piece(&mut self, (x, y): Pair, size: f32, symbol: char, is_white: bool) {
        let (fill, stroke) = if is_white { ("#fff", "#000") } else { ("#000", "#fff") };
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"0.8\" \
             text-anchor=\"middle\" dominant-baseline=\"central\">{symbol}\u{fe0e}</text>"
        ));
    }

    /// A straight line.
    pub(super) fn line(&mut self, (x1, y1): Pair, (x2, y2): Pair, width: f32, colour: &str) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width:.1}\" stroke-opacity=\"0.7\"/>"
        ));
    }

    /// A line with a head that ends at `to`.
    pub(super) fn arrow(&mut self, from: Pair, to: Pair, width: f32, colour: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
        let (head, half) = (2.5 * width, 1.2 * width);
        let base = (to.0 - head * along.0, to.1 - head * along.1);
        self.line(from, base, width, colour);
        self.add(format_args!(
            "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"{colour}\" fill-opacity=\"0.7\"/>",
            to.0,
            to.1,
            half.mul_add(across.0, base.0),
            half.mul_add(across.1, base.1),
            half.mul_add(-across.0, base.0),
            half.mul_add(-across.1, base.1)
        ));
    }

    /// A text on a light plate around a point.
    pub(super) fn label(&mut self, (x, y): Pair, text: &str) {
        let width = 8.0 * text.chars().count() as f32 + 6.0;
        self.rectangle((x - width / 2.0, y - 8.0), (width, 16.0), "#fff", 0.85);
        self.text((x, y), 12.0, text);
    }
}

/// A text in which no character is part of the markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
