const Runtime = require('jest-runtime').default;
const { createRequire, isBuiltin } = require('node:module');
const { dirname, join, relative, resolve, sep } = require('node:path');

const ROOT = resolve(__dirname, '../..');

/**
 * jest's own, which loads and compiles every module anew for each test file. The gateway and libraries, Node loads: once
 * for all files that a process runs, and as they are loaded where they are used. Tests name the gateway's sources: what
 * runs is what they are compiled to. Its globals are not those of the tests: a test's `/x/` is no instance of its `RegExp`.
 * n8n and what it needs stay with our nodes, which jest loads: it looks whether they throw an instance of its `Error`.
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
