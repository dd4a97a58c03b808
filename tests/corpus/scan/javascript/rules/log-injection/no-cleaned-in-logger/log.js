const oneLine = (text) => String(text).replace(/[\r\n]+/g, ' ');

exports.log = (label, text) => console.log(`${label}: ${oneLine(text)}`); // ok: log-injection
