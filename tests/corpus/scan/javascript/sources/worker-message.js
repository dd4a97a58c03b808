onmessage = (event) => {
  eval(event.data); // source: data // sink: code-injection data
};
