const project = (displayName) => ({
  displayName,
  runtime: '<rootDir>/test/support/runtime.js',
  testEnvironment: '<rootDir>/test/support/own-folder.ts',
  testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
  transform: {
    '\\.m?[jt]sx?$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
    ],
  },
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
  testSequencer: '<rootDir>/test/support/longest-first.js',
  globalSetup: '<rootDir>/test/support/build.ts',
  projects: [...['nodes', 'contract', 'package', 'n8n'].map(project), withPostgres(project('gateway'))],
};
