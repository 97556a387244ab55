//! A network of a weights file.

use crate::{
    container::Matrix,
    planes::lc0::{
        container,
        description::Description,
        error::{Lc0Error, Lc0Problem},
        format,
        heads::Heads,
        reader::Reader,
    },
    spec::PlaneSpec,
};

/// An lc0 network.
#[derive(Clone, Debug)]
pub struct Lc0Network {
    /// Metadata from the header.
    pub description: Description,
    /// Encodings, body and heads.
    pub spec: PlaneSpec,
    /// The matrices that the specification has, in any order, with batch normalisation folded into the weights.
    pub(crate) matrices: Vec<Matrix>,
}

impl Lc0Network {
    /// Reads a weights file's content, compressed or not; `file` names it in errors.
    ///
    /// # Errors
    /// [`Lc0Error`] with the file and the problem.
    pub fn from_bytes(bytes: &[u8], file: &str, heads: Heads) -> Result<Self, Lc0Error> {
        Self::parse(bytes, heads).map_err(|problem| Lc0Error { file: file.into(), problem })
    }

    fn parse(bytes: &[u8], heads: Heads) -> Result<Self, Lc0Problem> {
        let net = container::decode(bytes)?;
        let format = format::format(&net)?;
        let weights =
            net.weights.as_deref().ok_or_else(|| Lc0Problem::Missing { layer: "weights".into() })?;
        let (spec, matrices) = Reader::read(format, heads, weights)?;
        Ok(Self { description: Description::of(net), spec, matrices })
    }
}
