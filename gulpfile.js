const { dest, parallel, src } = require('gulp');

const FROM = { base: '.', encoding: false };

/** Node and credential icons, which n8n looks for beside the compiled file. */
const icons = () => src(['nodes/**/*.svg', 'credentials/**/*.svg'], FROM).pipe(dest('dist'));

/** Codex files (categories, aliases, links) and output schemas, beside the compiled node. */
const codex = () => src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], FROM).pipe(dest('dist'));

exports.icons = icons;
exports.codex = codex;
exports.default = parallel(icons, codex);
