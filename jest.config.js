const unitTests = require('./test/support/unit-tests');

const project = (displayName, more = {}) => ({
  displayName,
  runtime: '<rootDir>/test/support/runtime.js',
  testEnvironment: '<rootDir>/test/support/own-folder.ts',
  globalSetup: '<rootDir>/test/support/build.ts',
  testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
  transform: {
    '\\.m?[jt]sx?$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
    ],
  },
  ...more,
});

/** Runs the tests on SQLite and on one PostgreSQL server that is started for all of them. */
const WITH_DATABASES = {
  globalSetup: '<rootDir>/test/support/start-databases.ts',
  globalTeardown: '<rootDir>/test/support/stop-databases.ts',
};

module.exports = {
  // Most tests wait for something, so five workers are needed to use two processors.
  maxWorkers: 5,
  // On a busy machine, the longest tests take minutes. `until` reports hanging tests earlier.
  testTimeout: 600_000,
  testSequencer: '<rootDir>/test/support/longest-first.js',
  projects: [
    ...['nodes', 'contract', 'package', 'n8n'].map((name) => project(name)),
    project('unit', { testMatch: unitTests }),
    project('panel', {
      ...WITH_DATABASES,
      testMatch: ['<rootDir>/test/gateway/panel/**/*.test.ts'],
      testPathIgnorePatterns: unitTests,
    }),
    project('gateway', {
      ...WITH_DATABASES,
      testPathIgnorePatterns: ['<rootDir>/test/gateway/panel/', ...unitTests],
    }),
  ],
};
