#[test]
fn scratch() {
    let dir = std::env::var("SCRATCH").unwrap_or_default();
    if let Ok(text) = std::fs::read_to_string(&dir) {
        let module = super::module_of(&dir, &text);
        println!("{module}");
    }
}
