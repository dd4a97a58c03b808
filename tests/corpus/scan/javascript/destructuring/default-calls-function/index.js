const { deploy } = require('./deploy');

deploy({ dryRun: false });
deploy();
