const { copyFile } = require('node:fs/promises');
const { dest, parallel, series, src } = require('gulp');

const FROM = { base: '.', encoding: false };

/** Copies the icons, which n8n loads from next to the compiled file. */
const icons = () => src(['nodes/**/*.svg', 'credentials/**/*.svg'], FROM).pipe(dest('dist'));

/** Copies codex files (categories, aliases, links) and output schemas next to the compiled node. */
const codex = () => src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], FROM).pipe(dest('dist'));

/**
 * Copies schemas for presets: n8n looks up a schema by the operation's value, and a preset has the output of
 * its operation.
 */
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
