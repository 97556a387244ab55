//! Tables of values separated by commas (RFC 4180), semicolons or tabs, one row per line; a field in quotes may go over several lines.

use std::{borrow::Cow, collections::VecDeque};

use super::{
    BadReason, Problem, Source,
    input::Input,
    lines::MAX_ROW_LINES,
    rows::{RowReader, Rows},
};
use crate::record::{Place, Record};

/// The columns of a table by the names in its first line.
pub struct Columns {
    names: Vec<String>,
    separator: char,
}

impl Columns {
    /// The columns of a heading; with a tab in it, tabs separate the fields, and with semicolons instead of commas, semicolons.
    ///
    /// # Errors
    /// A quote that does not end, with the reason.
    pub fn new(heading: &str) -> Result<Self, Problem> {
        let separator = separator(heading);
        let names = fields(heading, separator)?.into_iter().map(|name| name.trim().to_owned()).collect();
        Ok(Self { names, separator })
    }

    /// The columns of a table without a heading, by the number and separator of its fields.
    pub(super) fn of_row(names: &[&str], row: &str) -> Option<Self> {
        let separator = separator(row);
        let count = fields(row, separator).ok()?.len();
        (count <= names.len())
            .then(|| Self { names: names[..count].iter().map(|&name| name.into()).collect(), separator })
    }

    /// True if the last field of a row is in quotes that have not ended.
    pub fn is_open(&self, row: &str) -> bool {
        // Most rows have no quotes.
        row.contains('"') && matches!(fields(row, self.separator), Err(TableError::OpenQuote))
    }

    /// True if there is such a column.
    pub fn contain(&self, name: &str) -> bool {
        self.names.iter().any(|column| column == name)
    }

    /// Splits a line into one field per column.
    ///
    /// # Errors
    /// A wrong number of fields, with the reason.
    pub fn row<'a>(&'a self, line: &'a str) -> Result<Row<'a>, Problem> {
        let fields = fields(line, self.separator)?;
        if fields.len() != self.names.len() {
            let detail =
                format!("{} fields, expected {}: {}", fields.len(), self.names.len(), self.names.join(","));
            return Err(Problem::new(BadReason::BadSyntax, detail));
        }
        Ok(Row { columns: self, line, fields })
    }
}

/// A line of a table.
pub struct Row<'a> {
    columns: &'a Columns,
    line: &'a str,
    fields: Vec<Cow<'a, str>>,
}

impl Row<'_> {
    /// The field of a column; empty if the table lacks it.
    pub fn field(&self, name: &str) -> &str {
        let place = self.columns.names.iter().position(|column| column == name);
        place.map_or("", |place| &self.fields[place])
    }

    /// True if the table has such a column.
    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.contain(name)
    }

    /// The whole line.
    pub(super) fn line(&self) -> &str {
        self.line
    }

    /// The number in a column; none if the field is empty, or has the word for nothing of another program.
    pub(super) fn number<N: std::str::FromStr>(&self, name: &str) -> Result<Option<N>, Problem> {
        let field = self.field(name).trim();
        if field.is_empty() || NOTHING.iter().any(|word| word.eq_ignore_ascii_case(field)) {
            return Ok(None);
        }
        field.parse().map(Some).map_err(|_| {
            Problem::new(BadReason::BadSyntax, format!("{name} is {field:?}, expected a number"))
        })
    }

    /// The rating in a column, where 0 stands for none.
    pub(super) fn rating(&self, name: &str) -> Result<Option<u16>, Problem> {
        Ok(self.number(name)?.filter(|&rating| rating > 0))
    }
}

