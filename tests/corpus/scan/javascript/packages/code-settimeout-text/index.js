// scan: sources=library
module.exports = Scheduler;

function Scheduler(opts) {
  if (!(this instanceof Scheduler)) return new Scheduler(opts);
  this.jobs = [];
}

Scheduler.prototype.add = function (expr, delay) { // source: a
  var self = this;
  var id = setTimeout('(' + expr + ')()', delay); // sink: code-injection a
  self.jobs.push(id);
  return self;
};
