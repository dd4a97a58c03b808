class Base { constructor(a) { this.a = a; } m() { return this.a; } static create(a) { return new this(a); } }
class Derived extends Base {
  field = 1; static shared = source(); #hidden = this.field; handler = () => this.m();
  constructor(a, b) { super(a); this.b = b; }
  get value() { return super.m(); }
  set value(v) { super.a = v; }
  static create(a) { return super.create(a); }
  static { init(this); }
  async later() { return () => super.m(); }
  ['computed' + 1]() {}
}
class Implicit extends Base { x = 1; }
const Expression = class Inner { self() { return Inner; } };
const mixin = Parent => class extends Parent {};
function Old(x) { this.x = x; }
Old.prototype.get = function () { return this.x; };
use(new Derived(1, 2), new Old(source).get(), Expression, mixin);
