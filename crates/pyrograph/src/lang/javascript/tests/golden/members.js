function twice(a) { use(a.b); use(a.b); use(a['b']); use(a['b' + 'c'], a.bc); }
function forward(a, v) { a.x = v; use(a.x); other(a); use(a.x); }
function alias(a, b, v) { use(a.x); b.x = v; use(a.x, b.x); }
function computed(a, k, v) { use(a.x); a[k] = v; use(a.x); }
function local(v) { const o = { p: v, q: { r: v } }; other(); use(o.p, o.q); leak(o); use(o.p); }
function array(v) { const a = [1, v, ...v]; use(a[1], a[0], a[5]); a.push(v); use(a[1]); }
function spread(v) { const o = { p: 1, ...v }; use(o.p); }
function removed(o) { o.x = 1; delete o.x; use(o.x); }
function merged(o, c) { if (c) o.x = 1; else o.x = 2; use(o.x); }
function path(req) { use(req.a.b); other(); use(req.a.b); other(req.a); use(req.a.b); }
function compound(o) { o.n += 1; o.n++; o[o.n] -= 2; return o.n; }
const o = { get a() { return 1; }, set a(v) { this.b = v; }, ['k' + 1]: 2, m() { return super.m(); }, __proto__: p, [k]: 3 };
class P { #x = 1; get() { return this.#x; } set(v) { this.#x = v; return #x in v; } }
