function expression(name) {
  return "//user[name='" + name + "']";
}

const name = decodeURIComponent(location.hash.slice(1)); // source: hash
document.evaluate(expression(name), document, null, 0, null); // sink: xpath-injection hash
