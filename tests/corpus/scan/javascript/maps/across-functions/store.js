const values = new Map();
exports.remember = (value) => values.set('command', value);
exports.recall = () => values.get('command');
