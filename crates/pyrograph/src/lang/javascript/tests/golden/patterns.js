const { a, b: { c = 1, ...deep } = {}, ['k' + 1]: k, [dynamic]: d, ...others } = source;
const [e, , f = 2, [g], ...h] = source;
let i, j;
[i, j] = [j, i];
({ i, k: j = 3, l: target.m, ...target.n } = source);
function parameters({ p, q = p }, [r] = [], s = () => p) { return [p, q, r, s]; }
const { x } = { x: 'known' };
const [y] = ['first'];
use(x, y);
for (const [key, value] of entries) use(key, value);
