var self = (exports = module.exports = {});
self.command = process.argv[2]; // source: argv
