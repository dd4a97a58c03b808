exports.allowed = { ls: true, pwd: true };
