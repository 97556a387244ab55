//! Results of every kind as one readable document: sections of text, tables and ratings.

pub mod document;
pub mod sections;
