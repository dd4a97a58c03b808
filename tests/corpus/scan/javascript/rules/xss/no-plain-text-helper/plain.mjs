export function plain(res, text) {
  res.type('text/plain');
  res.send(text); // ok: xss
}
