exports.NAME = /^[A-Za-z]{1,20}$/;
