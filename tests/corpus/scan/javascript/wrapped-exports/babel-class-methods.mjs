// scan: sources=library
import _createClass from "@babel/runtime/helpers/esm/createClass";
import { exec } from "child_process";
var Shell = function () {
  function Shell() {}
  return _createClass(Shell, [{
    key: "run",
    value: function run(file) { // source: file
      this.start("cat " + file);
    }
  }, {
    key: "start",
    value: function start(command) {
      exec(command); // sink: command-injection file
    }
  }]);
}();
export default new Shell();
