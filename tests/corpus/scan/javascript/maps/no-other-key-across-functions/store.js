const values = new Map();
exports.remember = (value) => values.set('name', value);
exports.recall = () => values.get('command');
