//! Large pages for tables that are read here and there.
//!
//! A processor remembers where some thousand pages lie; a table of many megabytes in pages of 4 KB has more, and each row
//! that is read elsewhere then waits for the lookup before it waits for memory.

/// Bytes of a large page.
const SIZE: usize = 2 << 20;

/// Asks the system to hold numbers in pages of 2 MB, now and when it first gives memory to them. Nothing but speed depends
/// on it, so a system that cannot is left alone.
pub fn use_large_pages<T>(numbers: &mut [T]) {
    let range = numbers.as_mut_ptr_range();
    let (start, end) = ((range.start as usize).next_multiple_of(SIZE), range.end as usize / SIZE * SIZE);
    if start < end {
        for advice in ADVICE {
            advise(start, end - start, advice);
        }
    }
}

/// Linux has large pages where a program asks for them (Documentation/admin-guide/mm/transhuge.rst): `MADV_HUGEPAGE` for memory
/// that is first used later, `MADV_COLLAPSE` for memory in use already, which the system copies. The latter is new in Linux 6.1.
const ADVICE: [i32; 2] = [14, 25];

/// True if the system took the advice; the contents of the memory stay as they are in any case.
#[cfg(target_os = "linux")]
fn advise(start: usize, length: usize, advice: i32) -> bool {
    use std::ffi::{c_int, c_void};

    // From the C library, which the standard library links on Linux.
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    assert!(ADVICE.contains(&advice), "no advice that changes what memory holds");
    // SAFETY: no reference is made of the address; neither advice changes contents, and an error changes nothing.
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
        // The end of the address space is the system's own on every machine.
        for advice in ADVICE {
            assert!(!advise(usize::MAX / SIZE * SIZE - SIZE, SIZE, advice));
        }
    }
}
