document.body.innerHTML = document.location.protocol; // ok: xss
document.body.innerHTML = location.host; // ok: xss
document.body.innerHTML = window.location.hostname; // ok: xss
document.write('<a href="' + location.origin + '">'); // ok: xss
document.write('<a href="' + location.port + '">'); // ok: xss
const { protocol, hash } = location; // source: url
document.write(protocol); // ok: xss
document.write(hash); // sink: xss url
document.write(location.href); // source: href // sink: xss href
