const Runtime = require('jest-runtime').default;
const { createRequire, isBuiltin } = require('node:module');
const { dirname, join, relative, resolve, sep } = require('node:path');

const ROOT = resolve(__dirname, '../..');

/**
 * Replaces jest's runtime, which loads and compiles every module again for each test file. Node loads the
 * gateway and its libraries once per process; imports of the gateway's sources are redirected to the compiled
 * files. They have other globals than the tests: a test's `/x/` is not an instance of their `RegExp`. jest
 * still loads n8n and our nodes, because n8n checks for instances of its own `Error`.
 */
module.exports = class extends Runtime {
  requireModuleOrMock(from, name) {
    if (from.includes('node_modules')) return super.requireModuleOrMock(from, name);
    if (isLibrary(name)) return createRequire(from)(name);
    const place = relative(ROOT, resolve(dirname(from), name)).replaceAll(sep, '/');
    const isForNode = name.startsWith('.') && /^(gateway|node_modules)\//.test(place);
    if (!isForNode) return super.requireModuleOrMock(from, name);
    return require(join(ROOT, place.replace(/^gateway\/(?!build\/|dist\/)/, 'gateway/build/')));
  }
};

const isLibrary = (name) => !/^([./]|n8n-|@jest\/globals$)/.test(name) && !isBuiltin(name);
