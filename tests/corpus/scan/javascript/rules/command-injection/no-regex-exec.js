const found = /(\w+)=(\w+)/.exec(process.argv[2]); // ok: command-injection
module.exports = found;
