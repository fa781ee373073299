/** Libraries that ship ES modules only. Node requires them as they are; jest has them transformed. */
const ES_MODULES_ONLY = [
  'typebox',
  'preact',
  'kysely',
  '@seriousme/openapi-schema-validator',
  '@great-detail/whatsapp',
  'ky',
  'openapi-fetch',
  'whatsapp-api-js',
];

/** Tests name the gateway's sources; what runs is the compiled gateway, its worker thread included. */
const COMPILED_GATEWAY = { '^(?:\\.\\./)+gateway/(?!build/|dist/)(.*)$': '<rootDir>/gateway/build/$1' };

const project = (displayName) => ({
  displayName,
  testEnvironment: '<rootDir>/test/support/own-folder.ts',
  testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
  moduleNameMapper: COMPILED_GATEWAY,
  transform: {
    '\\.m?[jt]sx?$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES_ONLY.join('|')})/)`],
});

/** The gateway's tests run on SQLite and on a PostgreSQL that is started once for all of them. */
const withPostgres = (config) => ({
  ...config,
  globalSetup: '<rootDir>/test/support/postgres.ts',
  globalTeardown: '<rootDir>/test/support/stop-postgres.ts',
});

module.exports = {
  // Many tests wait for something; of two processors a third worker uses what the others leave.
  maxWorkers: 3,
  testTimeout: 20_000,
  globalSetup: '<rootDir>/test/support/build.ts',
  projects: [...['nodes', 'contract', 'package', 'n8n'].map(project), withPostgres(project('gateway'))],
};
