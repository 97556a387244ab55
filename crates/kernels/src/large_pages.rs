//! Large pages for tables with random access.
//!
//! A processor's TLB holds a few thousand pages. A table of many megabytes in pages of 4 KB has more, so a read of a row
//! outside them waits for the page lookup before it waits for memory.

/// The size of a large page in bytes.
const SIZE: usize = 2 << 20;

/// Asks the operating system to hold a slice in pages of 2 MB, both for memory already in use and for memory that is first
/// used later. Only speed depends on it, so a refusal is ignored.
pub fn use_large_pages<T>(numbers: &mut [T]) {
    let range = numbers.as_mut_ptr_range();
    // Rounded inwards: advice for a page holds for all of it, and the pages at both ends are shared with other allocations.
    let (start, end) = ((range.start as usize).next_multiple_of(SIZE), range.end as usize / SIZE * SIZE);
    if start < end {
        for advice in ADVICE {
            advise(start, end - start, advice);
        }
    }
}

/// Linux uses large pages where a program requests them (Documentation/admin-guide/mm/transhuge.rst): `MADV_HUGEPAGE` for memory
/// that is first used later, `MADV_COLLAPSE` for memory already in use, which the kernel copies. `MADV_COLLAPSE` was added in
/// Linux 6.1.
const ADVICE: [i32; 2] = [14, 25];

/// Gives `madvise` advice; returns true if the system took it. The contents of the memory do not change in either case.
#[cfg(target_os = "linux")]
fn advise(start: usize, length: usize, advice: i32) -> bool {
    use std::ffi::{c_int, c_void};

    // From the C library, which the standard library links on Linux.
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    assert!(ADVICE.contains(&advice), "no advice that changes what memory holds");
    // SAFETY: the address is not turned into a reference; neither advice changes contents, and an error changes
    // nothing.
    unsafe { madvise(start as *mut c_void, length, advice) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _length: usize, _advice: i32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_they_are() {
        let mut numbers: Vec<u32> = (0..3 << 20).collect();
        use_large_pages(&mut numbers);
        numbers.extend(0..10);
        assert!(numbers.iter().enumerate().all(|(at, number)| *number as usize == at % (3 << 20)));
    }

    #[test]
    fn numbers_that_fill_no_page_and_systems_that_refuse_are_left_alone() {
        use_large_pages::<u32>(&mut []);
        use_large_pages(&mut [1, 2, 3]);
        // The end of the address space belongs to the kernel on every machine.
        for advice in ADVICE {
            assert!(!advise(usize::MAX / SIZE * SIZE - SIZE, SIZE, advice));
        }
    }
}
