exports.ENABLED = true;
