module.exports = Object.freeze({ list: 'ls', where: 'pwd' });
