window.onmessage = (event) => {
  eval(event.data); // source: data // sink: code-injection data
};

const worker = new Worker('worker.js');
worker.onmessage = function (event) {
  document.body.innerHTML = event.data; // source: worker // sink: xss worker
};
