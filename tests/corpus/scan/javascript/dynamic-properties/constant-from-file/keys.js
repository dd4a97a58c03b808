exports.KEY = 'command';
