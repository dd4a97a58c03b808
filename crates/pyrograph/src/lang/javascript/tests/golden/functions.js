function plain(a, b = 1, { c }, ...rest) { return a; }
const named = function self(n) { return self(n); };
const arrow = x => () => [x, this, arguments];
function args(a) { use(arguments[0], arguments[1], arguments); return () => arguments[0]; }
function outer(p) { let count = 0; function inc() { count += p; return count; } count = 5; return inc() + count; }
function unreachable() { return hoisted(); use(1); function hoisted() { return 2; } }
function method() { return { m() { return this; }, f: function () {}, g: () => {} }; }
!function () { use(this); }.call(x);
