// scan: sources=library
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.default = void 0;
var _child_process = _interopRequireDefault(require("child_process"));
var _util = require("util");
function _interopRequireDefault(obj) { return obj && obj.__esModule ? obj : { default: obj }; }
function _classCallCheck(instance, Constructor) { if (!(instance instanceof Constructor)) { throw new TypeError("Cannot call a class as a function"); } }
function _defineProperties(target, props) { for (var i = 0; i < props.length; i++) { var descriptor = props[i]; descriptor.enumerable = descriptor.enumerable || false; descriptor.configurable = true; if ("value" in descriptor) descriptor.writable = true; Object.defineProperty(target, descriptor.key, descriptor); } }
function _createClass(Constructor, protoProps, staticProps) { if (protoProps) _defineProperties(Constructor.prototype, protoProps); if (staticProps) _defineProperties(Constructor, staticProps); return Constructor; }
var exec = (0, _util.promisify)(_child_process.default.exec);
var Wifi = /*#__PURE__*/function () {
  function Wifi() {
    var options = arguments.length > 0 && arguments[0] !== undefined ? arguments[0] : {};
    _classCallCheck(this, Wifi);
    this.iface = options.iface || 'wlan0';
  }
  _createClass(Wifi, [{
    key: "connect",
    value: function connect(ap) { // source: a
      var ssid = ap.ssid,
          password = ap.password;
      return exec("nmcli dev wifi connect '".concat(ssid, "' password '").concat(password, "'")); // sink: command-injection a
    }
  }]);
  return Wifi;
}();
exports.default = Wifi;
module.exports = exports.default;
