export function appendLine(parent: HTMLElement, text: string): void {
  const line = document.createElement('p');
  line.appendChild(document.createTextNode(text)); // ok: xss
  line.setAttribute('data-text', text); // ok: xss
  parent.appendChild(line);
}
