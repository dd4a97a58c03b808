//! Damaged streams, and streams of a random writer.

use super::*;

#[test]
fn every_flipped_bit_and_every_truncation_has_the_verdict_of_zlib() {
    let mut random = Random(11);
    let text: Vec<u8> = (0..100_u32).flat_map(|number| (number * number % 1009).to_string().into_bytes()).collect();
    let streams = [
        compress(&text, 6, Strategy::Fixed, 8),
        compress(&text, 9, Strategy::Default, 8),
        compress(&text[..60], 0, Strategy::Default, 8),
        compress(&[7; 700], 6, Strategy::Default, 8),
        compress_in_parts(&mut random, &content(&mut Random(12), 6_000))[..].to_vec(),
    ];
    let (mut accepted, mut refused) = (0, 0);
    for stream in streams {
        let bits = 8 * stream.len();
        let step = (bits / cases(4_000)).max(1);
        for bit in (0..bits).step_by(step) {
            let mut damaged = stream.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            *if check(&damaged, &mut random) { &mut accepted } else { &mut refused } += 1;
        }
        for length in (0..stream.len()).step_by(step) {
            // The bytes behind the input must not be read: they would make it whole.
            assert!(!check(&stream[..length], &mut random), "{length} of {} bytes", stream.len());
        }
        assert!(check(&[&stream[..], b"something else"].concat(), &mut random));
    }
    assert!(accepted > 200 && refused > 200, "{accepted} {refused}");
}

#[test]
fn random_streams_have_the_verdict_of_zlib() {
    let mut random = Random(13);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..cases(3_000) {
        let stream = writer::random_stream(&mut random);
        *if check(&stream, &mut random) { &mut accepted } else { &mut refused } += 1;
    }
    assert!(accepted > refused / 10 && refused > accepted / 10, "{accepted} {refused}");
}

#[test]
fn mutants_have_the_verdict_of_zlib() {
    let mut random = Random(17);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..cases(1_000) {
        let stream = if random.one_in(2) {
            writer::random_stream(&mut random)
        } else {
            let size = random.one_of(&[40, 600, 9_000, 60_000]);
            let bytes = content(&mut random, size);
            compress_anyhow(&mut random, &bytes)
        };
        for _ in 0..5 {
            let mutant = mutant(&mut random, &stream);
            *if check(&mutant, &mut random) { &mut accepted } else { &mut refused } += 1;
        }
    }
    assert!(accepted > 0 && refused > accepted, "{accepted} {refused}");
}

/// A copy with changed, added, removed or moved bytes, half of them near the start.
fn mutant(random: &mut Random, stream: &[u8]) -> Vec<u8> {
    let mut bytes = stream.to_vec();
    for _ in 0..=random.below(2) {
        if bytes.is_empty() {
            break;
        }
        let end = if random.one_in(2) { bytes.len().min(80) } else { bytes.len() };
        let at = random.below(end);
        match random.below(8) {
            0..3 => bytes[at] ^= 1 << random.below(8),
            3 => bytes[at] = random.next() as u8,
            4 => bytes.truncate(at),
            5 => bytes.insert(at, random.next() as u8),
            6 => drop(bytes.remove(at)),
            _ => {
                let count = (1 + random.below(40)).min(bytes.len() - at);
                let from = random.below(bytes.len() - count + 1);
                bytes.copy_within(from..from + count, at);
            }
        }
    }
    bytes
}
