//! Archives are unpacked to their original files, whatever their format, damage or nesting.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod asar;
mod bombs;
mod collect;
mod damage;
mod device;
mod device_entries;
mod device_memory;
mod device_routes;
mod differential;
mod extract;
mod formats;
mod limits;
mod memory;
mod mutants;
mod nesting;
mod other_formats;
mod quines;
mod readings;
mod real_packages;
mod route;
mod tar;
mod zip;
mod zstd_blocks;
