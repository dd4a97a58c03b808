const KINDS = { build: 'make', test: 'make test' };

// The fields of the request keep their names; the command is one of the table.
exports.toJob = ({ name, kind, command: _ignored, ...labels }) => ({
  labels,
  name,
  command: kind === 'test' ? KINDS.test : KINDS.build,
});
