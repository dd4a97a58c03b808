window.addEventListener('message', (event) => {
  if (event.origin !== 'https://example.com') return;
  document.body.innerHTML = event.data; // ok: xss
});

const origins = ['https://example.com', 'https://example.org'];
window.onmessage = function (event) {
  if (origins.includes(event.origin)) document.body.innerHTML = event.data; // ok: xss
};
