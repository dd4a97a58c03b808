window.addEventListener('message', (event) => {
  if (event.origin === 'https://example.com') return;
  document.body.innerHTML = event.data; // source: data // sink: xss data
});
