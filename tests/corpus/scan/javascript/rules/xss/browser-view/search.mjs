export function showSearch(term) {
  const heading = document.querySelector('h1');
  heading.insertAdjacentHTML('afterend', `<p>Results for ${term}</p>`); // sink: xss hash
}
