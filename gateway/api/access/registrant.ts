import { type ApiToken } from './authenticate-line';

/** The token that registered something. Both are null if an operator did, or if it is unknown. */
export interface Registrant {
  /** The first line token in its chain of replacements, whose tokens share their registrations. */
  tokenId: number | null;
  adminTokenId: number | null;
}

export const registrantOf = (token: ApiToken): Registrant =>
  token.kind === 'admin'
    ? { tokenId: null, adminTokenId: token.id }
    : { tokenId: token.firstId, adminTokenId: null };

export function isRegisteredBy(token: ApiToken, { tokenId, adminTokenId }: Registrant): boolean {
  const own = registrantOf(token);
  return tokenId === own.tokenId && adminTokenId === own.adminTokenId;
}
