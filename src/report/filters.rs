//! Filters of the page templates.
#![expect(unreachable_pub, reason = "the attribute of askama makes public functions")]

use std::borrow::Borrow;

use askama::Values;

use crate::report::number_text;

/// Writes a count with its thousands separated: `8,412`.
#[askama::filter_fn]
pub(crate) fn grouped(count: impl Borrow<u64>, _: &dyn Values) -> askama::Result<String> {
    Ok(number_text::grouped(*count.borrow()))
}
