//! Files that clients send: they go to disk as they arrive, a few at a time, and together they are bounded.

use std::{
    io::Write as _,
    path::Path,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{body::HttpBody as _, extract::Request, http::StatusCode};
use tempfile::NamedTempFile;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

use crate::{
    app::App,
    error::ApiError,
    limits::{LARGEST_UPLOADS, MOST_UPLOADS, SLOWEST_UPLOAD},
};

/// The open uploads, including those whose files are still in use.
pub(crate) struct Uploads {
    places: Arc<Semaphore>,
    bytes: Arc<AtomicU64>,
}

impl Default for Uploads {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(MOST_UPLOADS)), bytes: Arc::default() }
    }
}

/// A file that has arrived.
pub(crate) struct Upload {
    pub(crate) file: NamedTempFile,
    /// Held until the file has been used.
    pub(crate) share: Share,
}

/// One upload's slot, and its bytes in the total. Dropping it releases both.
pub(crate) struct Share {
    _place: OwnedSemaphorePermit,
    received: u64,
    bytes: Arc<AtomicU64>,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.bytes.fetch_sub(self.received, Ordering::Relaxed);
    }
}

impl Uploads {
    /// A place for one more.
    fn share(&self) -> Result<Share, ApiError> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| busy(&format!("{MOST_UPLOADS} files are being sent")))?;
        Ok(Share { _place: place, received: 0, bytes: Arc::clone(&self.bytes) })
    }
}

impl Share {
    fn add(&mut self, bytes: u64) -> Result<(), ApiError> {
        self.received += bytes;
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > LARGEST_UPLOADS {
            return Err(busy(&format!(
                "the files being sent are larger than {LARGEST_UPLOADS} bytes together"
            )));
        }
        Ok(())
    }
}

fn busy(reason: &str) -> ApiError {
    let message = format!("{reason}; try again when one of them has arrived");
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
}

fn too_large(largest: u64) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", format!("more than {largest} bytes"))
}

/// A temporary file in a folder, deleted when it is dropped.
pub(super) fn file_in(folder: &Path) -> Result<NamedTempFile, ApiError> {
    files::aside(folder).map_err(|error| ApiError::failed(format!("no file for what is sent: {error}")))
}

/// Writes the body of a request of at most `largest` bytes to a file that `create` makes, piece by piece. Each piece has as much time as
/// a whole request, and all of them [`SLOWEST_UPLOAD`].
pub(crate) async fn receive(
    app: &App,
    request: Request,
    largest: u64,
    create: impl FnOnce(&App) -> Result<NamedTempFile, ApiError> + Send + 'static,
) -> Result<Upload, ApiError> {
    let mut body = request.into_body();
    if body.size_hint().lower() > largest {
        return Err(too_large(largest));
    }
    // The length that the client announces is only a hint, and a body in chunks has none. So the bytes are counted as they arrive, for
    // this upload and for all of them together, and given back when the share is dropped: after the file has been used, or wherever
    // this function returns early.
    let mut share = app.uploads.share()?;
    let mut file = app.blocking(create).await?;
    let began = Instant::now();
    loop {
        // A client has as much time for each piece as for a whole request, and the average rate must not fall below the slowest: one
        // byte every few seconds would keep the slot for days.
        let allowed = app.config.slowest_request + Duration::from_secs(share.received / SLOWEST_UPLOAD);
        let left = allowed.saturating_sub(began.elapsed()).min(app.config.slowest_request);
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let Ok(frame) = time::timeout(left, frame).await else {
            return Err(ApiError::new(
                StatusCode::REQUEST_TIMEOUT,
                "slow_request",
                "the upload stopped before the end of the file",
            ));
        };
        let Some(frame) = frame else { return Ok(Upload { file, share }) };
        let frame = frame.map_err(|error| ApiError::invalid("unreadable_body", error.to_string()))?;
        let Ok(bytes) = frame.into_data() else { continue };
        share.add(bytes.len() as u64)?;
        if share.received > largest {
            return Err(too_large(largest));
        }
        file = app
            .blocking(move |_| match file.write_all(&bytes) {
                Ok(()) => Ok(file),
                Err(error) => Err(ApiError::failed(format!("the file cannot be kept: {error}"))),
            })
            .await?;
    }
}
