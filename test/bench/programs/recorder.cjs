/**
 * Writes rows to disk at minimal cost: SQLite on a thread, with prepared statements and one commit for
 * simultaneous rows.
 */
const { DatabaseSync } = require('node:sqlite');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

/**
 * @param tables SQL that creates the tables
 * @param statements SQL by name
 * @returns a function that writes rows, each with a statement's name and values; resolves once they are on
 * disk
 */
function recorder(file, tables, statements) {
  const worker = new Worker(__filename, { workerData: { file, tables, statements } });
  let [waiting, committing] = [[], null];
  const commit = () => {
    committing = waiting.length ? waiting : null;
    waiting = [];
    if (committing) worker.postMessage(committing.flatMap(({ rows }) => rows));
  };
  worker.on('message', () => {
    committing.forEach(({ resolve }) => resolve());
    commit();
  });
  return (...rows) =>
    new Promise((resolve) => {
      waiting.push({ rows, resolve });
      if (!committing) commit();
    });
}

function record({ file, tables, statements }) {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 8000');
  database.exec(tables);
  const prepared = new Map(Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]));
  parentPort.on('message', (rows) => {
    database.exec('begin immediate');
    for (const [name, ...values] of rows) prepared.get(name).run(...values);
    database.exec('commit');
    parentPort.postMessage(null);
  });
}

if (!isMainThread) record(workerData);

module.exports = { recorder };
