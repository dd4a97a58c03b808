export function* given(text) {
  yield text;
}
export function* fixed() {
  yield 'ls';
}
