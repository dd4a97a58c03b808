exports.commandOf = ({ target }) => `ping -c 1 ${target.trim()}`;
