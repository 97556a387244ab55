//! Tables for terminals.

use comfy_table::{CellAlignment, Table, presets::NOTHING};

/// A table with column headers. The first column is left-aligned, the others are right-aligned. Lines have no trailing white
/// space, and there is no line break after the last.
pub fn text_table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.iter().copied()).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_below_each_other() {
        let rows = [["all", "7"], ["1500-1599", "1200"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(
            text_table(&["rating", "games"], rows),
            "  rating     games\n  all            7\n  1500-1599   1200"
        );
    }
}
