exports.commandOf = (verb, body) => {
  switch (verb) {
    case 'start':
      return 'systemctl start app';
    case 'stop':
      return body.force ? 'systemctl kill app' : 'systemctl stop app';
    default:
      return 'systemctl status app';
  }
};
