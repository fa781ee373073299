import { registerLine, type LineDeps, type NewLine } from '../../gateway/lines/add-line';
import { addToken } from '../../gateway/lines/tokens';
import { type Tables } from '../../gateway/store/store';
import { type LineRow } from '../../gateway/store/tables/lines';
import { seedStarterTemplates } from '../../gateway/templates/sync-templates';

type Deps = LineDeps & { store: Pick<Tables, 'tokens' | 'templates'> };

/** Adds a line with its starter templates and a token, without an audit entry. */
export async function addLine(deps: Deps, line: NewLine): Promise<{ row: LineRow; token: string }> {
  const row = await registerLine(deps, line);
  await seedStarterTemplates(deps.store, row.id);
  const { token } = await addToken(deps, row.id);
  return { row, token };
}
