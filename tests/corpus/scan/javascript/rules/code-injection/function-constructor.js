// scan: sources=library
const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
const Generator = function* () {}.constructor;

exports.arrow = (text) => (() => {}).constructor('return ' + text)(); // source: text // sink: code-injection text

exports.wait = (body) => new AsyncFunction('a', body)(); // source: body // sink: code-injection body

exports.list = (code) => Generator(code)(); // source: code // sink: code-injection code