/// A source for a table in which each row is read independently.
pub(super) fn open<F, R>(input: Input, read: F) -> Box<dyn Source>
where
    F: FnMut(&Row<'_>, &Place) -> Result<R, Problem> + 'static,
    R: IntoIterator<Item = Record> + 'static,
{
    Box::new(Rows::new(input, TableReader { columns: None, read }))
}

/// The same for a table without a heading.
pub(super) fn open_with<F, R>(input: Input, columns: Columns, read: F) -> Box<dyn Source>
where
    F: FnMut(&Row<'_>, &Place) -> Result<R, Problem> + 'static,
    R: IntoIterator<Item = Record> + 'static,
{
    Box::new(Rows::new(input, TableReader { columns: Some(columns), read }))
}

struct TableReader<F> {
    columns: Option<Columns>,
    read: F,
}

impl<F, R> RowReader for TableReader<F>
where
    F: FnMut(&Row<'_>, &Place) -> Result<R, Problem>,
    R: IntoIterator<Item = Record>,
{
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        match &self.columns {
            None => self.columns = Some(Columns::new(row)?),
            Some(columns) => records.extend((self.read)(&columns.row(row)?, place)?),
        }
        Ok(())
    }

    fn goes_on(&self, row: &str) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.is_open(row))
    }
}

/// What Python, pandas and databases write for a value that is missing.
const NOTHING: [&str; 4] = ["None", "nan", "NA", "null"];

/// Tabs separate the fields of a line that has one, semicolons those of a line that has them and no comma.
fn separator(line: &str) -> char {
    if line.contains('\t') {
        '\t'
    } else if line.contains(';') && !line.contains(',') {
        ';'
    } else {
        ','
    }
}

/// The first line of a text that is not blank.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// The first row of a text without a heading: its first line that is not blank, and those behind it over which a quoted field goes.
pub(super) fn first_row(text: &str) -> &str {
    let mut text = text;
    while let Some((line, behind)) = text.split_once('\n')
        && line.trim().is_empty()
    {
        text = behind;
    }
    let ends = text.match_indices('\n').map(|(end, _)| end).chain([text.len()]);
    for end in ends.take(MAX_ROW_LINES + 1) {
        let row = &text[..end];
        if !matches!(fields(row, separator(row)), Err(TableError::OpenQuote)) {
            return row;
        }
    }
    first_line(text)
}

/// True if a text begins with a heading that has these columns.
pub(super) fn has_columns(beginning: &str, wanted: &[&str]) -> bool {
    let heading = first_line(beginning).trim_end();
    Columns::new(heading).is_ok_and(|columns| wanted.iter().all(|wanted| columns.contain(wanted)))
}

/// The reason why a line is not a row of a table.
#[derive(Debug, PartialEq, Eq)]
enum TableError {
    OpenQuote,
    Behind(String),
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Self {
        let detail = match error {
            TableError::OpenQuote => "a quote without an end".to_owned(),
            TableError::Behind(found) => format!("{found:?} behind a quoted field"),
        };
        Self::new(BadReason::BadSyntax, detail)
    }
}

// By hand and not with a library for CSV, for the reasons in docs/dependencies.md: one bad line must be one bad record, with its line, and
// text behind a closing quote must be an error.

/// The fields of a row. Quotes around a field are removed, and two quotes in it become one.
fn fields(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, TableError> {
    // Most fields have no quotes and are slices of the line; only quoted ones are copied, because two quotes in them become one. A quote
    // counts at the beginning of a field alone: one within a plain field, as in measures or nicknames, is text.
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let (field, after) =
                rest.split_once(separator).map_or((rest, None), |(field, after)| (field, Some(after)));
            found.push(Cow::Borrowed(field));
            match after {
                Some(after) => rest = after,
                None => return Ok(found),
            }
            continue;
        };
        let mut field = String::new();
        let mut inside = quoted;
        rest = loop {
            let (part, after) = inside.split_once('"').ok_or(TableError::OpenQuote)?;
            field.push_str(part);
            match after.strip_prefix('"') {
                Some(more) => {
                    field.push('"');
                    inside = more;
                }
                None => break after,
            }
        };
        found.push(Cow::Owned(field));
        match rest.strip_prefix(separator) {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(found),
            None => return Err(TableError::Behind(rest.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(values in proptest::collection::vec("[a-z,\" ]{0,8}", 1..6)) {
            let quoted: Vec<String> =
                values.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect();
            let line = quoted.join(",");
            prop_assert_eq!(fields(&line, ',').unwrap(), values);
        }

        #[test]
        fn any_text_is_fields_or_an_error(text in "[a\", ]{0,20}") {
            let _ = fields(&text, ',');
        }
    }
}
