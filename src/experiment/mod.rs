//! One match, test or tuning run, from plan to verdict.
