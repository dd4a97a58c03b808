function whileLoop(a) { let x = a; while (x) { x = next(x); } return x; }
function forLoop(a) { let s = ''; for (let i = 0; i < a.length; i++) { s += a[i]; } return s; }
function doLoop(a) { do { a = next(a); if (a.stop) break; if (a.skip) continue; use(a); } while (a); return a; }
function forOf(a) { let last; for (const { x, y = 1 } of a) { last = x; } return last; }
function forIn(a) { for (var k in a) { use(k, a[k]); } return k; }
function endless(a) { for (;;) { a = next(a); if (a) return a; } use(a); }
function labels(a) { outer: for (const x of a) { for (const y of x) { if (y) continue outer; if (x) break outer; } use(x); } }
function block(a) { let x = 1; done: { if (a) break done; x = a; } return x; }
function never(a) { while (false) { use(a); } for (; 0;) use(a); }
function memory(o) { use(o.x); for (const a of o.y) { use(o.x); o.x = a; use(o.x); } use(o.x); }
async function awaited(a) { for await (const x of a) use(x); }
for (x.y of z) use(x.y);
