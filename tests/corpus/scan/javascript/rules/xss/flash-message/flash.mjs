const box = (kind, text) => `<div class="flash-${kind}">${text}</div>`;

export function flash(kind, text) {
  document.body.insertAdjacentHTML('afterbegin', box(kind, text)); // sink: xss search
}
