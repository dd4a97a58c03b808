exports.table = (text) => new Map([['one', 'ls'], ['two', text]]);
