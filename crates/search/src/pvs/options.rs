//! The search's constants as options, so that `tabiya tune` can tune them by games. The defaults are first guesses: the values to which
//! 1,500 games moved twelve of them gained nothing in other games (`docs/experiments/principal-variation-search.md`).

use crate::tunables::tunables;

tunables! {
    /// When moves and positions are left out or searched at reduced depth. Values are in units of which 100 change the
    /// logarithm of the odds of a win by 1.
    PvsOptions

    "PvsReverseMargin" reverse_margin: u64 = 70 in 0, 500;
    "Principal variation search: a position that exceeds beta by this much for each half-move still to search is not searched."

    "PvsRazorMargin" razor_margin: u64 = 220 in 0, 2000;
    "Principal variation search: a position that is this far below alpha for each half-move still to search is only searched by quiescence."

    "PvsNullReduction" null_reduction: f32 = 3.0 in 1.0, 8.0;
    "Principal variation search: half-moves by which a null move reduces the depth, in addition to a quarter of the depth."

    "PvsNullValue" null_value: u64 = 120 in 20, 1000;
    "Principal variation search: value above beta for which a null move reduces the depth by one more half-move."

    "PvsLateMoves" late_moves: f32 = 1.0 in 0.1, 10.0;
    "Principal variation search: factor of the number of quiet moves tried near the horizon."

    "PvsFutilityBase" futility_base: u64 = 90 in 0, 1000;
    "Principal variation search: quiet moves are left out where the value is below alpha by this plus PvsFutilityMargin for each half-move still to search."

    "PvsFutilityMargin" futility_margin: u64 = 80 in 0, 500;
    "Principal variation search: part of the futility margin for each half-move still to search, added to PvsFutilityBase."

    "PvsCaptureMargin" capture_margin: u64 = 150 in 0, 1000;
    "Principal variation search: margin in quiescence for what a capture changes besides the material that it takes."

    "PvsReduction" reduction: f32 = 0.8 in -2.0, 4.0;
    "Principal variation search: half-moves by which late moves are reduced at any depth and place in the order."

    "PvsReductionGrowth" reduction_growth: f32 = 0.45 in 0.0, 2.0;
    "Principal variation search: half-moves added to the reduction of late moves for each unit of the product of the logarithms of depth and place."

    "PvsReductionPromise" reduction_promise: u64 = 8192 in 1000, 100_000;
    "Principal variation search: points of a quiet move's score (histories, killers, policy) that reduce it by one half-move less."

    "PvsPolicy" policy: u64 = 40_000 in 0, 200_000;
    "Principal variation search: weight of a prior relative to the histories."

    "PvsPolicyDepth" policy_depth: u64 = 3 in 1, 100;
    "Principal variation search: least depth at which priors order the moves; below it they cost more than they save."

    "PvsHistoryMargin" history_margin: u64 = 4000 in 0, 100_000;
    "Principal variation search: quiet moves near the horizon whose score is this far below zero for each half-move still to search are left out; 0 leaves none out."

    "PvsAspiration" aspiration: u64 = 20 in 5, 500;
    "Principal variation search: initial half-width of the aspiration window around the value of the previous iteration."

    "PvsCorrection" correction: f32 = 1.0 in 0.0, 4.0;
    "Principal variation search: weight of the mean error of values in positions with the same pawns or pieces."

    "PvsSingularMargin" singular_margin: f32 = 2.0 in 0.0, 20.0;
    "Principal variation search: a move is singular, and searched deeper, if the others are worse by this much for each half-move still to search."

    "PvsSingularDepth" singular_depth: u64 = 6 in 4, 100;
    "Principal variation search: least depth at which moves are tested for being singular."
}
