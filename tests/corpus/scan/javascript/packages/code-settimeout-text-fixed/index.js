// scan: sources=library
module.exports = Scheduler;

function Scheduler(opts) {
  if (!(this instanceof Scheduler)) return new Scheduler(opts);
  this.jobs = [];
}

Scheduler.prototype.add = function (fn, delay) {
  var self = this;
  if (typeof fn !== 'function') throw new TypeError('fn');
  var id = setTimeout(function () { fn(); }, delay);
  self.jobs.push(id);
  return self;
};
