var before = hoisted();
function hoisted() { return later; }
let later = source();
var twice = 1;
twice = twice + other;
undeclared = twice;
use(undeclared);
(function () { inner = counter; counter++; var inner; })();
let counter = 0;
counter = counter + 1;
{ let counter = 'shadow'; use(counter); }
if (later) { var fromBlock = later; }
use(fromBlock);
const once = 'constant';
const late = () => use(once, this, later);
