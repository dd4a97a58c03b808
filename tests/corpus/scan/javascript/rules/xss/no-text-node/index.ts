import { appendLine } from './lines';

window.addEventListener('hashchange', () => {
  appendLine(document.body, decodeURIComponent(location.hash.slice(1)));
});
