exports.ALLOWED = ['ls', 'pwd'];
