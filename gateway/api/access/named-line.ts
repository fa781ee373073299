import { type FastifyRequest } from 'fastify';
import { invalidToken, lineNotNamed, type Refusal } from '../../errors';
import { refuseLine, type Line } from '../../lines/line';
import { type LineRegistry } from '../../lines/line-registry';
import { lastOf, type Query } from '../http/graph-read';

/** How a request names its line. */
export interface Named {
  /** Whether the request may use a token of this line: it names the line, or nothing of another one. */
  isLine(lines: LineRegistry, request: FastifyRequest, line: Line): boolean;
  /**
   * The line that the request names, for a token of several lines. A line outside its reach is refused like one that does
   * not exist.
   * @param reaches whether the token reaches a line
   */
  find(lines: LineRegistry, request: FastifyRequest, reaches: (line: Line) => boolean): Line | Refusal;
}

/** For paths that begin with `{tid}`. */
export const BY_TID: Named = {
  isLine: (lines, request, line) => lines.byTid(parameterIn(request, 'tid'))?.id === line.id,
  find(lines, request, reaches) {
    const line = lines.byTid(parameterIn(request, 'tid'));
    return line && reaches(line) ? line : invalidToken();
  },
};

/** For paths that begin with the id of another object. @param parameter empty for a path that names nothing */
export function namedByObject(parameter: string): Named {
  const isLine: Named['isLine'] = (lines, request, line) => {
    const id = parameterIn(request, parameter);
    if (id === line.wabaId) return true;
    const named = lines.byTid(id);
    return named ? named.id === line.id : lines.ofBusinessAccount(id).length === 0;
  };
  return {
    isLine,
    find(lines, request, reaches) {
      const id = parameterIn(request, parameter);
      const asked = lastOf((request.query as Query).phone_number_id);
      const named = lines.byTid(asked ?? id);
      if (named || asked !== undefined)
        return named && reaches(named) && isLine(lines, request, named) ? named : invalidToken();
      const ofAccount = lines.ofBusinessAccount(id);
      const reached = (ofAccount.length ? ofAccount : lines.all()).filter(reaches);
      // What concerns a business account is the same for all lines of one customer.
      const isAny = ofAccount.length ? isOfOneCustomer(reached) : parameter === '';
      if (reached.length > 1 && !isAny) return lineNotNamed();
      return reached.find((line) => !refuseLine(line)) ?? reached[0] ?? invalidToken();
    },
  };
}

const isOfOneCustomer = (lines: readonly Line[]): boolean =>
  new Set(lines.map(({ customerId }) => customerId)).size === 1;

const parameterIn = ({ params }: FastifyRequest, name: string): string =>
  (params as Record<string, string | undefined>)[name] ?? '';
