window.addEventListener('message', (event) => {
  document.body.textContent = event.data;
  document.body.innerHTML = event.type; // ok: xss
});
window.onresize = (event) => {
  document.body.innerHTML = event.data; // ok: xss
};
