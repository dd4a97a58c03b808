export function flash(kind, text) {
  const box = document.createElement('div');
  box.className = `flash-${kind}`;
  box.textContent = text; // ok: xss
  document.body.prepend(box);
}
