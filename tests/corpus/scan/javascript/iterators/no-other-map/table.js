exports.table = (text) => new Map([['command', text]]);
