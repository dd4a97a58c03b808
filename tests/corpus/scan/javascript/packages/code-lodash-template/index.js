// scan: sources=library
const vm = require('vm');

module.exports = {
  compile(source, options = {}) { // source: a
    const tokens = source.split(/<%|%>/g);
    let body = 'let out = "";';
    tokens.forEach((token, i) => {
      body += i % 2 === 0 ? `out += ${JSON.stringify(token)};` : token;
    });
    body += 'return out;';
    const script = new vm.Script(`(function (locals) { ${body} })`); // sink: code-injection a
    return script.runInNewContext(options.context || {}); // ok: code-injection
  },
};
