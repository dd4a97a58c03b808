exports.NAME = /^.+$/;
