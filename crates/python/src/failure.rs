//! The one exception of the package.

use std::{any::Any, fmt::Display};

use pyo3::{PyErr, create_exception, exceptions::PyValueError};

create_exception!(
    tabiya,
    Error,
    PyValueError,
    "Something that was given cannot be used: the message says where, what was found and what was expected."
);

/// The exception with the program's message.
pub(crate) fn failure(message: impl Display) -> PyErr {
    Error::new_err(message.to_string())
}

/// The exception for a thread that panicked, which is a defect of this program.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    failure(format!("a defect of tabiya, please report it: {text}"))
}
