function strings(x) { let y; switch (x) { case 'a': y = 1; break; case 'b': case 'c': y = x; default: use(x, y); } return y; }
function types(x) { switch (typeof x) { case 'string': return use(x); case 'number': x = 1; break; } return x; }
function conditions(x) { switch (true) { case x.startsWith('a'): use(x); break; case x === 'b': use(x); } }
function constant(x) { switch ('b') { case 'a': never(x); case 'b': use(x); break; case 'c': never(x); } }
function values(x, y) { switch (x.kind) { case y: return x.kind; case 1: return x.kind; } }
