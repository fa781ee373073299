const project = (displayName) => ({
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
});

/** On SQLite and on a PostgreSQL that is started once for all of them. */
const withDatabases = (config) => ({
  ...config,
  globalSetup: '<rootDir>/test/support/start-databases.ts',
  globalTeardown: '<rootDir>/test/support/stop-databases.ts',
});

module.exports = {
  // Many tests wait for something; of two processors a third worker uses what the others leave.
  maxWorkers: 3,
  testTimeout: 20_000,
  testSequencer: '<rootDir>/test/support/longest-first.js',
  projects: [...['nodes', 'contract', 'package', 'n8n'].map(project), withDatabases(project('gateway'))],
};
