//! Huge pages for large tables: random access to a table of small pages waits for address translation as long as for the
//! memory itself.

/// Size and alignment of a huge page; a part of a table that does not fill one stays on small pages.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks the system to back `bytes` bytes from `start` with huge pages when they are first written. If the system refuses,
/// the memory is as usable as before.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a system call; random access to the table gains a tenth of the search time")]
pub(super) fn advise(start: *mut u8, bytes: usize) {
    const MADV_HUGEPAGE: i32 = 14;
    unsafe extern "C" {
        safe fn madvise(start: *mut u8, bytes: usize, advice: i32) -> i32;
    }
    let skipped = start.align_offset(HUGE_PAGE);
    let whole = bytes.saturating_sub(skipped) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        madvise(start.wrapping_add(skipped), whole, MADV_HUGEPAGE);
    }
}

/// Does nothing on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn advise(_start: *mut u8, _bytes: usize) {}
