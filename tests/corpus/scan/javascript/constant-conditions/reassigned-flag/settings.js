let shell = false;

exports.enableShell = () => {
  shell = true;
};

exports.isShellEnabled = () => shell;
