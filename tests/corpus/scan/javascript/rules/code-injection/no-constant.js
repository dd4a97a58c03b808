const seven = eval('3 + 4'); // ok: code-injection
module.exports = seven + process.argv[2];
