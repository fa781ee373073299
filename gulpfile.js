const { copyFile } = require('node:fs/promises');
const { dest, parallel, series, src } = require('gulp');

const FROM = { base: '.', encoding: false };

/** Node and credential icons, which n8n looks for beside the compiled file. */
const icons = () => src(['nodes/**/*.svg', 'credentials/**/*.svg'], FROM).pipe(dest('dist'));

/** Codex files (categories, aliases, links) and output schemas, beside the compiled node. */
const codex = () => src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], FROM).pipe(dest('dist'));

/** n8n looks for a schema by the operation's value: a preset puts out what its operation does. */
const presetSchemas = async () => {
  const { resources } = require('./dist/nodes/MessagingGateway/actions/resources');
  for (const { value: resource, operations } of resources) {
    for (const { value, presets } of operations) {
      const schema = (operation) =>
        `dist/nodes/MessagingGateway/__schema__/v1.0.0/${resource}/${operation}.json`;
      for (const preset of presets?.operations ?? []) await copyFile(schema(value), schema(preset.value));
    }
  }
};

exports.icons = icons;
exports.codex = codex;
exports.default = parallel(icons, series(codex, presetSchemas));
