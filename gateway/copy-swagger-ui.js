/**
 * Copies what the page at /docs serves of Swagger UI, with its licence, beside the compiled gateway. The gateway does not
 * depend on the package: that would bring its other 10 MB, and one that runs a script when it is installed.
 */
const { copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

const { SWAGGER_FILES } = require('./dist/openapi/docs-page.js');

const LICENCES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

const from = dirname(require.resolve('swagger-ui-dist/package.json'));
const to = join(__dirname, 'dist', 'openapi', 'swagger-ui');
mkdirSync(to, { recursive: true });
for (const file of [...Object.keys(SWAGGER_FILES), ...LICENCES])
  copyFileSync(join(from, file), join(to, file));
