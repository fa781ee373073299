import { csvCell } from '../../gateway/export-file';

test.each([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1 202', `"'+1 202"`],
  [' @SUM(1)', `"' @SUM(1)"`],
  ['\t=1', `"'\t=1"`],
  ['＝1', `"'＝1"`],
  ['a, b', '"a, b"'],
  ['two\nlines', '"two\nlines"'],
  ['12025550147', '12025550147'],
  [-1, '-1'],
  [null, ''],
])('a cell of a spreadsheet never begins as a formula: %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});
