//! Results of every kind as one document to read: sections of text, tables and ratings.

pub mod document;
pub mod sections;
