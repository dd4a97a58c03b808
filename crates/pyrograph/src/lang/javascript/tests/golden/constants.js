const DEBUG = false;
const NAME = 'a' + 'b' + 1;
const CONFIG = Object.freeze({ on: true, off: false, level: 3 });
const PLAIN = { flag: false, name: 'n' };
let single = 'once';
if (DEBUG) never(1); else use(NAME);
function inside() { if (DEBUG) { never(2); } if (CONFIG.off) never(3); if (!PLAIN.flag) use(PLAIN.name, CONFIG.level, single); }
use(1 + 2 * 3, -4, !0, typeof 'x', typeof function () {}, 'a' === 'b', 1 < 2, null == undefined, void 0);
use(true ? 1 : never(4), false && never(5), 'x' || never(6), null ?? 7);
use(`t${1}u${'v'}`, `${x}`, 'a' + x + 'b' + 'c' + 1, x + 1 + 'a', x + y);
if (typeof window === 'undefined') use(2);
if (process.env.NODE_ENV === 'production') use(3);
obj[`k${1}`] = obj[0];
var s = 'a'; s += 'b'; s += x; use(s);
use('abc'.length, x ** 2, 5 | 2, 1n);
