const RE = /^[a-z]+$/;
function isSafe(x) { return RE.test(x); }
function isText(x) { return typeof x === 'string' && RE.test(x); }
function isUnsafe(x) { return x.includes('..') || x.startsWith('/'); }
function early(x) { if (x.includes('..')) return false; return true; }
function late(x) { if (RE.test(x)) { return true; } }
function asserts(x) { if (!RE.test(x)) throw new Error(x); }
function cleans(x) { if (!RE.test(x)) throw new Error(x); return x; }
function wraps(x, y) { return isSafe(y); }
function unknown(x) { if (x) return RE.test(x); return true; }
const arrow = x => !RE.test(x);
function reassigned(x) { x = x + 1; return RE.test(x); }
