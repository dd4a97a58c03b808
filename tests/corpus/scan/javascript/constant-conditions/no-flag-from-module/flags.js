const RELEASE = true;

module.exports = { RELEASE, VERSION: '2.1.0' };
