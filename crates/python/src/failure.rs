//! The one exception of the package.

use std::{any::Any, fmt::Display};

use chess::Panicked;
use pyo3::{PyErr, create_exception, exceptions::PyValueError};

create_exception!(
    tabiya,
    Error,
    PyValueError,
    "An argument or a file cannot be used: the message says where, what was found and what was expected."
);

/// The exception with the program's message.
pub(crate) fn failure(message: impl Display) -> PyErr {
    Error::new_err(message.to_string())
}

/// The exception for a thread that panicked, which is a defect of this program.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    failure(format_args!("a bug in tabiya, please report it: {}", Panicked::new(panic).message))
}
