Object.defineProperty(exports, '__esModule', { value: true });
Object.defineProperty(exports, 'editor', { enumerable: true, get: function () { return environment_1.editor; } });
const environment_1 = require('./environment');
