import { SettingError } from '../../../../gateway/errors';
import { decryptRows } from '../../../../gateway/store/processes/decrypt-rows';

describe('a row of the registry that does not open', () => {
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const opening =
    (wrong: Error) =>
    ({ id }: { id: number }) => {
      if (id === 2) throw wrong;
      return `now ${id}`;
    };

  test('takes no other with it, and is named', () => {
    const named: number[] = [];
    const opened = decryptRows(rows, opening(new Error('damaged')), null, (id) => named.push(id));
    expect([opened, named]).toEqual([['now 1', 'now 3'], [2]]);
  });

  test('stays as it was known, as where another process has a newer key', () => {
    const known = new Map([[2, 'before 2']]);
    const opened = decryptRows(rows, opening(new SettingError('another key')), known, () => undefined);
    expect(opened).toEqual(['now 1', 'before 2', 'now 3']);
  });

  test('ends the start where it was sealed with a key that is not set', () => {
    const wrong = new SettingError('another key');
    expect(() => decryptRows(rows, opening(wrong), null, () => undefined)).toThrow(wrong);
  });
});
