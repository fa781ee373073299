import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { judgeBy } from '../cloud-api/schema-faults';
import { destinationNotFound, invalidPayload, tooManyDestinations } from '../errors';
import { EVENT_KINDS, type Destination } from '../forwarding/destination';
import { type DestinationRegistry } from '../forwarding/destination-registry';
import {
  addDestination,
  handshake,
  removeDestination,
  type DestinationDeps,
} from '../forwarding/manage-destinations';
import { addressInAudit, type Actor } from '../store/audit';
import { audited, type AuditedDeps } from '../store/audited';
import { verifyTokenOf } from '../forwarding/signatures';
import { callerAddress } from '../http/caller-address';
import { type DestinationRules } from '../http/destination-address';
import { type HttpClient } from '../http/http-client';
import { DESTINATION_MODES, ORIGINS } from '../store/schema';
import { type ParsedBody } from './parse-body';
import { TextOrNull, TimeOrNull } from './nullable';

/** What a workflow trigger sends to register its own address. */
export const NewDestination = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    secret: Type.Optional(
      Type.Unsafe<string | null>({ type: 'string', nullable: true, minLength: 16, maxLength: 512 }),
    ),
    events: Type.Optional(Type.Array(Type.Enum([...EVENT_KINDS]), { minItems: 1 })),
    mode: Type.Optional(Type.Enum([...DESTINATION_MODES])),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 * 24 * 3600 })),
  },
  { additionalProperties: false },
);
const faultsOf = judgeBy(NewDestination);

const Shown = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  events: Type.Array(Type.Enum([...EVENT_KINDS])),
  mode: Type.Enum([...DESTINATION_MODES]),
  origin: Type.Enum([...ORIGINS]),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: TimeOrNull,
  paused_at: TimeOrNull,
  paused_because: TextOrNull,
  failing_since: TimeOrNull,
  last_failure: TextOrNull,
});

export const DestinationsAnswer = Type.Object({
  success: Type.Literal(true),
  count: Type.Integer(),
  data: Type.Array(Shown),
});

export const AddedDestinationAnswer = Type.Object({
  success: Type.Literal(true),
  ...Shown.properties,
  secret: Type.String(),
  verify_token: Type.String(),
  handshake: Type.Object({ ok: Type.Boolean(), detail: Type.String() }),
});

/** A destination as the API shows it; its secret is told once, when it is added, and the values of its headers never. */
const shown = (destination: Destination): Static<typeof Shown> => ({
  id: destination.id,
  url: destination.url,
  events: [...destination.events],
  mode: destination.mode,
  origin: destination.origin,
  created_at: destination.createdAt,
  expires_at: destination.expiresAt,
  paused_at: destination.pausedAt,
  paused_because: neutral(destination.pausedBecause),
  failing_since: destination.failingSince,
  last_failure: neutral(destination.lastFailure),
});

/** Why it fails, in words that do not tell which names there are in the gateway's network. */
const neutral = (reason: string | null): string | null =>
  reason?.replace(/\b(dns|address_refused)\b/, 'connection') ?? null;

/** The token that asks: `token list` shows its id. */
const actorOf = (request: FastifyRequest): Actor => ({
  who: `token ${request.token.id} (…${request.token.lastFour}) of ${request.line.name}`,
  through: 'api',
  address: callerAddress(request),
});

/** Of an address that another token added, or an operator: what follows the host may be a secret of the receiver's. */
const cut = (url: string): string => `${URL.parse(url)?.origin ?? ''}/…`;

/** What a token may register, with all that the line has: each event is written, and sent, once for each of them. */
export const MOST_DESTINATIONS = 100;

/** GET, POST and DELETE …/{tid}/destinations: where a line's events go, managed with its token. */
export function destinationRoutes(
  deps: DestinationDeps &
    AuditedDeps & {
      destinations: DestinationRegistry;
      http: HttpClient;
      customerRules: DestinationRules;
    },
) {
  return {
    list: async ({ line, token }: FastifyRequest) => {
      const ofLine = deps.destinations.ofLine(line.id);
      // How they fare is noted with each failure, which nobody has to read again but who asks.
      const rows = await deps.store.destinations.healthOf(ofLine.map(({ id }) => id));
      const health = new Map(rows.map((row) => [row.id, row]));
      const data = ofLine.map((destination) => {
        const { failing_since = null, last_failure = null } = health.get(destination.id) ?? {};
        const url = destination.tokenId === token.firstId ? destination.url : cut(destination.url);
        return { ...shown(destination), url, failing_since, last_failure: neutral(last_failure) };
      });
      const answer: Static<typeof DestinationsAnswer> = { success: true, count: data.length, data };
      return answer;
    },

    add: async (request: FastifyRequest, reply: FastifyReply) => {
      const { value } = request.body as ParsedBody;
      const faults = faultsOf(value);
      if (faults.length) throw invalidPayload(faults);
      const { expires_in: expiresIn, ...given } = value as Static<typeof NewDestination>;
      const adding = { ...given, expiresIn, origin: 'token', tokenId: request.token.firstId } as const;
      const destination = await audited<Destination>(
        deps,
        actorOf(request),
        ({ id, url }) => ({
          action: 'destination.added',
          lineId: request.line.id,
          details: { destination: id, url: addressInAudit(url) },
        }),
        async (inside) => {
          const added = await addDestination(
            { ...deps, ...inside, rules: deps.customerRules },
            request.line.id,
            adding,
          );
          // Whoever adds one at the same moment waits until this is done, or undone.
          if ((await inside.store.destinations.countOf(request.line.id)) > MOST_DESTINATIONS)
            throw tooManyDestinations(MOST_DESTINATIONS);
          return added;
        },
      );
      const answer: Static<typeof AddedDestinationAnswer> = {
        success: true,
        ...shown(destination),
        secret: destination.secret,
        verify_token: verifyTokenOf(destination.secret),
        handshake: await handshake(deps.http, destination, false),
      };
      return reply.code(201).send(answer);
    },

    remove: async (request: FastifyRequest) => {
      const { id } = request.params as { id: string };
      const destination = /^\d{1,9}$/.test(id) ? deps.destinations.byId(Number(id)) : null;
      // A token removes what was registered with a token; the forwarding URL is set by the operator.
      if (destination?.lineId !== request.line.id || destination.origin !== 'token')
        throw destinationNotFound();
      await audited(
        deps,
        actorOf(request),
        {
          action: 'destination.removed',
          lineId: request.line.id,
          details: { destination: destination.id, url: addressInAudit(destination.url) },
        },
        (inside) => removeDestination({ ...deps, ...inside }, destination.id),
      );
      return { success: true };
    },
  };
}
