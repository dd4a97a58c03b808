window.addEventListener('message', (event) => {
  document.body.innerHTML = event.data.html; // source: data // sink: xss data
});

addEventListener('message', ({ data }) => { // source: second
  document.getElementById('a').innerHTML = data; // sink: xss second
});
