exports.LIST = 'ls';
