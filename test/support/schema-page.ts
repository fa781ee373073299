/**
 * Generates docs/schema.md from `gateway/store/schema.ts`: `npx tsx test/support/schema-page.ts`. A test
 * checks that the page is current.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');
export const SCHEMA_PAGE = join(ROOT, 'docs/schema.md');

export function schemaPage(): string {
  const [file = ''] = globSync(join(ROOT, 'gateway/store/**/schema.ts'), {
    exclude: (name) => /build|dist/.test(String(name)),
  });
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const interfaces = new Map(
    source.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one]),
  );
  const all = interfaces.get('Schema');
  if (!all) throw new Error(`There is no Schema in ${file}`);
  const tables = propertiesOf(all).map(({ name, type }) => {
    const table = interfaces.get(type);
    if (!table) throw new Error(`The table ${name} is of ${type}, which is no interface of ${file}`);
    const rows = propertiesOf(table).map(
      (one) => `| \`${one.name}\` | \`${cell(one.type)}\` | ${cell(one.says)} |`,
    );
    return [
      `## ${name}`,
      saidOf(table),
      ['| Column | Type | Holds |', '| --- | --- | --- |', ...rows].join('\n'),
    ];
  });
  const head = [
    '# The schema',
    `Made of the comments in the source by \`npx tsx test/support/schema-page.ts\`. ${saidOf(all)}`,
  ];
  return `${[...head, ...tables.flat()].filter((part) => part !== '').join('\n\n')}\n`;
}

const propertiesOf = (of: ts.InterfaceDeclaration) =>
  of.members.filter(ts.isPropertySignature).map((one) => ({
    name: one.name.getText(),
    type: (one.type?.getText() ?? '').replace(/^Generated<(.*)>$/, '$1'),
    says: saidOf(one),
  }));

/** Returns the comment of a node in one line. */
const saidOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => (typeof comment === 'string' ? comment : ts.getTextOfJSDocComment(comment)) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ');

const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');

if (require.main === module) writeFileSync(SCHEMA_PAGE, schemaPage());
