const ALLOWED = ['a', 'b'];
const SET = new Set(['a', 'b']);
const KEYS = { a: 1, b: 2 };
const RE = /^[a-z]+$/i;
const RE2 = new RegExp('^\\d+$');
function includes(x) { if (!ALLOWED.includes(x)) return; use(x); }
function indexOf(x) { if (ALLOWED.indexOf(x) < 0) return; use(x); }
function set(x) { if (SET.has(x)) use(x); }
function keys(x) { if (x in KEYS) use(x); if (KEYS.hasOwnProperty(x)) use(x); if (KEYS[x]) use(x); }
function own(o, x) { if (Object.prototype.hasOwnProperty.call(o, x)) use(x); if (Object.hasOwn(o, x)) use(x); }
function regex(x) { if (!RE.test(x)) throw 1; use(x); }
function regex2(x) { if (RE2.test(x)) use(x); if (x.match(/a/)) use(x); if (x.search(/a/) !== -1) use(x); }
function prefix(x) { if (!x.startsWith('/tmp/')) return; use(x); }
function position(x) { if (x.indexOf('..') !== -1) return; use(x); }
function tilde(x) { if (~x.indexOf('..')) return; use(x); }
function greater(x) { if (x.indexOf('..') > -1) return; use(x); }
function start(x) { if (x.indexOf('/tmp') === 0) use(x); if (x[0] === '/') use(x); if (x.charAt(0) !== '-') use(x); }
function type(x) { if (typeof x !== 'number') return; use(x); }
function numbers(x) { if (Number.isInteger(x)) use(x); if (isNaN(x)) return; use(x); }
function compare(x, y) { if (x === 'a') use(x); if (x == null) return; if (x !== y) return; if (x < 3) use(x); }
function instance(x) { if (x instanceof Date) use(x); }
function member(req) { if (!isSafe(req.query.f)) return; log('ok'); use(req.query.f, req.query.g); }
function assertion(x, y) { assertSafe(x); checks.validate(y); use(x, y); }
function assert1(x) { assert(x.startsWith('a')); use(x); }
function stored(x) { const ok = x.startsWith('/'); if (!ok) return; use(x); }
function conjunction(x) { const ok = typeof x === 'string' && RE.test(x); if (ok) use(x); }
function disjunction(x) { const bad = x.includes('..') || x.includes('~'); if (bad) return; use(x); }
function assignment(x) { let m; if ((m = RE.exec(x))) use(m, x); }
function negated(x) { if (!(typeof x === 'string' && x.length < 5)) return; use(x); }
function loop(x) { while (!ok(x)) { x = next(x); } use(x); }
function skip(xs) { for (const x of xs) { if (!RE.test(x)) continue; use(x); } }
function closure(x) { if (!RE.test(x)) return; later(() => { again(() => use(x)); }); }
function changed(x) { if (!RE.test(x)) return; x = x + 'a'; use(x); }
function ternary(x) { return RE.test(x) ? use(x) : other(x); }
function and(x) { RE.test(x) && use(x); }
function optional(x) { if (x?.startsWith('a')) use(x); }
