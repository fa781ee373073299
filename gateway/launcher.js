#!/usr/bin/env node
'use strict';
/**
 * The start script (`dist/main.js`). The first start keeps the compiled form of all functions that it has run in the
 * folder `compiled`, if that is writable; the next start then compiles nothing, which is a fifth of its CPU time.
 * Node's compile cache would only keep what V8 compiles before a program runs.
 */
const { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const OLDEST_NODE = 24;
/** The exit code for invalid settings. */
const WRONG_SETTINGS = 2;
/** The bytes of the checksum at the end of the file: V8 itself does not notice a damaged one. */
const SUM = 4;

const filename = join(__dirname, 'program.js');

function run() {
  const words = process.argv.slice(2);
  // Only Node's own loader reads source maps.
  if (process.sourceMapsEnabled) return require(filename).main(words, null);
  const source = readFileSync(filename);
  // V8 takes what the same version has compiled with the same options.
  const kept = join(__dirname, 'compiled', `${cachedDataVersionTag()}-${crc32(source)}`);
  const cachedData = compiledIn(kept);
  const script = new Script(wrap(source.latin1Slice()), { filename, cachedData });
  const program = { exports: {} };
  script.runInThisContext()(program.exports, require, program, filename, __dirname);
  // Undefined if there was nothing to reject.
  const isKept = script.cachedDataRejected === false;
  return program.exports.main(words, isKept ? null : () => keep(kept, script));
}

function compiledIn(file) {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(0, -SUM);
    return bytes.readUInt32LE(data.length) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function keep(file, script) {
  try {
    const data = script.createCachedData();
    const sum = Buffer.alloc(SUM);
    sum.writeUInt32LE(crc32(data));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, Buffer.concat([data, sum]));
    // Readable to all, as the program is: what it writes itself is its owner's only.
    chmodSync(dirname(file), 0o755);
    chmodSync(`${file}.new`, 0o644);
    renameSync(`${file}.new`, file);
  } catch {
    // The folder is read-only or full: the next start compiles again.
  }
}

if (Number.parseInt(process.versions.node) < OLDEST_NODE) {
  process.stderr.write(
    `The gateway needs Node.js ${OLDEST_NODE} or later, and this is ${process.version}. Install a newer one and try again.\n`,
  );
  process.exitCode = WRONG_SETTINGS;
} else run();
