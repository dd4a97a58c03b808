// Stars are translated; other characters of regular expressions stay.
exports.globToRegExp = (glob) => new RegExp('^' + glob.replace(/\*/g, '.*') + '$'); // sink: regex-injection glob
