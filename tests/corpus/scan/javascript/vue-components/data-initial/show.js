export function show(text) {
  document.body.innerHTML = text; // sink: xss hash
}
