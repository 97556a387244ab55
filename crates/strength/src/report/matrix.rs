//! A table of two yes-or-no questions as a chart: the darker a cell, the more is in it.

use plotters::{
    prelude::{Color as _, Rectangle},
    style::text_anchor::HPos,
};

use super::{
    canvas::{COLOURS, Canvas, INK, image, write},
    figure::FigureError,
};

const HEIGHT: u32 = 300;
/// Left and upper edge of the cells, and the size of one.
const CELLS: (i32, i32) = (300, 92);
const CELL: (i32, i32) = (200, 84);

/// Counts by the answers to two questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// What it shows.
    pub title: String,
    /// The question of the rows, with the words for yes and no.
    pub rows: [String; 3],
    /// The question of the columns, with the words for yes and no.
    pub columns: [String; 3],
    /// Counts of yes/yes, yes/no, no/yes and no/no.
    pub counts: [f64; 4],
}

impl Matrix {
    /// The chart as an SVG image.
    ///
    /// # Errors
    /// [`FigureError`] without any count, or when drawing fails.
    pub fn svg(&self) -> Result<String, FigureError> {
        image(&self.title, HEIGHT, |canvas| self.draw(canvas))
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), String> {
        let total: f64 = self.counts.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err("it counts nothing".into());
        }
        write(canvas, &self.title, (380, 18), (17, HPos::Center))?;
        let middle = CELLS.0 + CELL.0;
        write(canvas, &self.columns[0], (middle, CELLS.1 - 44), (13, HPos::Center))?;
        write(canvas, &self.rows[0], (CELLS.0 - 70, CELLS.1 + CELL.1), (13, HPos::Right))?;
        for half in 0..2_i32 {
            let (row, column) = (&self.rows[1 + half as usize], &self.columns[1 + half as usize]);
            let place = (CELLS.0 + CELL.0 * half + CELL.0 / 2, CELLS.1 - 18);
            write(canvas, column, place, (12, HPos::Center))?;
            let place = (CELLS.0 - 12, CELLS.1 + CELL.1 * half + CELL.1 / 2);
            write(canvas, row, place, (12, HPos::Right))?;
        }
        for (index, count) in self.counts.iter().enumerate() {
            let (row, column) = ((index / 2) as i32, (index % 2) as i32);
            let corner = (CELLS.0 + CELL.0 * column, CELLS.1 + CELL.1 * row);
            let opposite = (corner.0 + CELL.0, corner.1 + CELL.1);
            let shade = COLOURS[0].mix(0.05 + 0.6 * count / total).filled();
            let frame = INK.mix(0.5).stroke_width(1);
            for style in [shade, frame] {
                canvas.draw(&Rectangle::new([corner, opposite], style)).map_err(|error| error.to_string())?;
            }
            let centre = (corner.0 + CELL.0 / 2, corner.1 + CELL.1 / 2);
            write(canvas, &format!("{count:.0}"), (centre.0, centre.1 - 10), (18, HPos::Center))?;
            let share = format!("{:.1} %", 100.0 * count / total);
            write(canvas, &share, (centre.0, centre.1 + 14), (12, HPos::Center))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_stands_in_its_cell() {
        let words = |name: &str| [name.to_string(), "yes".into(), "no".into()];
        let matrix = Matrix {
            title: "t".into(),
            rows: words("first"),
            columns: words("second"),
            counts: [11.0, 22.0, 33.0, 34.0],
        };
        let svg = matrix.svg().unwrap();
        for expected in ["11.0 %", "22.0 %", "33.0 %", "34.0 %", "first", "second", "currentColor"] {
            assert!(svg.contains(expected), "{expected} is missing in {svg}");
        }
        assert!(Matrix { counts: [0.0; 4], ..matrix }.svg().is_err());
    }
}
