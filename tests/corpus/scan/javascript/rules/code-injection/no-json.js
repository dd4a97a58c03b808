module.exports = JSON.parse(process.argv[2]); // ok: code-injection
