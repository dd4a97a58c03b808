exports.toModel = ({ sort, compact }) => ({
  sort,
  layout: compact === '1' ? 'compact' : 'wide',
});
