const heading = ({ title }) => `<h1>${decodeURIComponent(title)}</h1>`;

export function render(element, page) {
  element.innerHTML = heading(page); // sink: xss hash
}
