function join(a, b) { let x = a; if (b) x = 1; else x = b; return x; }
function oneSide(a) { let x = 1; if (a) { x = a; } return x; }
function early(a) { if (a) return 1; return a; }
function chain(a) { let x; if (a === 1) x = 1; else if (a === 2) x = 2; else x = a; return x; }
function ternary(a, b) { return a ? b : a; }
function shortAnd(a, b) { return a && b; }
function shortOr(a, b) { return a || b; }
function nullish(a, b) { return a ?? b; }
function assigned(a, b) { a ||= b; b &&= a; a.x ??= b; return a; }
function declared(a) { if (a) { const t = a.x; use(t); } use(a); }
function nested(a, b, c) { if (a && (b || !c)) use(a, b, c); else use(a, b, c); }
function exits(a) { if (!a) { process.exit(1); } use(a); }
