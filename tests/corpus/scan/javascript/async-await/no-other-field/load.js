exports.load = async () => ({ command: process.env.COMMAND, name: 'ls' });
