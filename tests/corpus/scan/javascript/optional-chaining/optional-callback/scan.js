exports.scan = (files, hooks) => {
  for (const file of files) hooks?.onFile?.(file);
};
