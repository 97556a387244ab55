//! The two steps of the pseudo-random generator SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
//! number generators", OOPSLA 2014), here as a hash. They never change, so every run makes the same choices.

/// 2^64 divided by the golden ratio.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads consecutive numbers evenly over all numbers of 64 bits (Fibonacci hashing; Knuth, The Art of Computer Programming 3,
/// section 6.4). The upper bits are the better ones.
#[inline]
pub const fn spread(number: u64) -> u64 {
    number.wrapping_mul(GOLDEN_RATIO)
}

/// Mixes the bits of a number, the finaliser of SplitMix64: each bit changes about half of the result's.
#[inline]
pub const fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The first output of SplitMix64 for a seed, used as a derived seed: neighbouring seeds give unrelated ones.
#[inline]
pub const fn first(seed: u64) -> u64 {
    mix(seed.wrapping_add(spread(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_steps_give_the_generator_of_the_paper() {
        // The first numbers from seed 1234567, from <https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64>.
        let numbers = [1, 2, 3].map(|index| mix(1_234_567_u64.wrapping_add(spread(index))));
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
        assert_eq!(first(1_234_567), numbers[0]);
    }
}
