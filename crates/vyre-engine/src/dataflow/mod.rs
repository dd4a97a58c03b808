//! Which sources reach which sinks, for thousands of sources at once.
