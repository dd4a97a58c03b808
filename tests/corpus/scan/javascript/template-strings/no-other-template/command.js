exports.commandOf = (target) => ({ line: `ls ${'/tmp'}`, title: `listing for ${target}` });
