/** Where a condition is fixed. Viewers cannot open the settings of a line: they get its page. */
export const remedyFor = <R>(
  mayChange: boolean,
  path: string,
  remedy: R,
): { path: string; remedy: R | 'Look at the line' } =>
  mayChange || !path.endsWith('/edit')
    ? { path, remedy }
    : { path: path.replace(/\/edit$/, ''), remedy: 'Look at the line' };
