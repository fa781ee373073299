const { existsSync, globSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const ROOT = join(__dirname, '../..');
const needing = new Map([[join(ROOT, 'test/support/postgres.ts'), true]]);

/** Whether a test file imports the databases, directly or indirectly. */
function needsDatabases(file) {
  const known = needing.get(file);
  if (known !== undefined) return known;
  needing.set(file, false);
  const found = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g);
  const imported = [...found].map(([, path]) => join(dirname(file), `${path}.ts`)).filter(isOfTests);
  const needs = imported.some(needsDatabases);
  needing.set(file, needs);
  return needs;
}

const isOfTests = (file) => file.startsWith(join(ROOT, 'test')) && existsSync(file);

/** Tests of the gateway that need no database; all of them together take seconds. */
module.exports = globSync(join(ROOT, 'test/gateway/**/*.test.ts')).filter((file) => !needsDatabases(file));
