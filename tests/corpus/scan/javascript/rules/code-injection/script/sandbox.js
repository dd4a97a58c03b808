const vm = require('node:vm');

exports.evaluate = (code, context) => {
  const script = new vm.Script(code); // sink: code-injection body
  return script.runInNewContext(context);
};
