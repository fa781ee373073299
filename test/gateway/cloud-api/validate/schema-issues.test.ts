import * as Type from 'typebox';
import { validatorOf } from '../../../../gateway/cloud-api/validate/schema-issues';

test('issues of a long list are looked for in its first entries alone', () => {
  const looked = new Set<number>();
  const list = Array.from({ length: 500 }, (_, index) => ({
    get name() {
      looked.add(index);
      return 1;
    },
  }));
  const issuesOf = validatorOf(Type.Object({ list: Type.Array(Type.Object({ name: Type.String() })) }));
  expect(issuesOf({ list }).map(({ path }) => path)).toEqual(
    Array.from({ length: 20 }, (_, index) => `list[${index}].name`),
  );
  expect(Math.max(...looked)).toBe(20);
});
